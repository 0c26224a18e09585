"""Whether Python code only computes and prints, by accept-lists of syntax, names and attributes.

Unsafe is all that is not listed. What can be reached from the listed names through the listed
attributes must be harmless: no module gives away `sys`, `os` or a file, no attribute leads to
globals or classes, and no name of a builtin may be bound, because a loop that never runs would
leave the real one in place.
"""

from __future__ import annotations

import ast
import builtins
import warnings

MAX_LENGTH = 4000
_NODES = frozenset(
    """Module Expr Assign AugAssign AnnAssign If For Pass Break Continue Assert Import ImportFrom
    alias BoolOp NamedExpr BinOp UnaryOp Lambda IfExp Dict Set List Tuple ListComp SetComp
    DictComp GeneratorExp comprehension Compare Call keyword FormattedValue JoinedStr Constant
    Attribute Subscript Starred Name Slice arguments arg Load Store And Or Add Sub Mult MatMult
    Div Mod Pow LShift RShift BitOr BitXor BitAnd FloorDiv Invert Not UAdd USub Eq NotEq Lt LtE
    Gt GtE Is IsNot In NotIn""".split()
)
_BUILTINS = frozenset(
    """abs all any ascii bin bool bytearray bytes chr complex dict divmod enumerate filter float
    format frozenset hash hex int isinstance iter len list map max min next oct ord pow print
    range repr reversed round set slice sorted str sum tuple zip""".split()
)
# The interpreter may be Python 2, where these are builtins that act.
_OLD_BUILTINS = frozenset("apply execfile file raw_input reload".split())
_MODULES = frozenset(
    """base64 binascii bisect calendar cmath collections colorsys datetime decimal fractions
    functools hashlib heapq html itertools json math platform pprint random re secrets
    statistics string struct sys textwrap time unicodedata urllib.parse uuid zlib""".split()
)
_ATTRIBUTES = frozenset(
    # strings and bytes
    """capitalize casefold center count decode encode endswith expandtabs find format fromhex hex
    index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable
    isspace istitle isupper join ljust lower lstrip maketrans partition removeprefix
    removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith
    strip swapcase title translate upper zfill"""
    # lists, dictionaries, sets, numbers
    """ append clear copy extend insert pop remove reverse sort fromkeys get items keys popitem
    setdefault update values add difference discard intersection isdisjoint issubset issuperset
    symmetric_difference union bit_length bit_count as_integer_ratio is_integer conjugate real
    imag from_bytes to_bytes numerator denominator"""
    # math, statistics, decimal, fractions, random
    """ acos asin atan atan2 ceil comb cos cosh degrees dist e erf exp expm1 fabs factorial floor
    fmod fsum gcd hypot inf isclose isfinite isinf isnan isqrt lcm log log10 log1p log2 modf nan
    perm pi prod radians sin sinh sqrt tan tanh tau trunc mean median mode stdev variance
    quantiles Decimal Fraction quantize limit_denominator choice choices gauss randint random
    randrange sample seed shuffle uniform token_hex token_urlsafe token_bytes randbelow"""
    # json, base64, hashlib, struct, text
    """ dumps loads b64encode b64decode urlsafe_b64encode urlsafe_b64decode b32encode b32decode
    b16encode b16decode hexlify unhexlify crc32 adler32 md5 sha1 sha224 sha256 sha384 sha512
    blake2b blake2s digest hexdigest pack unpack calcsize escape unescape dedent indent fill
    wrap shorten pprint pformat name category normalize compress decompress quote unquote
    quote_plus unquote_plus urlencode urlparse urlsplit urlunparse urljoin parse_qs parse_qsl
    parse netloc scheme query fragment hostname port uuid4 int compile match fullmatch search
    findall finditer sub subn group groups groupdict span start end IGNORECASE MULTILINE DOTALL
    VERBOSE I M S X ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits
    punctuation printable whitespace capwords"""
    # dates, collections, iteration, versions
    """ date datetime time timedelta timezone utc now today utcnow fromtimestamp utcfromtimestamp
    timestamp isoformat fromisoformat strftime strptime weekday isoweekday isocalendar year
    month day hour minute second microsecond total_seconds days seconds monotonic perf_counter
    time_ns gmtime localtime mktime isleap monthrange Counter OrderedDict defaultdict deque
    most_common elements appendleft popleft accumulate chain combinations
    combinations_with_replacement count cycle groupby islice pairwise permutations product
    repeat starmap takewhile dropwhile zip_longest from_iterable reduce partial bisect_left
    bisect_right heapify heappop heappush nlargest nsmallest version version_info major minor
    micro platform maxsize byteorder executable prefix base_prefix argv python_version machine
    release""".split()
)


def is_pure(code: str) -> bool:
    """Tell whether running the code has no effect but its output. In doubt it has."""
    tree = _parsed(code)
    if tree is None:
        return False
    nodes = list(ast.walk(tree))
    bound = _bound_names(nodes)
    return not any(_is_builtin(name) for name in bound) and all(
        type(node).__name__ in _NODES and _is_harmless(node, bound) for node in nodes
    )


def _parsed(code: str) -> ast.Module | None:
    if len(code) > MAX_LENGTH:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _bound_names(nodes: list[ast.AST]) -> set[str]:
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
    return names


def _is_builtin(name: str) -> bool:
    return name.startswith("__") or name in _OLD_BUILTINS or hasattr(builtins, name)


def _is_harmless(node: ast.AST, bound: set[str]) -> bool:
    if isinstance(node, ast.Import):
        return all(alias.name in _MODULES for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return (
            node.level == 0
            and node.module in _MODULES
            and all(alias.name in _ATTRIBUTES for alias in node.names)
        )
    if isinstance(node, ast.Name):
        return node.id in _BUILTINS or node.id in bound
    if isinstance(node, ast.Attribute):
        return node.attr in _ATTRIBUTES and isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name | ast.Attribute)
    return True

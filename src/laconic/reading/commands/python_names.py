"""What Python code may be made of so that it only computes, reads files and prints.

What can be reached from the listed names through the listed attributes must be harmless: no module
gives away `sys`, `os` or a file that can be written, no attribute leads to globals or classes. Not
listed on purpose: entry_points (its load runs code), find_spec (imports), open as an attribute,
buffering of open (its files have a class that can open others), vars and getattr (any attribute),
stdin (taste: what comes through a pipe into an interpreter is asked about).
"""

from __future__ import annotations

NODES = frozenset(
    """Module Expr Assign AugAssign AnnAssign If For Pass Break Continue Assert Import ImportFrom
    alias BoolOp NamedExpr BinOp UnaryOp Lambda IfExp Dict Set List Tuple ListComp SetComp
    DictComp GeneratorExp comprehension Compare Call keyword FormattedValue JoinedStr Constant
    Attribute Subscript Starred Name Slice arguments arg Load Store And Or Add Sub Mult MatMult
    Div Mod Pow LShift RShift BitOr BitXor BitAnd FloorDiv Invert Not UAdd USub Eq NotEq Lt LtE
    Gt GtE Is IsNot In NotIn With withitem Try ExceptHandler FunctionDef Return""".split()
)
BUILTINS = frozenset(
    """abs all any ascii bin bool bytearray bytes callable chr complex dict dir divmod enumerate
    exit filter float format frozenset hasattr hash hex id int isinstance iter len list map max
    min next oct ord pow print quit range repr reversed round set slice sorted str sum tuple zip
    Exception AttributeError FileNotFoundError ImportError IndexError KeyError OSError TypeError
    UnicodeDecodeError ValueError ZeroDivisionError""".split()
)
# Builtins that act and that the Python under judgement may have where ours has not: those of
# Python 2, and those that the module `site` adds.
OTHER_BUILTINS = frozenset(
    "apply execfile file raw_input reload copyright credits license help exit quit".split()
)
MODULES = frozenset(
    """base64 binascii bisect calendar cmath collections colorsys datetime decimal fractions
    functools glob hashlib heapq html itertools json math pprint random re secrets statistics
    string struct sys textwrap time tomllib unicodedata urllib.parse uuid zlib""".split()
)
ATTRIBUTES = frozenset(
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
    micro platform maxsize byteorder executable prefix base_prefix argv hexversion getsizeof
    getdefaultencoding getfilesystemencoding getrecursionlimit exit"""
    # files that are open for reading, paths and what is known of them
    """ stdout stderr read readline readlines close flush load glob iglob rglob
    iterdir exists is_file is_dir read_text read_bytes stem suffix suffixes parent parents parts
    resolve absolute relative_to as_posix as_uri with_suffix with_name joinpath cwd home stat
    st_size st_mtime st_mode fieldnames line_num""".split()
)
# Attributes that are fine while they are only printed, iterated over or indexed: a program may add
# to sys.path, and then what it imports is another module.
LOOKED_AT = frozenset(("path",))
# Methods of pathlib's paths that write, and of other things that do not.
OF_PATHS = frozenset(("copy", "replace"))
READING_MODES = frozenset(("r", "rb", "rt"))
READING_KEYWORDS = frozenset(("encoding", "errors", "newline", "mode"))

# Modules of which no more than these names may be used, each of them in full. None that is not in
# the library: what such a package imports in turn may be in the current directory.
_PATH_QUESTIONS = """abspath basename commonpath commonprefix dirname exists expanduser getctime
    getmtime getsize isabs isdir isfile islink join normpath realpath relpath samefile sep split
    splitext""".split()
_METADATA = "version requires metadata".split()
_NAMES: dict[str, list[str]] = {
    "ast": "parse walk dump literal_eval unparse".split(),
    "csv": "reader DictReader".split(),
    "difflib": "unified_diff ndiff context_diff get_close_matches".split(),
    "fnmatch": "fnmatch fnmatchcase filter".split(),
    "getpass": ["getuser"],
    "importlib": [f"metadata.{name}" for name in _METADATA],
    "importlib.metadata": _METADATA,
    "ipaddress": "ip_address ip_network ip_interface".split(),
    "keyword": "kwlist iskeyword".split(),
    "locale": "getlocale getdefaultlocale getpreferredencoding".split(),
    "multiprocessing": ["cpu_count"],
    "os": """getcwd cpu_count getpid getppid getuid geteuid getgid name sep linesep pathsep uname
        getloadavg listdir walk stat getenv environ.get""".split()
    + [f"path.{name}" for name in _PATH_QUESTIONS],
    "os.path": _PATH_QUESTIONS,
    "pathlib": ["Path", "PurePath"],
    "platform": """platform python_version python_implementation machine release version system
        node mac_ver libc_ver""".split(),
    "shutil": "which disk_usage get_terminal_size".split(),
    "site": "getsitepackages getusersitepackages USER_BASE USER_SITE".split(),
    "socket": ["gethostname"],
    "sqlite3": ["sqlite_version"],
    "ssl": ["OPENSSL_VERSION"],
    "sysconfig": "get_path get_paths get_config_var get_platform get_python_version".split(),
}
GUARDED = {name: frozenset(names) for name, names in _NAMES.items()}

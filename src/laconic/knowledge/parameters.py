"""What `$x`, `${x..}`, `"$@"` and `${a[@]}` give, where the values that they start from are known.

https://www.gnu.org/software/bash/manual/html_node/Shell-Parameter-Expansion.html
"""

from __future__ import annotations

import re
from functools import lru_cache

from laconic.patterns import compile_written, pattern
from laconic.shell.words import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from laconic.knowledge.arguments import Values
    from laconic.shell.ast import Parameter

    List = tuple[str | None, ...]

MAX_POSSIBLE = 128  # of a word; each is judged where a file is read or written
MAX_LENGTH = 256  # of a text; a pattern is tried at each place of it
_SHORT = 48  # of one that a pattern with two stars is tried on
_LISTS = ("@", "*")
_DEFAULTS = frozenset((":-", "-", ":=", "="))
_DEMANDS = frozenset((":?", "?"))  # end the command if there is no value
_ALTERNATIVES = frozenset((":+", "+"))
# No expansion, no quote that may or may not quote, nothing that another option gives a meaning.
_PLAIN = pattern(r"[A-Za-z0-9_./:@%,+= -]*")
_PLAIN_GLOB = pattern(r"(?:[A-Za-z0-9_./:@%,+= *?-]|\[[!^]?[A-Za-z0-9_.]+\])*")
_PIECES = pattern(r"\[[^]]+\]|.")
_QUOTED = pattern(r"'([^']*)'|\"([^\"$`\\]*)\"")
_RANGE = pattern(r" ?(-?[0-9]+)(?::(-?[0-9]+))?")
_INDEX = pattern(r"-?[0-9]+")
_CASES: dict[str, Callable[[str], str]] = {
    ",,": str.lower,
    "^^": str.upper,
    ",": lambda value: value[:1].lower() + value[1:],
    "^": lambda value: value[:1].upper() + value[1:],
    "@L": str.lower,
    "@U": str.upper,
    "@u": lambda value: value[:1].upper() + value[1:],
}


def is_list(part: Parameter) -> bool:
    """Tell whether it is all of an array or of the arguments: `$@`, `$*`, `${a[@]}`, `${@:2}`."""
    return not part.prefix and (part.name in _LISTS or part.index in _LISTS)


def certain_value(part: Parameter, values: Values) -> str | None:
    """The one text that it gives; None if that is not certain, or it gives several words."""
    if part.prefix == "!" and part.operator not in _LISTS and part.index is None:
        return _indirect(part, values)
    if is_list(part):
        return None
    if part.index is not None:
        known = _element(part, values)
    elif part.prefix == "#" and not part.operator:
        value = values.certain.get(part.name)
        return None if value is None else str(len(value))
    else:
        known = values.certain.get(part.name)
    if known is None or part.prefix:
        return None
    return changed(part, known)


def _indirect(part: Parameter, values: Values) -> str | None:
    name = values.certain.get(part.name)
    known = None if name is None else values.certain.get(name)
    return None if known is None or part.operator else known


def _element(part: Parameter, values: Values) -> str | None:
    words = values.lists.get(part.name)
    index = part.index or ""
    if words is None or not _INDEX.fullmatch(index):
        return None
    place = int(index)
    return words[place] if -len(words) <= place < len(words) else None


def words_of(part: Parameter, values: Values) -> tuple[str | None, ...] | None:
    """The words of a list, None for each that is not known; None if the list is not known."""
    words = values.lists.get("@" if part.name in _LISTS else part.name)
    if words is None or not is_list(part):
        return None
    if not part.operator:
        return words
    if part.operator == ":":
        return _slice(part, words)
    return tuple(None if word is None else changed(part, word) for word in words)


def _slice(part: Parameter, words: List) -> List | None:
    """`${@:2}` counts from 1, and `${a[@]:1}` from 0."""
    asked = _RANGE.fullmatch(part.operand)
    if asked is None or (part.name in _LISTS and int(asked[1]) <= 0):
        return None
    start = int(asked[1]) - (part.name in _LISTS)
    length = len(words) if asked[2] is None else int(asked[2])
    return None if length < 0 or start < 0 else words[start : start + length]


def possible_values(part: Parameter, values: Values, depth: int = 0) -> tuple[str, ...]:
    """Texts that it may give, or one of its words may be; none if nothing is known of it."""
    if part.prefix == "#" or depth > 1:
        return ()
    known = _known(part, values)
    if is_list(part) and part.operator == ":":
        return known
    if part.operator in _ALTERNATIVES:
        return _operands(part, values)
    if part.operator in _DEFAULTS:  # what stands here first: of very many the rest is left out
        return _distinct((*_operands(part, values), *known))
    made = (changed(part, value) for value in known)
    return _distinct(value for value in made if value is not None)


def _known(part: Parameter, values: Values) -> tuple[str, ...]:
    """What the variable may hold, whatever the operator makes of it."""
    if part.prefix == "!":
        if part.operator in _LISTS or part.index in _LISTS:
            return ()  # names of variables, or of elements
        if part.name == "#":  # `${!#}`: the last argument
            return values.all_of("@")
        named = (name.partition("[")[0] for name in values.all_of(part.name))
        return _distinct(value for name in named for value in values.all_of(name))
    if part.name not in _LISTS and part.index not in _LISTS:
        return values.all_of(part.name)
    name = "@" if part.name == "*" else part.name
    given = [values.lists[name]] if values.lists and name in values.lists else []
    joined = [
        one
        for words in (*values.line.alternatives.get(name, ()), *given)
        if "*" in (part.name, part.index)
        # A word that is not known may be none at all: `"$@"` without arguments.
        for known in ([word or "" for word in words], [w for w in words if w is not None])
        for one in _joined_words(known)
    ]
    return (*values.all_of(name), *joined)


def _joined_words(words: list[str]) -> tuple[str, ...]:
    """`"$*"`: with blanks between, or with whatever the first of IFS is, if only nothing."""
    return (" ".join(words), "".join(words), "/".join(words), ".".join(words))


def _operands(part: Parameter, values: Values) -> tuple[str, ...]:
    """What the word after `:-` may be; its quotes quote, except inside of others."""
    plain = _without_quotes(part.operand)
    if plain is not None:
        return (text(plain),)
    return values.texts_of(part.operand)


def _without_quotes(operand: str) -> str | None:
    quoted = _QUOTED.fullmatch(operand)
    if quoted is not None:
        return quoted[1] if quoted[1] is not None else quoted[2]
    return operand if _PLAIN.fullmatch(operand) else None


def changed(part: Parameter, value: str) -> str | None:
    """What the operator makes of a value that is set; None if that is not certain."""
    operator, operand = part.operator, part.operand
    if not operator:
        return value
    if operator in _DEFAULTS:
        is_kept = bool(value) or operator in ("-", "=")
        return value if is_kept else operand if _PLAIN.fullmatch(operand) else None
    if operator in _DEMANDS:
        return value if value or operator == "?" else None
    if operator in _ALTERNATIVES:
        is_given = bool(value) or operator == "+"
        return (operand if _PLAIN.fullmatch(operand) else None) if is_given else ""
    if operator in _CASES:
        return _CASES[operator](value) if value.isascii() and not operand else None
    if operator == "@Q":
        return (
            f"'{value}'" if value.isascii() and value.isprintable() and "'" not in value else None
        )
    if operator == ":":
        return _cut(operand, value)
    if len(value) > MAX_LENGTH:
        return None
    if operator in ("#", "##", "%", "%%"):
        return _stripped(operator, operand, value)
    return _replaced(operator, operand, value) if operator in ("/", "//") else None


def _cut(operand: str, value: str) -> str | None:
    """`${x:1:2}`; from the end, if the start is negative."""
    asked = _RANGE.fullmatch(operand)
    if asked is None or not value.isascii() or (operand[:1] == "-"):
        return None
    start = int(asked[1]) if int(asked[1]) >= 0 else len(value) + int(asked[1])
    if not 0 <= start <= len(value):
        return None
    end = len(value) if asked[2] is None else int(asked[2])
    end = start + end if asked[2] is not None and end >= 0 else end
    end = len(value) + end if end < 0 else end
    return value[start:end] if end >= start else None


def _stripped(operator: str, operand: str, value: str) -> str | None:
    """`${x#pattern}`, `${x%%pattern}`: the shortest or longest beginning or end is gone."""
    fits = _compiled(operand) if _is_quick(operand, value) else None
    if fits is None:
        return None
    places = range(len(value) + 1)
    is_front, is_longest = operator[0] == "#", len(operator) > 1
    for place in reversed(places) if is_front is is_longest else places:
        cut, kept = value[:place], value[place:]
        if not is_front:
            cut, kept = kept, cut
        if fits.fullmatch(cut):
            return kept
    return value


def _replaced(operator: str, operand: str, value: str) -> str | None:
    """`${x/a/b}`, `${x//a/b}`, `${x/#a/b}`, `${x/%a/b}`, with the longest match of each place."""
    anchor = operand[:1] if operator == "/" and operand[:1] in ("#", "%") else ""
    wanted, _, new = operand[len(anchor) :].partition("/")
    fits = _compiled(wanted) if _is_quick(wanted, value) else None
    if fits is None or not wanted or not _PLAIN.fullmatch(new) or fits.fullmatch(""):
        return None
    if anchor == "%":
        for start in range(len(value) + 1):
            if fits.fullmatch(value, start):
                return value[:start] + new
        return value
    if anchor == "#":
        found = fits.match(value)
        return value if found is None else new + value[found.end() :]
    return fits.sub(new, value, count=0 if operator == "//" else 1)


def _is_quick(glob: str, value: str) -> bool:
    stars = glob.count("*")
    return stars <= 1 or (stars == 2 and len(value) <= _SHORT)  # noqa: PLR2004 - as said


@lru_cache(64)
def _compiled(glob: str) -> re.Pattern[str] | None:
    """A pattern of names as an expression; only what means the same in all shells."""
    if not glob.isascii() or not _PLAIN_GLOB.fullmatch(glob) or "**" in glob:
        return None
    wild = {"*": ".*", "?": "."}
    made = [
        wild.get(p) or (p.replace("[!", "[^", 1) if len(p) > 1 else re.escape(p))
        for p in _PIECES.findall(glob)
    ]
    return compile_written("".join(made), re.DOTALL)


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(t for t in texts if len(t) <= MAX_LENGTH))[:MAX_POSSIBLE]

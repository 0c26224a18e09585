"""Reports of valgrind and of sanitizers: each mistake with its places, not the memory around it.

https://valgrind.org/docs/manual/mc-manual.html, https://clang.llvm.org/docs/AddressSanitizer.html
"""

from __future__ import annotations

from laconic.compact.masks import any_of
from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.rows import placed, raw_of, text_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_SANITIZER = pattern(r"(?:==\d+==\s*)?(?:ERROR|WARNING): \w+Sanitizer: .*")
_SHADOWS = "Shadow bytes around the buggy address:"
_SHADOW = pattern(
    r"(?:  |=>)0x[0-9a-f]+: ?[\[\]0-9a-f ]+"
    r"|Shadow byte legend \(one shadow byte represents \d+ application bytes\):"
    r"|  [A-Z][\w -]+: +(?:[0-9a-f]{2} ?)+"
)
_REGISTERS = pattern(r"(?P<said>==\d+==\s*ERROR: \w+Sanitizer: .*?) (?:at |\()?pc 0x[0-9a-f]+ .*")
_RULER = pattern(r"={18,}")
# The bytes around an address, which UBSan prints below a mistake.
_POINTER = pattern(r"0x[0-9a-f]+: note: pointer points here")
_BYTES = pattern(r" *(?:[0-9a-f]{2} +)+[0-9a-f]{2} *| *\^ *")
_PREFIX = pattern(r"==(?P<process>\d+)==(?P<rest> .*|)")
_DULL = pattern(
    r" (?:Memcheck, |Copyright |Using Valgrind|For (?:lists|counts) of |Rerun with |Use --track"
    r"|Reachable blocks |To see them, ).*"
    r"| +(?:definitely|indirectly|possibly) lost: 0 bytes in 0 blocks"
    r"| +(?:still reachable|suppressed): 0 bytes in 0 blocks| *"
)


def is_of_process(text: str) -> bool:
    """Tell whether the number of a process is before a line."""
    return _PREFIX.fullmatch(text) is not None


def memory(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Leave out the bytes around a mistake, and the number of the process before each line."""
    lines = raw_of(rows)
    sanitized = any(_SANITIZER.fullmatch(texts[i]) for i in lines)
    gone: set[int] = set()
    instead: dict[int, list[Row]] = {}
    is_shadow = False
    for pos, index in enumerate(lines):
        text = texts[index]
        is_shadow = text == _SHADOWS or (is_shadow and _SHADOW.fullmatch(text) is not None)
        if sanitized and (is_shadow or _RULER.fullmatch(text)):
            gone.add(index)
        elif sanitized and (match := _REGISTERS.fullmatch(text)):
            instead[index] = [Shown(SHORT, match["said"], (index + 1,))]
        elif _POINTER.fullmatch(text):
            bytes_below = [i for i in lines[pos + 1 : pos + 3] if _BYTES.fullmatch(texts[i])]
            gone |= {index, *bytes_below}
    is_begun = asked.is_listed and any_of(asked.printed)
    return _without_process(placed(rows, instead, gone), texts, is_begun=is_begun)


def _without_process(rows: list[Row], texts: Texts, *, is_begun: bool) -> list[Row]:
    """Take `==123==` off, if all lines of valgrind have the same number; leave out what is dull.

    is_begun: its heading was printed while it ran, so that it is not among them.
    """
    matches = [_PREFIX.fullmatch(text_of(row, texts)) for row in rows]
    is_one = len({match["process"] for match in matches if match}) == 1
    if not is_begun and not any(match and "Memcheck, " in match["rest"] for match in matches):
        return rows
    found: list[Row] = []
    for row, match in zip(rows, matches, strict=True):
        if match and _DULL.fullmatch(match["rest"]):
            continue
        if match and is_one:
            numbers = (row + 1,) if isinstance(row, int) else row.numbers
            found.append(Shown(SHORT, match["rest"][1:], numbers))
        else:
            found.append(row)
    return found

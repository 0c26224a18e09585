"""pip's output, wherever it is: what was installed and why not; no downloads and no steps.

https://pip.pypa.io/en/stable/cli/pip_install/
"""

from __future__ import annotations

from laconic.compact.shapes.changes import has_words
from laconic.compact.shapes.rows import made, placed, raw_of, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_SIGN = pattern(
    r"Collecting \S+(?: @ \S+)?(?: \(from .*\))?|Requirement already satisfied: \S+ in \S+.*"
    r"|  (?:Downloading|Using cached) \S+\.(?:whl|tar\.gz|zip)(?:\.metadata)?(?: \([^()]*\))?"
)
_FEWEST = 2
_STEP = pattern(
    r"Looking in (?:links|indexes): .*|Collecting \S+(?: @ \S+)?(?: \(from .*\))?"
    r"|Obtaining \S+"
    r"|(?:  )?(?:Downloading|Using cached) \S+\.(?:whl|tar\.gz|zip)(?:\.metadata)?(?: \([^()]*\))?"
    r"|\s+[\u2501\u2578\u257a]+ [\d.]+/[\d.]+ [kMG]?B .*"
    r"|  [A-Z][\w ]+?(?: for \S+)?(?: \([\w. ]+\))?: "
    r"(?:started|still running\.\.\.|finished with status '(?:done|error)')"
    r"|Building wheels for collected packages: .*|  Created wheel for \S+: .*"
    r"|  Stored in directory: .*|Installing collected packages: .*"
    r"|  Attempting uninstall: \S+| {4}Found existing installation: .*| {4}Uninstalling \S+:"
    r"| {6}Successfully uninstalled \S+|\[notice\] .*"
)
_THERE = pattern(r"Requirement already satisfied: (\S+) in \S+(?: \(from (?!-r ).*\)| \(.*\))*")
_FROM = pattern(r".* \(from (?!-r )[^()]*\).*")
_BOX = pattern(r"\s*error: subprocess-exited-with-error")
_CODE = pattern(r"\s*[│|] exit code: (-?\d+)")
_TITLE = pattern(r"\s*\u00d7 .*")
_DULL = pattern(
    r"\s*\[end of output\]|\s*╰─> (?:See above for output\.|\[\d+ lines of output\])"
    r"|\s*note: This (?:error originates from a subprocess|is an issue with the package).*"
)
_OF_PACKAGE = pattern(
    r"(?:Collecting|Obtaining) (\S+?)(?:[<>=!~\[;].*)?(?: @ \S+)?(?: \(from .*\))?"
    r"|  [A-Z][\w ]+? for (\S+)(?: \([\w. ]+\))?: started"
)


def is_of_pip(text: str) -> bool:
    """Tell whether a line is a step of an installation or a part of pip's messages."""
    forms = (_SIGN, _STEP, _THERE, _BOX, _CODE, _TITLE, _DULL)
    return any(form.fullmatch(text) for form in forms)


def pip(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Leave out the steps of an installation; the same rows if there is none."""
    del asked
    lines = raw_of(rows)
    signs = sum(_SIGN.fullmatch(texts[i]) is not None for i in lines)
    if signs < _FEWEST and not any(_BOX.fullmatch(texts[i]) for i in lines):
        return rows
    gone = {i for i in lines if _STEP.fullmatch(texts[i]) or _DULL.fullmatch(texts[i])}
    instead: dict[int, list[Row]] = {}
    _take_boxes(lines, texts, instead, gone)
    gone -= _packages(lines, texts, gone)
    there = [i for i in lines if _THERE.fullmatch(texts[i]) and _FROM.fullmatch(texts[i])]
    if len(there) >= _FEWEST:
        gone |= set(there)
        said = f"[{len(there)} requirements of other packages already satisfied]"
        instead[there[-1]] = [made(said, there)]
    return placed(rows, instead, gone)


def _packages(lines: list[int], texts: Texts, gone: set[int]) -> set[int]:
    """The steps that name the packages whose own programs failed, if nothing else does.

    What pip says of such a program need not: "the package mentioned above".
    """
    steps: dict[str, int] = {}  # the first of each package that failed
    step, name = -1, ""
    for index in lines:
        if match := _OF_PACKAGE.fullmatch(texts[index]):
            step, name = index, match[1] or match[2]
        elif step >= 0 and _BOX.fullmatch(texts[index]):
            steps.setdefault(name, step)
    others = "\n".join(texts[i] for i in lines if i not in gone or _TITLE.fullmatch(texts[i]))
    return {index for name, index in steps.items() if not has_words(others, name)}


def _take_boxes(
    lines: list[int], texts: Texts, instead: dict[int, list[Row]], gone: set[int]
) -> None:
    """Put the head of a message of pip into one line, and show it once."""
    told: set[str] = set()
    following = [i for i in lines if texts[i].strip()]
    for pos, index in enumerate(following):
        if not _BOX.fullmatch(texts[index]):
            continue
        box = [index, *following[pos + 1 : pos + 4]]
        title, code = (texts[box[n]] if n < len(box) else "" for n in (1, 2))
        if not (_TITLE.fullmatch(title) and (number := _CODE.fullmatch(code))):
            continue
        if title.strip() not in told:
            said = f"{texts[index].strip()} {title.strip()} exit code: {number[1]}"
            instead[index] = [whole(said, box[:3])]
        told.add(title.strip())
        gone |= set(box[:3])

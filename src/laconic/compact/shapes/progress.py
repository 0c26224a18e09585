"""Lines by which build tools say that they are at work, in the output of whatever runs them."""

from __future__ import annotations

from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.rows import made, placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_PROGRESS = pattern(
    # cargo
    r" +(?:Compiling|Checking|Documenting|Downloaded|Fresh) [\w-]+ v\d\S*(?: \(.*\))?"
    r"| +(?:Downloading crates \.\.\.|Updating crates\.io index|Blocking waiting for .*)"
    r"|Some errors have detailed explanations: .*"
    r"|For more information about (?:this|an) error, try .*"
    # Maven
    r"|\[INFO\] Download(?:ing|ed) from \S+: https?://\S+(?: \([^()]*\))?"
    r"|\[INFO\] (?:Scanning for projects\.\.\.|-{3,}|-+< \S+ >-+|-+\[ \w+ \]-+)?"
    r"|\[INFO\] --- \S+ \(.*\) @ .*"
    # CMake's makefiles, and ninja with CMake or Meson
    r"|\[ *\d+%\] (?:Building|Linking) \w+ .*"
    r"|\[\d+/\d+\] (?:Building|Linking|Compiling) \w+ (?:object|executable|static library"
    r"|shared library|target) .*"
    r"|-- (?:The \w+ compiler identification is .*|Detecting .* (?:info|features)(?: - done)?"
    r"|Check for working \w+ compiler: .* - (?:skipped|works))"
    # git
    r"|remote: (?:Enumerating|Counting|Compressing|Total) .*"
    r"|(?:Receiving|Unpacking) objects: .*|Resolving deltas: .*"
    # go
    r"|go: downloading \S+ v\S+|\?   \t\S+\t\[no test files\]"
)
# How many warnings a crate has, and how to let cargo mend some; all may be told of another target.
_WARNINGS = pattern(
    r"(?P<said>warning: `[^`]+` \([^()]*\) generated (?P<number>\d+) warnings?)"
    r"(?: \((?P<again>\d+) duplicates?\))?(?: \(run `cargo .*\))?"
)
# A crate of the project, which has its directory after it.
_OWN_CRATE = pattern(r"(?P<said> +(?:Compiling|Checking|Documenting) )(?P<crate>\S+ v\S+) \(/.*\)")
_FEWEST = 3


def progress(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Leave these lines out, if there are some, and cargo's advice after a sum of warnings.

    After a success the crates of the project are named, in one line.
    """
    lines = raw_of(rows)
    gone = {i for i in lines if _PROGRESS.fullmatch(texts[i])}
    gone = gone if len(gone) >= _FEWEST else set()
    instead: dict[int, list[Row]] = {}
    for index in lines:
        match = _WARNINGS.fullmatch(texts[index])
        if match and match["number"] == match["again"]:
            gone.add(index)
        elif match and match["said"] != texts[index]:
            instead[index] = [Shown(SHORT, match["said"], (index + 1,))]
    own = [(i, match) for i in lines if (match := _OWN_CRATE.fullmatch(texts[i]))]
    if own and not asked.status:
        names = dict.fromkeys(match["crate"] for _, match in own)
        gone.update(i for i, _ in own)
        instead[own[0][0]] = [made(own[0][1]["said"] + ", ".join(names), [i for i, _ in own])]
    return placed(rows, instead, gone)

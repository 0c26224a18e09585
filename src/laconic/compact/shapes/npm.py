"""The errors of npm without what follows every one of them: advice, usage and the names of logs.

https://docs.npmjs.com/cli/using-npm/logging says which logs it names.
"""

from __future__ import annotations

from laconic.compact.shapes.rows import placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_OF_NPM = pattern(
    r"npm (?:error|ERR!)(?:| 404| A complete log of this run can be found in:.*"
    r"| For a full report see:| +/\S+(?:-debug-\d+\.log|-report\.txt)"
    r"| node_modules/(?:@[^/\s]+/)?[^/\s]+"
    r"| 404 Note that you can also install from a| 404 tarball, folder, http url, or git url\."
    r"| To see a list of scripts, run:|   npm run)\s*"
)
_USAGE = pattern(r"npm (?:error|ERR!) Usage:")
# The lines of a usage: the command, its options, and what each of them is for.
_OF_USAGE = pattern(
    r"npm (?:error|ERR!)(?:| npm \S.*| Options:| \[-.*|   +-\S.*|     +\S.*| alias(?:es)?: .*"
    r"| Run \"npm help .*)"
)


def npm(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Leave out the advice, the usage and the names of logs that follow errors of npm."""
    del asked
    lines = raw_of(rows)
    gone = {i for i in lines if _OF_NPM.fullmatch(texts[i])}
    is_usage = False
    for index in lines:
        is_usage = is_usage or _USAGE.fullmatch(texts[index]) is not None
        if is_usage and not _USAGE.fullmatch(texts[index]):
            is_usage = _OF_USAGE.fullmatch(texts[index]) is not None
        if is_usage:
            gone.add(index)
    return placed(rows, {}, gone)

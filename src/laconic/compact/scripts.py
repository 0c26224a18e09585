"""Finds what the script of a package runs, in the line by which the package manager announces it.

npm and pnpm print `> name@version script` and below it `> command`; yarn 1 and bun print
`$ command`, yarn below its own version. What they print is what they run; where they print nothing,
package.json is read (`run/package_script`).
"""

from __future__ import annotations

from itertools import islice

from laconic.compact.filter import Filter
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_NAMED = pattern(r"> (?:@[\w.-]+/)?[\w.-]+(?:@\S+)? [\w:.-]+(?: \S.*)?")
_OF_NPM, _OF_OTHERS = pattern(r"> (\S.*)"), pattern(r"\$ (\S.*)")
_VERSION = pattern(r"yarn run v1\.\S+")
NAMES = (
    r"^> (?:@[\w.-]+/)?[\w.-]+@\S+ [\w:.-]+(?: /\S*)?$",
    r"^yarn run v1\.",
    r"^info Visit https://yarnpkg\.com/en/docs/cli/run for documentation about this command\.$",
)  # of a script
_FIRST = 12  # lines at the beginning, blank ones not counted, among which it must be


def without_name(wanted: Filter) -> Filter:
    """Return the same filter, which also leaves out the script's name that npm prints."""
    if wanted.is_row:
        return wanted
    table = {**wanted.table, "drop": [*wanted.table.get("drop", ()), *NAMES]}
    for branch in ("success", "failure"):
        own = wanted.table.get(branch, {})
        if "drop" in own:
            table[branch] = {**own, "drop": [*own["drop"], *NAMES]}
    return Filter(wanted.id, table, wanted.source)


def script_of(texts: Iterable[str]) -> str:
    """The only command line that is announced at the beginning; empty without one, or of several.

    texts: the lines of the output, as a terminal shows them.
    """
    first = list(islice(filter(str.strip, texts), _FIRST))
    if first and _VERSION.fullmatch(first[0]):
        del first[0]
        while first and first[0].startswith("warning "):  # about package.json
            del first[0]
    if first and (match := _OF_OTHERS.fullmatch(first[0])):
        return match[1]
    names = [pos for pos, text in enumerate(first[:-1]) if _NAMED.fullmatch(text)]
    found = [match[1] for pos in names if (match := _OF_NPM.fullmatch(first[pos + 1]))]
    return found[0] if len(found) == 1 and names[0] == 0 else ""

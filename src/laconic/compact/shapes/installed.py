"""Lists of packages with their versions: those of one state together, in few lines.

Beyond the budget versions are left out and libraries are counted, and so is what is left then.

dpkg-query(1), apt(8).
"""

from __future__ import annotations

from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.rows import made, placed, raw_of
from laconic.compact.tokens import estimate
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

BUDGET = 2200  # tokens, as estimated
_FEWEST = 8
_FEW_UPGRADES = 20  # packages that can be upgraded, of which the lines stay as they are
_DPKG = pattern(r"([uihrp][nicurhWtF][R ]?) +(\S+?)(?::\w+)? +(\S+) +(\S+) +(\S.*)")
_APT = pattern(r"([\w.+-]+)/(\S+) (\S+) (\S+)(?: \[([^\]]*)\])?")
_LIBRARY = pattern(
    r"lib[\w.+-]*|[\w.+-]+-(?:dev|doc|data|common|locales|dbg(?:sym)?)|fonts?-.*|gir1.*"
)
_WAY = pattern(r" (?:to|from)$")  # an upgrade: the versions tell
_OF_COUNT = 60  # tokens of the lines that count


class _Package:
    __slots__ = ("index", "name", "state", "version")

    def __init__(self, index: int, state: str, name: str, version: str) -> None:
        self.index, self.state, self.name, self.version = index, state, name, version


def installed(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show a list of dpkg or apt; lines of other kinds stay."""
    del asked
    found = [package for i in raw_of(rows) if (package := _read(i, texts[i]))]
    if len(found) < _FEWEST:
        return rows
    states: dict[str, list[_Package]] = {}
    for package in found:
        states.setdefault(package.state, []).append(package)
    usual = max(states, key=lambda state: len(states[state]))
    shown: list[Row] = []
    left = BUDGET
    for state in sorted(states, key=lambda state: (len(states[state]), state)):
        some = states[state]
        if any(" -> " in package.version for package in some) and len(some) <= _FEW_UPGRADES:
            # these lines say what can be upgraded, and to what
            shown += [package.index for package in some]
            continue
        few = [] if state == usual else [f"{state}:"]
        part = _lines(states[state], few, left)
        left -= sum(estimate(row.text) for row in part)
        shown += part
    if usual:
        shown.append(made(f"[all {usual} unless said]", [states[usual][0].index]))
    return placed(rows, {found[0].index: shown}, {package.index for package in found})


def _read(index: int, text: str) -> _Package | None:
    if match := _DPKG.fullmatch(text):
        return _Package(index, match[1].strip(), match[2], match[3])
    if match := _APT.fullmatch(text):
        state, is_upgrade, other = (match[5] or "").partition(": ")
        versions = [match[3], other] if state.endswith("to") else [other, match[3]]
        version = " -> ".join(versions) if is_upgrade else match[3]
        return _Package(index, _WAY.sub("", state), match[1], version)
    return None


def _lines(packages: list[_Package], start: list[str], budget: int) -> list[Shown]:
    """As much as there is room for: names with versions, or names alone, and how many are left."""
    every = [package.index + 1 for package in packages]
    for text in (
        ", ".join(f"{package.name} {package.version}" for package in packages),
        ", ".join(f"{p.name} {p.version.rpartition(' -> ')[2]}" for p in packages),
        " ".join(package.name for package in packages),
    ):
        if estimate(text) <= budget:
            return [Shown(SHORT, " ".join([*start, text]), every)]
    names: dict[int, str] = {}
    cost = _OF_COUNT
    for package in packages:
        if not _LIBRARY.fullmatch(package.name):
            cost += estimate(package.name) + 1
            if cost > budget:
                break
            names[package.index] = package.name
    shown = [Shown(SHORT, " ".join([*start, *names.values()]), [i + 1 for i in names])]
    others = [p.index for p in packages if p.index not in names]
    many = sum(_LIBRARY.fullmatch(p.name) is not None for p in packages)
    said = f"{len(packages)} packages, without versions; {len(others)} are not named"
    libraries = f", {many} libraries, data and documentation among them" if many else ""
    return [*shown, made(f"[{said}{libraries}]", others)]

"""Findings of compilers, linters and type checkers: place, rule and message of each, in one line.

What is found in many places is shown once, followed by the other places; files with the same
findings are shown once, and those that a linter lists below the name of their file stay below it.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from laconic.compact.shapes.finding import read_findings
from laconic.compact.shapes.folded_names import folded, joined
from laconic.compact.shapes.rows import made, placed, raw_of, text_of, whole
from laconic.compact.tokens import estimate
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.finding import Finding
    from laconic.compact.shapes.rows import Texts

# What differs in the messages of one rule: what is quoted or in brackets, numbers, names.
_VARIED = pattern(
    r"`[^`]*`|'[^']*'|\"[^\"]*\"|\u2018[^\u2019]*\u2019|\b\d+ > \d+\b|\(\d+/\d+\)|\([\w.]+\)"
    r"|\b\d+\b|\b\w*_\w+\b"
)
_MANY = 2
_LONG_DIRECTORY = 12  # characters; that of several places is told once
_MANY_FINDINGS = 40  # of which those without a rule that say the same of other names are one
_MANY_OF_RULE = 10  # whose places are not told where there are very many findings
_MOST_FILES = 80  # of a directory that are named with their numbers
_MOST_NAMES = 60  # in which messages of one rule differ
_MOST = 3000  # tokens of all findings with all their places
_MANY_VARIED = 3  # fewer messages that differ in a name are told one by one, each whole

_OF_SUCCESS = 1500  # tokens that findings may cost where a failure has more room anyway


def findings(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show findings in one line each, those of one rule together."""
    lines = raw_of(rows)
    all_findings = list(read_findings(lines, texts, asked))
    if not all_findings:
        return rows
    gone: set[int] = set()
    for finding in all_findings:
        gone |= {*finding.lines, *finding.hidden}
        gone |= {row for row in finding.below if isinstance(row, int)}
    distinct, instead = _without_equal_files(all_findings)
    laid_out = _laid_out(_groups(distinct, texts), texts)
    if any(finding.is_listed for finding in distinct):
        by_file = _laid_out(_groups(distinct, texts, by_file=True), texts)
        laid_out = min(laid_out, by_file, key=lambda rows: _cost(rows, texts))
    instead |= laid_out
    if _cost(instead, texts) > _MOST:
        instead = _digest(all_findings, texts)
    asked.allow(_OF_SUCCESS if not asked.status else 0)
    return placed(rows, instead, gone)


def _laid_out(groups: list[list[Finding]], texts: Texts) -> dict[int, list[Row]]:
    """Groups at the place of the first finding of each, or below the name of their file."""
    listed = _listed(groups)
    instead: dict[int, list[Row]] = {}
    for group in groups:
        if group[0].path not in listed or not _is_listed(group):
            instead[min(group[0].lines)] = _rows(group, texts)
    for path, found in listed.items():
        first = found[0][0]
        instead[min(first.lines)] = [whole(path, first.lines), *map(_below_file, found)]
    return instead


def _below_file(group: list[Finding]) -> Row:
    """A group in one line, without the name of the file."""
    first, *others = group
    return _row(f"{first.mark[1:]} {first.said}{_also(group, others)}", group)


def _cost(instead: dict[int, list[Row]], texts: Texts) -> int:
    said = (
        texts[row] if isinstance(row, int) else row.text
        for some in instead.values()
        for row in some
    )
    return estimate("\n".join(said))


def _digest(all_findings: list[Finding], texts: Texts) -> dict[int, list[Row]]:
    """Of very many how many each file has; of the largest groups, until it is enough, no places."""
    groups = {min(group[0].lines): group for group in _groups(all_findings, texts)}
    instead = {start: _rows(group, texts) for start, group in groups.items()}
    costs = {start: _cost({start: rows}, texts) for start, rows in instead.items()}
    for start in sorted(groups, key=lambda start: -costs[start]):
        if sum(costs.values()) <= _MOST or len(groups[start]) < _MANY_OF_RULE:
            break
        instead[start] = [_without_places(groups[start], texts)]
        costs[start] = _cost({start: instead[start]}, texts)
    last = max(index for finding in all_findings for index in finding.lines)
    by_directory: dict[str, Counter[str]] = {}
    for finding in all_findings:
        directory, slash, name = finding.path.rpartition("/")
        by_directory.setdefault(directory + slash, Counter())[name] += 1
    total = f"[{len(all_findings)} findings, for each file:]"
    told = [total, *(_counted(name, files) for name, files in by_directory.items())]
    instead.setdefault(last, []).extend(made(text, [last]) for text in told)
    return instead


def _without_places(group: list[Finding], texts: Texts) -> Row:
    """The first finding of a group, how many others there are, and the names in them."""
    first, *others = group
    files = len({finding.path for finding in group})
    more = f" +{len(others)} [in {files} file{'s' if files > 1 else ''}]{_others_named(group)}"
    indexes = [index for finding in group for index in finding.lines]
    return made(_written(first, texts) + more, indexes)


def _others_named(group: list[Finding]) -> str:
    """The names in which the messages of others differ from that of the first, if they do."""
    differing = _differing(group)
    if not differing:
        return ""
    _, *names = dict.fromkeys(_VARIED.findall(f.text)[differing[0]] for f in group)
    left = len(names) - _MOST_NAMES
    return f": {' '.join(names[:_MOST_NAMES])}{f' [and {left} other names]' if left > 0 else ''}"


def _counted(directory: str, files: Counter[str]) -> str:
    some = files.most_common(_MOST_FILES) if len(files) > _MOST_FILES else files.items()
    names = " ".join(f"{name} [{number}]" for name, number in some)
    if len(files) > _MOST_FILES:
        names += f" [and {len(files) - _MOST_FILES} files with fewer]"
    return f"{directory}: {names}" if directory else names


def _without_equal_files(
    all_findings: list[Finding],
) -> tuple[list[Finding], dict[int, list[Row]]]:
    """Findings of files that are unlike all before them, and what is said of the other files."""
    files: dict[str, list[Finding]] = {}
    for finding in all_findings:
        files.setdefault(finding.path, []).append(finding)
    alike: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for path, found in files.items():
        if len(found) >= _MANY and not any(finding.below for finding in found):
            key = tuple((f.mark, f.level, f.code, f.rule, f.text) for f in found)
            alike.setdefault(key, []).append(path)
    said: dict[int, list[Row]] = {}
    told: set[str] = set()
    for first, *others in alike.values():
        if others:
            told.update(others)
            count = len(files[first])
            text = f"{joined(others)} [the same {count} findings as in {first}]"
            same = [finding for path in others for finding in files[path]]
            said[min(index for finding in same for index in finding.lines)] = [_row(text, same)]
    return [finding for finding in all_findings if finding.path not in told], said


def _listed(groups: list[list[Finding]]) -> dict[str, list[list[Finding]]]:
    """Groups that stay below the name of their file: where it has several of its own."""
    files: dict[str, list[list[Finding]]] = {}
    for group in groups:
        if _is_listed(group):
            files.setdefault(group[0].path, []).append(group)
    for found in files.values():
        found.sort(key=lambda group: group[0].lines)
    return {path: found for path, found in files.items() if len(found) >= _MANY}


def _is_listed(group: list[Finding]) -> bool:
    return group[0].is_listed and len({finding.path for finding in group}) == 1


def _groups(
    all_findings: list[Finding], texts: Texts, *, by_file: bool = False
) -> list[list[Finding]]:
    """Findings that say the same, or that do in one file, in the order of the first of each."""
    groups: dict[tuple[str, ...], list[Finding]] = {}
    key: tuple[str, ...]
    told: dict[tuple[str, str, str], set[str]] = {}  # what is below each
    notes = Counter(finding.text for finding in all_findings if finding.level == "note")
    said: dict[str, str] = {}  # what is found at each place
    for finding in all_findings:
        if finding.level == "note" and finding.text in said.get(finding.place, ""):
            continue  # the last step on the way to a mistake, as cppcheck writes it
        said[finding.place] = f"{said.get(finding.place, '')}\n{finding.text}"
        whole_text = (finding.place, finding.code + finding.rule, finding.text)
        below = {_plain(texts[row]) for row in finding.below if isinstance(row, int)}
        if whole_text in told:  # once is enough, unless more is below it the second time
            if not below <= told[whole_text]:
                told[whole_text] |= below
                groups[*whole_text, str(len(groups))] = [finding]
            continue
        told[whole_text] = below
        rule = finding.code + finding.rule
        key = (finding.level, rule, _VARIED.sub("\0", finding.text))
        if not rule and len(all_findings) <= _MANY_FINDINGS:
            key = (finding.level, finding.text)
        is_of_another = finding.level == "note" and notes[finding.text] < _MANY_VARIED
        if is_of_another or _tells_more(finding, texts):
            key = (*key, finding.place)
        elif finding.below:
            key = (finding.level, rule, finding.text)
        if by_file:
            key = (*key, finding.path)
        groups.setdefault(key, []).append(finding)
    return [part for group in groups.values() for part in _parts(group)]


def _tells_more(finding: Finding, texts: Texts) -> bool:
    """Tell whether there is more below a finding than the source that it is about."""
    return any(text_of(row, texts) not in finding.excerpt for row in finding.below)


def _parts(group: list[Finding]) -> list[list[Finding]]:
    """All of them if one name is all that differs in many; else those with the same message."""
    if len(group) >= _MANY_VARIED and len(_differing(group)) == 1:
        return [group]
    same: dict[str, list[Finding]] = {}
    for finding in group:
        same.setdefault(finding.text, []).append(finding)
    return list(same.values())


def _differing(group: list[Finding]) -> list[int]:
    """Which of the names in their messages are not the same in all."""
    columns = zip(*(_VARIED.findall(finding.text) for finding in group), strict=True)
    return [pos for pos, names in enumerate(columns) if len(set(names)) > 1]


def _rows(group: list[Finding], texts: Texts) -> list[Row]:
    """The first finding as it was written, then the places of the others."""
    first, *others = group
    text = _written(first, texts)
    if not others:
        is_line = len(first.lines) == 1 and text == texts[first.lines[0]]
        line: Row = first.lines[0] if is_line else _row(text, group)
        return [line, *first.below]
    return [_row(f"{text}{_also(group, others)}", group), *first.below]


def _row(text: str, group: list[Finding]) -> Row:
    row = made if any(finding.is_cut for finding in group) else whole
    return row(text, [index for finding in group for index in finding.lines])


def _also(group: list[Finding], others: list[Finding]) -> str:
    """How many others there are, and where."""
    if not others:
        return ""
    differing = _differing(group)
    told = (lambda said: _VARIED.findall(said)[differing[0]]) if differing else None
    return f" +{len(others)}: {_places(group[0].path, others, told)}"


def _written(finding: Finding, texts: Texts) -> str:
    """A finding in one line, with its file."""
    is_line = len(finding.lines) == 1 and finding.path in texts[finding.lines[0]]
    is_line = is_line and not finding.is_cut
    if is_line:
        return texts[finding.lines[0]]
    return finding.written or f"{finding.place} {finding.said}"


def _places(
    path: str, others: list[Finding], difference: Callable[[str], str] | None = None
) -> str:
    """`:1:12, b.py:3:29`, each with what differs there, if anything; path: that of the first."""
    files: dict[str, dict[str, None]] = {}
    for finding in others:
        own = f" {difference(finding.text)}" if difference else ""
        files.setdefault(finding.path, {})[f"{finding.mark}{own}"] = None
    alike: dict[str, list[str]] = {}
    for name, places in files.items():
        alike.setdefault(" ".join(places), []).append("" if name == path else name)
    told = (f"{name}{marks}" for marks, names in alike.items() for name in folded(names))
    found: list[str] = []
    for directory, group in groupby(told, _directory):
        names = [text[len(directory) :] for text in group]
        if len(names) >= _MANY and len(directory) >= _LONG_DIRECTORY:
            found.append(f"{directory}{{{', '.join(names)}}}")
        else:
            found += [f"{directory}{name}" for name in names]
    return ", ".join(found)


def _directory(place: str) -> str:
    return place[: place.partition(":")[0].rfind("/") + 1]


def _plain(text: str) -> str:
    """A line without the prefix that Maven gives it the second time."""
    return text.removeprefix("[ERROR] ")

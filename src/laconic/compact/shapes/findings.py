"""Findings of compilers, linters and type checkers: place, rule and message of each, in one line.

What is found in many places is told once with all of them. Source excerpts, carets, notes on
library code and advice go; of an error its own source line and what is written below it stay.
"""

from __future__ import annotations

from itertools import pairwise

from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.rows import made, placed, raw_of, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator
    from typing import TypeAlias

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

    Match: TypeAlias = re.Match[str]

_FILE = r"(?P<path>(?:[A-Za-z]:)?[\w.@+~/\\()$-]*\w(?:\.\w+)?)"
# `a.c:5:4: error: text`, `a.py:3: text`, `a.ts:3:5 - error TS1: text`; a text that is indented is
# the line of a file, which a search has found
_ONE = pattern(
    rf"{_FILE}:(?P<line>\d+)(?::(?P<column>\d+))?(?::| -)"
    r"(?: |\s+(?=(?:fatal|error|warning|note|info|style)\b))(?P<rest>\S.*)"
)
# `a.ts(3,5): error TS1: text`
_TWO = pattern(rf"{_FILE}\((?P<line>\d+),(?P<column>\d+)\):\s+(?P<rest>\S.*)")
# `[ERROR] /src/A.java:[5,33] text`
_MAVEN = pattern(
    r"\[(?P<level>ERROR|WARNING)\] (?P<path>/\S+?):\[(?P<line>\d+),(?P<column>\d+)\] (?P<rest>\S.*)"
)
_ARROW = pattern(r"\s*-->\s+(?P<path>\S.*?):(?P<line>\d+):(?P<column>\d+)\s*")
_HEADER = pattern(
    r"(?P<rule>[A-Z]{1,6}\d{2,5}|invalid-syntax:?)(?P<fix> \[\*\])? (?P<ruled>\S.*)"
    r"|(?P<level>error|warning)(?:\[(?P<code>[\w:-]+)\])?: (?P<text>\S.*)"
)
# below the name of a file: `  3:5  error  text  rule`
_BELOW = pattern(
    r"\s+(?P<line>\d+):(?P<column>\d+)\s+(?P<level>error|warning|info|✖|⚠|\u00d7)\s+"
    r"(?P<text>\S.*?)(?:\s{2,}\(?(?P<rule>[@\w/:-]+)\)?)?\s*"
)
_HEADING = pattern(r"(?:\./|/)?[\w.@+~/-]*\w\.\w+|\S*/\S+")
_LEVEL = pattern(
    r"(?P<level>fatal error|error|warning|note|info|style|remark|hint)(?: |:)\s*(?P<text>.*)"
)
_RULE_FIRST = pattern(r"(?P<rule>[A-Z]{1,6}\d{2,6})[:\s]\s*(?P<text>\S.*)")
_RULE_LAST = pattern(r"(?P<text>.*\S)\s+(?P<rule>\[[\w.:=+/-]+\]|\([a-z][\w./-]*\))")
_GUTTER = pattern(r"\s*>?\s*\d*\s*[|│](?:\s.*)?|\s*\d+ [-+~](?: .*)?|\s*\d+ [|│] .*|\s*\.\.\.\s*")
_SOURCE = pattern(r"\s*>?\s*(\d+)\s*[|│] ?(.*)")
_CARETS = pattern(r"[\s|│]*[\^~¯‾_|/\\-]*[\^~¯‾][\s\^~¯‾_|/\\-]*")
_LABEL = pattern(r"\s*[|│][\s|_^~/\\-]*([^\s|^~_/\\-].*?)[\s^~-]*")
_RULE_OF_LINT = pattern(r"#\[(?:warn|deny)\((?:clippy::)?(\w+)\)\]|index\.html#(\w+)")
# What a compiler writes below the place of a finding; any other line there is somebody else's.
_OF_BLOCK = pattern(
    r"\s*= (?:\w+: )?.*|(?:help|note): .*|\s*(?:-->|:::|\u256d|\u2570).*|\s*docs: https?://.*"
)
_CONTINUED = pattern(r"\s{8,}\S.*")  # of a note over several lines
_REPLACED = pattern(r"\s{2,}[-+] .*")  # between the numbered lines of a change that is proposed
_DULL = pattern(
    r"\s*= (?:help: for further information visit|note: `#\[|note: `-[DW] |help: to override)\S*.*"
    r"|help: .*|\s*= (?:note|help): (?:for more information|see ).*"
)
_NOTE = pattern(r"\s+= (?:note|help): (.*)")
_CONTEXT = pattern(
    r"In file included from .*|\s+from \S+:\d+[:,]$|\S+: At global scope:"
    r"|\S+: In (?:function|member function|static member|instantiation|substitution|constructor"
    r"|destructor|lambda).*"
)
_DULL_NOTE = pattern(
    r"note:\s+(?:candidate|template argument|each undeclared identifier|in expansion of macro"
    r"|in definition of macro|expanded from|declared here|previous (?:declaration|definition)"
    r"|no known conversion|.* is not derived from|candidate template ignored).*"
)
_HERE = pattern(r".*:\s+required from here\s*")
_REQUIRED = pattern(r".*:\s+(?:recursively )?required (?:from|by) .*")
_FOREIGN = pattern(
    r"(?:/usr/|/opt/|/nix/|/Library/|[A-Z]:\\Program).*"
    r"|.*(?:site-packages|node_modules|\.cargo/registry|/go/pkg/mod)/.*"
)
_VARIED = pattern(
    r"`[^`]*`|'[^']*'|\"[^\"]*\"|\u2018[^\u2019]*\u2019|\(\d+ > \d+\)|\(\d+/\d+\)|\b\d+\b"
)
_MANY = 2
_LONGEST = 160  # characters of an instantiation
_ERRORS = ("error", "fatal error", "✖", "\u00d7", "ERROR")


class Finding:
    """One finding. lines: those that are told by it; below: rows that stay under it."""

    __slots__ = ("below", "column", "hidden", "level", "line", "lines", "path", "rule", "text")

    def __init__(self, path: str, line: str, column: str | None, lines: list[int]) -> None:
        self.path, self.line, self.column, self.lines = path, line, column or "", lines
        self.level = self.rule = self.text = ""
        self.below: list[Row] = []
        self.hidden: list[int] = []

    @property
    def place(self) -> str:
        return f"{self.path}:{self.short_place}"

    @property
    def short_place(self) -> str:
        return f"{self.line}:{self.column}" if self.column else self.line

    @property
    def is_error(self) -> bool:
        return self.level in _ERRORS

    @property
    def said(self) -> str:
        """Level, rule and message, as they were written."""
        level = f"{self.level}:" if self.level and self.level not in ("✖", "\u00d7") else ""
        return " ".join(filter(None, (level, self.rule, self.text)))


def findings(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show findings in one line each, those of one rule together."""
    lines = raw_of(rows)
    found = list(_read(lines, texts, asked))
    if not found:
        return rows
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    for finding in found:
        gone |= {*finding.lines, *finding.hidden}
        gone |= {row for row in finding.below if isinstance(row, int)}
    for group in _groups(found, texts):
        first = min(group[0].lines)
        instead[first] = _rows(group, texts)
    return placed(rows, instead, gone)


# -- reading ---------------------------------------------------------------------------------------


def _read(lines: list[int], texts: Texts, asked: Asked) -> Iterator[Finding]:
    pos, heading = 0, ""
    head_index = -1
    while pos < len(lines):
        text = texts[lines[pos]]
        following = texts[lines[pos + 1]] if pos + 1 < len(lines) else ""
        finding: Finding | None = None
        if (arrow := _ARROW.fullmatch(following)) and (header := _HEADER.fullmatch(text)):
            finding, pos = _of_arrow(header, arrow, lines, pos, texts, asked)
        elif heading and (below := _BELOW.fullmatch(text)):
            finding = _of_below(heading, below, lines[pos])
            if head_index >= 0:
                finding.lines.append(head_index)
                head_index = -1
            pos += 1
        elif match := _ONE.fullmatch(text) or _TWO.fullmatch(text) or _MAVEN.fullmatch(text):
            if _is_file(match["path"]) and not match["rest"].startswith("required "):
                finding, pos = _of_line(match, lines, pos, texts, asked)
            else:
                pos += 1
        else:
            is_heading = bool(_HEADING.fullmatch(text) and _BELOW.fullmatch(following))
            heading, head_index = (
                (text, lines[pos])
                if is_heading
                else (
                    heading if not text.strip() or _BELOW.fullmatch(text) else "",
                    head_index if not is_heading and not text.strip() else -1,
                )
            )
            pos += 1
        if finding is not None:
            yield finding


def _is_file(path: str) -> bool:
    return "." in path.rsplit("/", 1)[-1] or "/" in path or path in ("Makefile", "Dockerfile")


def _of_arrow(
    header: Match, arrow: Match, lines: list[int], pos: int, texts: Texts, asked: Asked
) -> tuple[Finding, int]:
    finding = Finding(arrow["path"], arrow["line"], arrow["column"], [lines[pos], lines[pos + 1]])
    finding.level = header["level"] or ""
    code = header["code"]
    finding.rule = header["rule"] or (code and f"[{code}]") or ""
    finding.rule += header["fix"] or ""
    finding.text = header["ruled"] or header["text"]
    pos += 2
    is_excerpt = is_note = False
    while pos < len(lines):
        text = texts[lines[pos]]
        if not text.strip():
            finding.hidden.append(lines[pos])
            pos += 1
            break
        is_excerpt = bool(
            _GUTTER.fullmatch(text)
            or _CARETS.fullmatch(text)
            or ((is_excerpt or is_note) and _REPLACED.fullmatch(text))
        )
        is_note = bool(_OF_BLOCK.fullmatch(text) or (is_note and _CONTINUED.fullmatch(text)))
        if is_excerpt or is_note:
            _take(
                finding, lines[pos], text, is_wrong=bool(asked.status and asked.pinned[lines[pos]])
            )
        elif not text[0].isspace() and not text[0].isdigit():
            break
        pos += 1
    return finding, pos


def _take(finding: Finding, index: int, text: str, *, is_wrong: bool) -> None:
    """A line of the block below a finding; is_wrong: it says what is wrong, after a failure."""
    if rule := _RULE_OF_LINT.search(text):
        name = rule[1] or rule[2]
        if name not in finding.rule:
            finding.rule = f"{finding.rule} {name}".strip()
        finding.hidden.append(index)
        return
    if _ARROW.fullmatch(text):
        finding.below.append(index)
        return
    source, label = _SOURCE.fullmatch(text), _LABEL.fullmatch(text)
    note = _NOTE.fullmatch(text)
    tells = finding.is_error or is_wrong
    if label and not source and (tells or label[1].startswith("help:")):
        finding.text += f"; {label[1].strip()}"
        finding.hidden.append(index)
    elif (
        (finding.is_error and source and source[1] == finding.line)
        or (finding.is_error and note and not _DULL.fullmatch(text))
        or (finding.is_error and (text.startswith(("help:", "note:")) or _ARROW.fullmatch(text)))
    ):
        finding.below.append(index)
    else:
        finding.hidden.append(index)


def _of_below(heading: str, match: Match, index: int) -> Finding:
    finding = Finding(heading, match["line"], match["column"], [index])
    finding.level, finding.text, finding.rule = match["level"], match["text"], match["rule"] or ""
    return finding


def _of_line(
    match: Match, lines: list[int], pos: int, texts: Texts, asked: Asked
) -> tuple[Finding, int]:
    """A finding of one line, and the excerpt below it."""
    finding = Finding(match["path"], match["line"], match["column"], [lines[pos]])
    rest = match["rest"]
    finding.level = match.groupdict().get("level") or ""
    if level := _LEVEL.fullmatch(rest):
        finding.level, rest = level["level"], level["text"]
    if (rule := _RULE_FIRST.fullmatch(rest)) or (rule := _RULE_LAST.fullmatch(rest)):
        finding.rule, rest = rule["rule"], rule["text"]
    finding.text = rest
    pos += 1
    while pos < len(lines):
        taken = _excerpt(finding, lines, pos, texts, asked)
        taken = taken or _continued(finding, lines[pos], texts)
        if not taken:
            break
        pos += taken
    return finding, pos


def _continued(finding: Finding, index: int, texts: Texts) -> int:
    """Whether a line says more of the finding above it: `  symbol: class X`."""
    text = texts[index]
    if not text[:1].isspace() or not text.strip() or _is_start(text) or _BELOW.fullmatch(text):
        return 0
    if not finding.is_error:
        return 0
    finding.below.append(index)
    return 1


def _excerpt(finding: Finding, lines: list[int], pos: int, texts: Texts, asked: Asked) -> int:
    """How many lines from here on are an excerpt of the source."""
    text = texts[lines[pos]]
    following = texts[lines[pos + 1]] if pos + 1 < len(lines) else ""
    source = _SOURCE.fullmatch(text)
    if source and source[1]:
        is_own = finding.is_error and source[1] == finding.line
        (finding.below if is_own else finding.hidden).append(lines[pos])
        return 1
    if _CARETS.fullmatch(text) or (text.strip() and _GUTTER.fullmatch(text)):
        finding.hidden.append(lines[pos])
        return 1
    is_source = bool(following.strip()) and _CARETS.fullmatch(following) is not None
    if is_source and text[:1].isspace() and not _is_start(text):
        # without a number nothing tells the source from what another program says
        is_shown = finding.is_error or asked.pinned[lines[pos]]
        (finding.below if is_shown else finding.hidden).append(lines[pos])
        finding.hidden.append(lines[pos + 1])
        return 2
    return 0


def _is_start(text: str) -> bool:
    return any(form.fullmatch(text) for form in (_ONE, _TWO, _MAVEN))


# -- showing ---------------------------------------------------------------------------------------


def _groups(found: list[Finding], texts: Texts) -> list[list[Finding]]:
    """Findings that say the same, in the order of the first of each."""
    groups: dict[tuple[str, ...], list[Finding]] = {}
    key: tuple[str, ...]
    told: dict[tuple[str, str, str], set[str]] = {}  # what stands below each
    for finding in found:
        whole_text = (finding.place, finding.rule, finding.text)
        below = {texts[row] for row in finding.below if isinstance(row, int)}
        if whole_text in told:  # once is enough, unless more is below it the second time
            if not below <= told[whole_text]:
                told[whole_text] |= below
                groups[*whole_text, str(len(groups))] = [finding]
            continue
        told[whole_text] = below
        key = (finding.level, finding.rule, _VARIED.sub("…", finding.text))
        if not finding.rule:
            key = (finding.level, finding.text)
        if finding.below or finding.level == "note":
            key = (*key, finding.place)
        groups.setdefault(key, []).append(finding)
    return list(groups.values())


def _rows(group: list[Finding], texts: Texts) -> list[Row]:
    first = group[0]
    indexes = [index for finding in group for index in finding.lines]
    if len(group) < _MANY:
        is_line = len(first.lines) == 1 and first.path in texts[first.lines[0]]
        line: Row = first.lines[0] if is_line else whole(f"{first.place} {first.said}", indexes)
        return [line, *first.below]
    same = {finding.text for finding in group}
    if len(same) == 1:
        places = _places(group)
        return [whole(f"{first.said} x{len(group)}: {places}", indexes)]
    start = _VARIED.sub("…", first.text)
    told = ", ".join(f"{f.place} {_difference(f.text)}" for f in group)
    level = f"{first.level}:" if first.level else ""
    said = " ".join(filter(None, (level, first.rule, start)))
    return [whole(f"{said} x{len(group)}: {told}", indexes)]


def _places(group: list[Finding]) -> str:
    """`a.py:1:8 :1:12, b.py:3:29`."""
    files: dict[str, list[str]] = {}
    for finding in group:
        files.setdefault(finding.path, []).append(finding.short_place)
    parts = [f"{path}:{' :'.join(dict.fromkeys(places))}" for path, places in files.items()]
    return ", ".join(parts)


def _difference(text: str) -> str:
    return " ".join(_VARIED.findall(text))


# -- notes and instantiations ----------------------------------------------------------------------


def notes(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Count a compiler's notes and what leads to an error inside of a library."""
    del asked
    lines = raw_of(rows)
    found = [i for i in lines if _is_note(texts[i])]
    context = [i for i in lines if _CONTEXT.fullmatch(texts[i])]
    steps = [i for i in lines if _REQUIRED.fullmatch(texts[i])]
    if not found and not context and not steps:
        return rows
    keep: dict[int, Row] = {}
    for before, here in pairwise(lines):
        if _HERE.fullmatch(texts[here]) and not _FOREIGN.fullmatch(texts[here]):
            text = texts[before]
            keep[here] = here
            if before in steps:
                keep[before] = (
                    Shown(SHORT, f"{text[:_LONGEST]}…", (before + 1,))
                    if len(text) > _LONGEST
                    else before
                )
    gone = {i for i in (*found, *context, *steps) if i not in keep}
    excerpts = _below(lines, gone, texts)
    instead: dict[int, list[Row]] = {i: [row] for i, row in keep.items()}
    if len(found) + len(steps) > len(keep):
        last = max(gone)
        counted = [
            (len(found), "notes"),
            (len(steps) - len([i for i in keep if i in steps]), "steps of instantiation"),
        ]
        said = " and ".join(f"{number} {name}" for number, name in counted if number)
        instead[last] = [made(f"[{said} hidden]", [last])]
    return placed(rows, instead, gone | excerpts)


def _is_note(text: str) -> bool:
    """Tell whether a line is a note that explains an error and names none."""
    match = _ONE.fullmatch(text)
    return bool(match and _DULL_NOTE.fullmatch(match["rest"]))


def _below(lines: list[int], gone: set[int], texts: Texts) -> set[int]:
    """The excerpts of lines that go."""
    found: set[int] = set()
    is_inside = False
    for index in lines:
        text = texts[index]
        is_excerpt = bool(text.strip()) and bool(_GUTTER.fullmatch(text) or _CARETS.fullmatch(text))
        if is_inside and is_excerpt:
            found.add(index)
        else:
            is_inside = index in gone
    return found

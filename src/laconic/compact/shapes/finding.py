"""One finding of a compiler, linter or type checker, and how it is read from an output's lines.

The source excerpt and the advice below a finding belong to it. An error keeps its own source line
and what is written below it.
"""

from __future__ import annotations

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
AT_PLACE = pattern(
    rf"{_FILE}(?P<mark>:(?P<line>\d+)(?::\d+)?)(?::| -)"
    r"(?: |\s+(?=(?:fatal|error|warning|note|info|style)\b))(?P<rest>\S.*)"
)
# `a.ts(3,5): error TS1: text`
_IN_PARENTHESES = pattern(rf"{_FILE}(?P<mark>\((?P<line>\d+),\d+\)):\s+(?P<rest>\S.*)")
# `[ERROR] /src/A.java:[5,33] text`
_MAVEN = pattern(
    r"\[(?P<level>ERROR|WARNING)\] (?P<path>/\S+?)(?P<mark>:\[(?P<line>\d+),\d+\]) (?P<rest>\S.*)"
)
_ARROW = pattern(r"\s*-->\s+(?P<path>\S.*?)(?P<mark>:(?P<line>\d+):\d+)\s*")
_HEADER = pattern(
    r"(?P<rule>[A-Z]{1,6}\d{2,5}|invalid-syntax:?|unformatted:?)(?P<fix> \[\*\])? (?P<ruled>\S.*)"
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
_LABEL = pattern(r"\s*[|│][\s|_^~/\\+-]*([^\s|^~_/\\+-].*?)[\s^~+-]*")
_RULE_OF_LINT = pattern(r"#\[(?:warn|deny)\((?:clippy::)?(\w+)\)\]|index\.html#(\w+)")
# What a compiler writes below the place of a finding; any other line is another program's.
_OF_BLOCK = pattern(
    r"\s*= (?:\w+: )?.*|(?:help|note): .*|\s*(?:-->|:::|\u256d|\u2570).*|\s*docs: https?://.*"
)
_SKIPPED = pattern(r"-{40,}")  # between two parts of an excerpt
_CONTINUED = pattern(r"\s{8,}\S.*")  # of a note over several lines
_REPLACED = pattern(r"\s{2,}[-+] .*")  # between the numbered lines of a change that is proposed
_DULL = pattern(
    r"\s*= (?:help: for further information visit|note: `#\[|note: `-[DW] |help: to override)\S*.*"
    r"|help: .*|\s*= (?:note|help): (?:for more information|see ).*"
)
_NOTE = pattern(r"\s+= (?:note|help): (.*)")
_ERRORS = ("error", "fatal error", "✖", "\u00d7", "ERROR")


class Finding:
    """One finding. lines: the lines that it is shown for; below: rows that stay under it.

    mark: the place behind the path, `:3:5` or `(3,5)`. is_listed: it is below the name of its file.
    """

    __slots__ = (
        "below", "excerpt", "hidden", "is_listed", "level", "line", "lines", "mark", "path", "rule",
        "text",
    )  # fmt: skip

    def __init__(self, path: str, mark: str, line: str, lines: list[int]) -> None:
        self.path, self.mark, self.line, self.lines = path, mark, line, lines
        self.level = self.rule = self.text = ""
        self.below: list[Row] = []
        self.hidden: list[int] = []
        self.is_listed = False
        self.excerpt: set[str] = set()  # the lines of it that are below

    @property
    def place(self) -> str:
        return f"{self.path}{self.mark}"

    @property
    def is_error(self) -> bool:
        return self.level in _ERRORS

    @property
    def said(self) -> str:
        """Level, rule and message, as they were written."""
        level = f"{self.level}:" if self.level and self.level not in ("✖", "\u00d7") else ""
        return " ".join(filter(None, (level, self.rule, self.text)))


def read_findings(lines: list[int], texts: Texts, asked: Asked) -> Iterator[Finding]:
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
        elif (
            match := AT_PLACE.fullmatch(text)
            or _IN_PARENTHESES.fullmatch(text)
            or _MAVEN.fullmatch(text)
        ):
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
    finding = Finding(arrow["path"], arrow["mark"], arrow["line"], [lines[pos], lines[pos + 1]])
    finding.level = header["level"] or ""
    code = header["code"]
    finding.rule = header["rule"] or (code and f"[{code}]") or ""
    finding.rule += header["fix"] or ""
    finding.text = header["ruled"] or header["text"]
    pos += 2
    in_excerpt, in_note = True, False
    while pos < len(lines):
        text = texts[lines[pos]]
        if not text.strip():
            finding.hidden.append(lines[pos])
            pos += 1
            break
        is_of_change = _REPLACED.fullmatch(text) or _SKIPPED.fullmatch(text)
        in_excerpt = is_excerpt(text) or bool((in_excerpt or in_note) and is_of_change)
        in_note = bool(_OF_BLOCK.fullmatch(text) or (in_note and _CONTINUED.fullmatch(text)))
        if in_excerpt or in_note:
            _take(
                finding, lines[pos], text, is_wrong=bool(asked.status and asked.pinned[lines[pos]])
            )
        elif not text[0].isspace() and not text[0].isdigit():
            break
        pos += 1
    return finding, pos


def _take(finding: Finding, index: int, text: str, *, is_wrong: bool) -> None:
    """Add a line of the block below a finding; is_wrong: it says why the command failed."""
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
    elif finding.is_error and source and source[1] == finding.line:
        is_new = source[2] not in finding.excerpt
        (finding.below if is_new else finding.hidden).append(index)
        finding.excerpt.add(source[2])
    elif (finding.is_error and note and not _DULL.fullmatch(text)) or (
        finding.is_error and (text.startswith(("help:", "note:")) or _ARROW.fullmatch(text))
    ):
        finding.below.append(index)
    else:
        finding.hidden.append(index)


def _of_below(heading: str, match: Match, index: int) -> Finding:
    finding = Finding(heading, f":{match['line']}:{match['column']}", match["line"], [index])
    finding.is_listed = True
    finding.level, finding.text, finding.rule = match["level"], match["text"], match["rule"] or ""
    return finding


def _of_line(
    match: Match, lines: list[int], pos: int, texts: Texts, asked: Asked
) -> tuple[Finding, int]:
    """Read a finding of one line, and the excerpt below it."""
    finding = Finding(match["path"], match["mark"], match["line"], [lines[pos]])
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
    """Take a line that says more of the finding above it (`  symbol: class X`); 1 if it does."""
    text = texts[index]
    if not text[:1].isspace() or not text.strip() or _is_start(text) or _BELOW.fullmatch(text):
        return 0
    if not finding.is_error:
        return 0
    finding.below.append(index)
    return 1


def _excerpt(finding: Finding, lines: list[int], pos: int, texts: Texts, asked: Asked) -> int:
    """Take the lines from here on that are an excerpt of the source; return how many."""
    text = texts[lines[pos]]
    following = texts[lines[pos + 1]] if pos + 1 < len(lines) else ""
    source = _SOURCE.fullmatch(text)
    if source and source[1]:
        is_own = finding.is_error and source[1] == finding.line
        (finding.below if is_own else finding.hidden).append(lines[pos])
        return 1
    if is_excerpt(text):
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


def may_belong(text: str) -> bool:
    """Tell whether a line may be a part of a finding: its place, its message, its file, source."""
    starts = (AT_PLACE, _IN_PARENTHESES, _MAVEN, _ARROW, _HEADER, _BELOW, _HEADING)
    return any(start.fullmatch(text) for start in starts) or is_excerpt(text)


def is_excerpt(text: str) -> bool:
    """Tell whether a line is part of a source excerpt: numbered, or the marks below a line."""
    return bool(text.strip()) and bool(_GUTTER.fullmatch(text) or _CARETS.fullmatch(text))


def _is_start(text: str) -> bool:
    return any(form.fullmatch(text) for form in (AT_PLACE, _IN_PARENTHESES, _MAVEN))

"""One finding of a compiler, linter or type checker, and how it is read from an output's lines.

The source excerpt and the advice below a finding belong to it. An error keeps its own source line
and what is written below it.
"""

from __future__ import annotations

from laconic.compact.shapes.finding_block import (
    ARROW,
    SOURCE,
    adds_to,
    is_carets,
    is_excerpt,
    read_block,
)
from laconic.compact.shapes.finding_forms import read_forms
from laconic.compact.shapes.frame_forms import is_foreign_path
from laconic.compact.shapes.rows import indent_of, text_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator
    from typing import TypeAlias

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.finding_forms import Read
    from laconic.compact.shapes.rows import Texts

    Match: TypeAlias = re.Match[str]

_FILE = r"(?P<path>(?:[A-Za-z]:)?[\w.@+~/\\()$-]*\w(?:\.\w+)?)"
# `a.c:5:4: error: text`, `a.py:3: text`, `a.py:3:5:3:9: text` to its end, `a.ts:3:5 - error TS1:
# text`; a text that is indented is the line of a file, which a search has found
AT_PLACE = pattern(
    rf"{_FILE}(?P<mark>:(?P<line>\d+)(?::\d+){{0,3}})(?::| -|(?= \[[A-Z]+\d+\]: ))"
    r"(?: |\s+(?=(?:fatal|error|warning|note|info|style)\b))(?P<rest>\S.*)"
)
# `a.ts(3,5): error TS1: text`
_IN_PARENTHESES = pattern(rf"{_FILE}(?P<mark>\((?P<line>\d+),\d+\)):\s+(?P<rest>\S.*)")
# `a.js: line 3, col 5, text`; `  /src/a.js:3:5: text`
_IN_WORDS = pattern(rf"{_FILE}(?P<mark>: line (?P<line>\d+), col(?:umn)? \d+)[,:] (?P<rest>\S.*)")
_INDENTED = pattern(
    r"  (?P<path>/[\w.@+~/-]*\w\.\w+)(?P<mark>:(?P<line>\d+):\d+): (?P<rest>[A-Z']\S* .*)"
)
# `[ERROR] /src/A.java:[5,33] text`
_MAVEN = pattern(
    r"\[(?P<level>ERROR|WARNING)\] (?P<path>/\S+?)(?P<mark>:\[(?P<line>\d+),\d+\]) (?P<rest>\S.*)"
)
_FORMS = (AT_PLACE, _IN_PARENTHESES, _IN_WORDS, _INDENTED, _MAVEN)
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
_RULE_FIRST = pattern(
    r"(?P<rule>[A-Z]{1,6}\d{2,6}|\[[A-Z]{1,6}\d{2,6}\]|[a-z]+(?:[_.-][a-z]+)+|[a-z-]+(?:\[[^\]\s]+\])+)"
    r"[:\s]\s*(?P<text>\S.*)"
)
_RULE_LAST = pattern(r"(?P<text>.*\S)\s+(?P<rule>\[[\w.:=+/-]+\]|\([a-z][\w./-]*\))")
_WRAPPED_RULE = pattern(r"(?P<text>.*\S)\s+(?P<rule>\[[a-z][a-z-]+\])")
_WIDTH, _MOST_WRAPPED = 75, 8  # columns and lines of a message that is wrapped, about
# What another program says of itself, at the margin; no source begins like this.
_SAID = pattern(r"(?:error|fatal|panic|ERROR|FATAL): \S")
# What clang would write, below the place for it; its message says it, too.
_FIX = pattern(r"\s+\S+")
# `  symbol: class X` below an error of javac, also as Maven repeats it
_SAID_BY_MAVEN = "[ERROR] "
_RESUMED = "  mvn <args> "  # how to go on where the build ended
_LOCATION = pattern(
    r"\s+location: (?:class|interface|enum|record|package) (?:[\w.]+\.)?(?P<name>\w+)"
)
_LESS = ("!", "⚠", "i", "\u2139")
_ERRORS = ("error", "fatal error", "✖", "\u00d7", "ERROR")


class Finding:
    """One finding. lines: the lines that it is shown for; below: rows that stay under it.

    mark: the place after the path, `:3:5` or `(3,5)`. code: what follows the level, as in
    `error[E0308]`. is_listed: it is below the name of its file. is_rule_last: its rule follows the
    message. written: all of it in one line, if the tool has wrapped it. is_cut: its lines say more.
    """

    __slots__ = (
        "below", "code", "excerpt", "hidden", "is_cut", "is_listed", "is_rule_last", "level",
        "line", "lines", "mark", "path", "rule", "text", "written",
    )  # fmt: skip

    def __init__(self, path: str, mark: str, line: str, lines: list[int]) -> None:
        self.path, self.mark, self.line, self.lines = path, mark, line, lines
        self.level = self.rule = self.text = self.code = self.written = ""
        self.below: list[Row] = []
        self.hidden: list[int] = []
        self.is_cut = self.is_listed = self.is_rule_last = False
        self.excerpt: set[str] = set()  # the lines of it that are below

    @property
    def place(self) -> str:
        return f"{self.path}{self.mark}"

    @property
    def is_error(self) -> bool:
        return self.level in _ERRORS

    @property
    def tells_source(self) -> bool:
        """Whether the line that it is about is shown: that of an error in the project's own."""
        return self.is_error and not is_foreign_path(self.path)

    @property
    def said(self) -> str:
        """Level, rule and message, as they were written."""
        has_word = len(self.level) > 1  # and not a mark; that of an error is not shown
        mark = self.level if self.level in _LESS else ""
        level = f"{self.level}{self.code}:" if has_word else mark
        rule, last = ("", self.rule) if self.is_rule_last else (self.rule, "")
        return " ".join(filter(None, (level, rule, self.text, last)))

    def name_lint(self, name: str) -> None:
        """Add the name of the lint, which is written below the finding."""
        if not self.rule:
            self.rule, self.is_rule_last = f"({name})", True

    def add_label(self, label: str) -> None:
        """Add what is written below the source, if the message does not say it."""
        if adds_to(label, self.text):
            self.text += f"; {label}"


def read_findings(lines: list[int], texts: Texts, asked: Asked) -> Iterator[Finding]:
    heading, has_finding = (
        -1,
        False,
    )  # the name of a file; whether one below it is shown for it, too
    told: set[tuple[str, str]] = set()  # source lines that are below an error
    pos = 0
    while pos < len(lines):
        text = texts[lines[pos]]
        if heading >= 0 and (below := _BELOW.fullmatch(text)):
            finding = _of_below(texts[heading], below, lines[pos])
            finding.lines += [] if has_finding else [heading]
            has_finding = True
            pos += 1
            yield finding
        elif found := _read(lines, pos, texts, asked):
            finding, pos = found
            _tell_once(finding, told, texts)
            yield finding
        elif (several := read_forms(lines, pos, texts))[0]:
            pos = several[1]
            yield from map(_of_form, several[0])
        else:
            if _is_heading(lines, pos, texts):
                heading, has_finding = lines[pos], False
            elif heading >= 0 and text.strip() and not _at_place(text):
                heading = -1
            pos += 1


def _read(lines: list[int], pos: int, texts: Texts, asked: Asked) -> tuple[Finding, int] | None:
    """The finding that begins at this position, and the position after it."""
    text = texts[lines[pos]]
    arrow = ARROW.fullmatch(texts[lines[pos + 1]]) if pos + 1 < len(lines) else None
    if arrow and (header := _HEADER.fullmatch(text)):
        return _of_arrow(header, arrow, lines, pos, texts, asked)
    match = _at_place(text)
    if match and _is_file(match["path"]) and not match["rest"].startswith("required "):
        return _of_line(match, lines, pos, texts, asked)
    return None


def _is_heading(lines: list[int], pos: int, texts: Texts) -> bool:
    """Tell whether a line is the name of a file with findings below it."""
    following = texts[lines[pos + 1]] if pos + 1 < len(lines) else ""
    return bool(_HEADING.fullmatch(texts[lines[pos]]) and _BELOW.fullmatch(following))


def _of_form(read: Read) -> Finding:
    told = read.told
    finding = Finding(told["path"], read.mark, told.get("line", ""), read.lines)
    finding.level, finding.rule = told.get("level", ""), told.get("rule", "")
    finding.text, finding.hidden, finding.is_cut = told["text"], read.rest, True
    finding.written = read.written
    return finding


def _is_file(path: str) -> bool:
    return "." in path.rsplit("/", 1)[-1] or "/" in path or path.endswith("file")


def _of_arrow(
    header: Match, arrow: Match, lines: list[int], pos: int, texts: Texts, asked: Asked
) -> tuple[Finding, int]:
    finding = Finding(arrow["path"], arrow["mark"], arrow["line"], [lines[pos], lines[pos + 1]])
    finding.level = header["level"] or ""
    finding.code = f"[{header['code']}]" if header["code"] else ""
    finding.rule = (header["rule"] or "") + (header["fix"] or "")
    finding.text = header["ruled"] or header["text"]
    return finding, read_block(finding, lines, pos + 2, texts, asked)


def _tell_once(finding: Finding, told: set[tuple[str, str]], texts: Texts) -> None:
    """Hide the source line of an error if another error has shown it."""
    below: list[Row] = []
    for row in finding.below:
        if isinstance(row, int) and texts[row] in finding.excerpt:
            said = (finding.path, texts[row])
            (finding.hidden if said in told else below).append(row)
            told.add(said)
        elif finding.code and ("", text_of(row, texts)) in told:  # rustc gives advice to each
            finding.hidden += [row] if isinstance(row, int) else []
        else:
            below.append(row)
            told.add(("", text_of(row, texts)))
    finding.below = below


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
        finding.is_rule_last = rule.start("rule") > rule.start("text")
    finding.text = rest
    is_whole = finding.rule or finding.level not in ("error", "note")
    pos += 1 if is_whole else _wrapped(finding, lines, pos, texts)
    while pos < len(lines):
        taken = _excerpt(finding, lines, pos, texts, asked)
        taken = taken or _continued(finding, lines[pos], texts)
        if not taken:
            break
        pos += taken
    return finding, pos


def _wrapped(finding: Finding, lines: list[int], pos: int, texts: Texts) -> int:
    """Join a message that mypy --pretty has wrapped, if its rule ends it; return how many lines.

    https://mypy.readthedocs.io/en/stable/command_line.html#cmdoption-mypy-pretty
    """
    said, written = finding.text, texts[lines[pos]]
    for count, index in enumerate(lines[pos + 1 : pos + _MOST_WRAPPED], 2):
        above, text = texts[lines[pos + count - 2]], texts[index]
        word = text.lstrip().partition(" ")[0]
        if not word or text[:2].isspace() or _at_place(text) or len(above + word) < _WIDTH:
            break
        said, written = f"{said} {text.lstrip()}", f"{written.rstrip()} {text.lstrip()}"
        if ending := _WRAPPED_RULE.fullmatch(said):
            finding.text, finding.rule, finding.is_rule_last = ending["text"], ending["rule"], True
            finding.lines += lines[pos + 1 : pos + count]
            finding.written = written
            return count
    return 1


def _continued(finding: Finding, index: int, texts: Texts) -> int:
    """Take a line that says more of the finding above it (`  symbol: class X`); 1 if it does."""
    text = texts[index].removeprefix(_SAID_BY_MAVEN)
    if not text[:1].isspace() or not text.strip() or _at_place(text) or _BELOW.fullmatch(text):
        return 0
    if not finding.is_error or text.startswith(_RESUMED):
        return 0
    location = _LOCATION.fullmatch(text)
    is_known = location is not None and finding.path.endswith(f"{location['name']}.java")
    (finding.hidden if is_known else finding.below).append(index)
    return 1


def _excerpt(finding: Finding, lines: list[int], pos: int, texts: Texts, asked: Asked) -> int:
    """Take the lines from here on that are an excerpt of the source; return how many."""
    text = texts[lines[pos]]
    source = SOURCE.fullmatch(text)
    if source and source[1]:
        is_own = finding.tells_source and source[1] == finding.line
        (finding.below if is_own else finding.hidden).append(lines[pos])
        finding.excerpt.add(text)
        return 1
    if is_excerpt(text):
        finding.hidden.append(lines[pos])
        return 1
    return _marked_source(finding, lines, pos, texts, asked)


def _marked_source(finding: Finding, lines: list[int], pos: int, texts: Texts, asked: Asked) -> int:
    """Take a line of source without a number, the carets below it and what clang would write.

    Only its place, right below the finding, tells it from what others say. Returns how many lines.
    """
    text = texts[lines[pos]]
    carets, fix = ([texts[i] for i in lines[pos + 1 : pos + 3]] + ["", ""])[:2]
    if not is_carets(carets) or _at_place(text) or not text.strip() or _SAID.match(text):
        return 0
    is_first = lines[pos - 1] == finding.lines[0]
    if not text[:1].isspace() and not is_first:
        return 0
    is_shown = finding.tells_source or (not is_first and asked.pinned[lines[pos]])
    (finding.below if is_shown else finding.hidden).append(lines[pos])
    finding.excerpt.add(text)
    is_below = _FIX.fullmatch(fix) is not None and indent_of(fix) >= carets.find("^")
    count = 3 if is_below and finding.mark.count(":") > 1 else 2
    finding.hidden += lines[pos + 1 : pos + count]
    return count


def may_belong(text: str) -> bool:
    """Tell whether a line may be a part of a finding: its place, its message, its file, source."""
    starts = (*_FORMS, ARROW, _HEADER, _BELOW, _HEADING)
    return any(start.fullmatch(text) for start in starts) or is_excerpt(text)


def _at_place(text: str) -> Match | None:
    """What a line that begins with the place of a finding consists of."""
    return next((match for form in _FORMS if (match := form.fullmatch(text))), None)

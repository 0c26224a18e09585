"""The block below a finding of rustc and its like: excerpt, labels, notes and advice.

An error keeps its source line, what the labels add to its message, its notes on own code, and what
is advised. Any other finding keeps its labels of advice.
"""

from __future__ import annotations

from laconic.compact.shapes.rows import whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.finding import Finding
    from laconic.compact.shapes.rows import Texts

ARROW = pattern(r"\s*(?:-->|:::)\s+(?P<path>\S.*?)(?P<mark>:(?P<line>\d+):\d+)\s*")
_GUTTER = pattern(
    r"\s*>?\s*\d*\s*[|│](?:\s.*)?|\s*\d+ [-+~](?: .*)?|\s*\d+ [|│] .*|\s*\.\.\.\s*"
    r"|\s*\+\+\+ [|│]\+.*"
)
_CARETS = pattern(r"[\s|│]*[\^~¯‾_|/\\-]*[\^~¯‾][\s\^~¯‾_|/\\-]*")
SOURCE = pattern(r"\s*>?\s*(\d+)\s*[|│] ?(.*)")
_LABEL = pattern(r"\s*[|│][\s|_^~/\\+-]*([^\s|^~_/\\+-].*?)[\s^~+-]*")
_RULE_OF_LINT = pattern(
    r"#\[(?:warn|deny|forbid|allow)\((?:clippy::|rustdoc::)?(\w+)\)\]|index\.html#(\w+)"
)
# What a compiler writes below the place of a finding; any other line is another program's.
_OF_BLOCK = pattern(
    r"\s*= (?:\w+: )?.*|(?:help|note): .*|\s*(?:-->|:::|\u256d|\u2570).*|\s*docs: https?://.*"
)
_SKIPPED = pattern(r"-{40,}")  # between two parts of an excerpt
_CONTINUED = pattern(r"\s{6,}\S.*")  # of a note over several lines
_REPLACED = pattern(r"\s{2,}[-+] .*")  # between the numbered lines of a change that is proposed
_ADVICE = pattern(r"(?:help|note): (.*)")
_NOTE = pattern(r"\s+= (?:note|help|warning): (.*)")
_DULL = pattern(
    r"\s*= (?:help: for further information visit|note: `#\[|note: `-[DW] |help: to override).*"
    r"|\s*= (?:note|help): (?:for more information|see |this error originates in ).*"
    r"|note: (?:the lint level is defined here|required because it's used within this .*)"
)
_VISIT = pattern(r"\s+for more information, ")
_EXPECTED = pattern(r"\s*= note: expected .*")
_TYPE = pattern(r"`[^`]+`")
_FOREIGN = pattern(r"/rustc/[0-9a-f]+/.*|.*/(?:\.cargo/registry|rustlib)/.*")
# Labels that point at a place and say no more of it.
_DULL_LABEL = pattern(
    r"not found in this scope|expected due to this|unknown field|help: if this is intentional, .*"
    r"|required by this formatting parameter|required by (?:a|this) bound .*|this is .*"
    r"|(?:with)?in this .*|patterns? .* not covered"
)
_SHORTEST = 3  # letters of a word that says something
_WORD = pattern(r"\w+")


def is_excerpt(text: str) -> bool:
    """Tell whether a line is part of a source excerpt: numbered, or the marks below a line."""
    return bool(text.strip()) and bool(_GUTTER.fullmatch(text) or _CARETS.fullmatch(text))


def is_carets(text: str) -> bool:
    return bool(text.strip()) and _CARETS.fullmatch(text) is not None


def read_block(finding: Finding, lines: list[int], pos: int, texts: Texts, asked: Asked) -> int:
    """Add the block that begins at this position to the finding; return what follows it."""
    in_excerpt, in_note = True, False
    block = _Block(finding, texts)
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
            block.take(lines[pos], text, is_wrong=bool(asked.status and asked.pinned[lines[pos]]))
        elif not text[0].isspace() and not text[0].isdigit():
            break
        pos += 1
    block.end_part()
    return pos


class _Block:
    """The parts of a block: the excerpt, then notes and advice, each with an excerpt of its own."""

    def __init__(self, finding: Finding, texts: Texts) -> None:
        self.finding, self.texts = finding, texts
        self.part: list[int] = []  # the lines of a note or an advice
        self.said = self.place = ""
        self.is_foreign = self.is_place_foreign = False

    def take(self, index: int, text: str, *, is_wrong: bool) -> None:
        """Add a line; is_wrong: it says why the command failed."""
        finding = self.finding
        rule = _RULE_OF_LINT.search(text)
        if rule and not _ADVICE.fullmatch(text) and _OF_BLOCK.fullmatch(text):
            finding.name_lint(rule[1] or rule[2])
            finding.hidden.append(index)
            return
        if _ADVICE.fullmatch(text) or _NOTE.fullmatch(text):
            self.end_part()
            if not finding.is_error or _DULL.fullmatch(text):
                finding.hidden.append(index)
                self.is_foreign = not text[0].isspace()  # and so is what is below it
                return
            if self.is_foreign and text[0].isspace():
                finding.hidden.append(index)
                return
            self.is_foreign = False
            self.part, self.said = [index], text
        elif self.part:
            self._add(index, text)
        elif self.is_foreign or not self._excerpt(index, text, is_wrong=is_wrong):
            finding.hidden.append(index)

    def _excerpt(self, index: int, text: str, *, is_wrong: bool) -> bool:
        """Take a line of the finding's own excerpt, and tell whether it stays."""
        finding = self.finding
        if ARROW.fullmatch(text):
            finding.below.append(index)
            return True
        source, label = SOURCE.fullmatch(text), _LABEL.fullmatch(text)
        tells = finding.is_error or is_wrong
        if label and not source and (tells or label[1].startswith("help:")):
            finding.add_label(label[1].strip())
            return False
        if finding.is_error and source and source[1] == finding.line:
            is_new = text not in finding.excerpt
            finding.excerpt.add(text)
            if is_new:
                finding.below.append(index)
            return is_new
        return False

    def _add(self, index: int, text: str) -> None:
        """Take a line of a note or an advice."""
        self.part.append(index)
        if arrow := ARROW.fullmatch(text):
            self.is_foreign = bool(_FOREIGN.fullmatch(arrow["path"]))
            if not self.place:
                self.place = f"{arrow['path']}{arrow['mark']}"
                self.is_place_foreign = self.is_foreign
        elif _CONTINUED.fullmatch(text) and not is_excerpt(text) and not _VISIT.match(text):
            self.said += f" {text.strip()}"

    def end_part(self) -> None:
        """Add what is shown of a note or an advice to the finding."""
        if not self.part:
            return
        first, said = self.part[0], self.said
        if (self.is_place_foreign and said.startswith("note:")) or self._is_told():
            self.finding.hidden += self.part
        else:
            if self.place and not self.is_place_foreign:
                said += f" {self.place}"
            is_raw = said == self.texts[first]
            row = first if is_raw else whole(said, self._told())
            self.finding.below.append(row)
            self.finding.hidden += self.part[1:] if is_raw else self.part
        self.part, self.is_place_foreign = [], False
        self.said = self.place = ""

    def _is_told(self) -> bool:
        """Tell whether a note says which types differ, and the message has both of them."""
        types = _TYPE.findall(self.said) if _EXPECTED.fullmatch(self.said) else []
        return len(types) > 1 and all(name in self.finding.text for name in types)

    def _told(self) -> list[int]:
        """The lines whose text is all in the row of a part."""
        place = "" if self.is_place_foreign else self.place
        return [
            i
            for i in self.part
            if i == self.part[0]
            or self.texts[i].strip() == f"--> {place}"
            or (not is_excerpt(self.texts[i]) and self.texts[i].strip() in self.said)
        ]


def adds_to(label: str, message: str) -> bool:
    """Tell whether a label has a word that the message has not."""
    if _DULL_LABEL.fullmatch(label):
        return False
    known = set(_WORD.findall(message.lower()))
    return any(len(w) >= _SHORTEST and w not in known for w in _WORD.findall(label.lower()))

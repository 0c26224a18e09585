"""The lists of failures at the end of a report: what is told above them is not told again."""

from __future__ import annotations

from laconic.compact.shapes.changes import has_words
from laconic.compact.shapes.rows import placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

# The heading of a list, and the entries below it; what they capture must be above the heading.
_LISTS = (
    # ctest
    (
        pattern(r"The following tests passed:"),
        pattern(r"\s+(?:\d+ - )?(?P<name>\S+)(?: \(.*\))?(?:\s+\S+)?"),
    ),
    # Maven's Surefire
    (
        pattern(r"\[(?:ERROR|WARNING)\] (?:Failures|Errors|Tests run with errors): ?"),
        pattern(
            r"\[(?:ERROR|WARNING)\]\s{2,}(?P<name>[\w.$]+)(?:\(.*?\))?:\d+\S*"
            r"(?: \u00bb(?: [\w.$]+:?)?)? ?(?P<said>.*)|(?!\[)(?P<more>.*)"
        ),
    ),
    # Maven, of a project that it cannot read
    (
        pattern(r"\[ERROR\] {3}The project .*?(?:\((?P<file>.*)\) )?has \d+ errors?"),
        pattern(r"\[ERROR\] {5}(?P<said>.*?)(?: -> \[Help \d+\])?"),
    ),
    # Meson
    (
        pattern(r"Summary of Failures:"),
        pattern(r"\s*(?P<said>\d+/\d+ .*)"),
    ),
)
_PASSED = pattern(r"\s*\d+/\d+ Test +#\d+: .* Passed +[\d.]+ sec")  # as ctest says it
# What make says, in files that CMake writes, of targets that need the one that failed.
_RULE_FAILED = pattern(r"g?make\[\d+\]: \*\*\* \[CMakeFiles/\S+/build\.make:\d+: .*\] Error \d+")
_NEEDS_IT = pattern(
    r"g?make(?:\[\d+\])?: (?:\*\*\* \[CMakeFiles/Makefile2:\d+: \S+\] Error 2"
    r"|Target '(?:CMakeFiles/\S+|all|default_target)' not remade because of errors\.)"
)
_MOST_LISTS = 20  # of one kind; a report has two for each module
_FIRST_WORD = pattern(r"[A-Z]\w+ (?=\S)")  # the kind of an exception, which Surefire shortens


def retold(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Leave out the entries of such lists that name nothing new, and headings without entries."""
    del asked
    lines = raw_of(rows)
    gone: set[int] = set()
    for heading, entry in _LISTS:
        headings = [pos for pos, index in enumerate(lines) if heading.fullmatch(texts[index])]
        for pos in headings[:_MOST_LISTS]:
            gone |= _again(lines, pos, heading, entry, texts)
    if any(_RULE_FAILED.fullmatch(texts[i]) for i in lines):
        gone |= {i for i in lines if _NEEDS_IT.fullmatch(texts[i])}
    return placed(rows, {}, gone)


def _again(
    lines: list[int], pos: int, heading: re.Pattern[str], entry: re.Pattern[str], texts: Texts
) -> set[int]:
    """The heading at this position and its entries, as far as they are told above it."""
    above = "\n".join(texts[i] for i in lines[:pos] if not _PASSED.fullmatch(texts[i]))
    found: set[int] = set()
    match = heading.fullmatch(texts[lines[pos]])
    is_all = True
    is_heading_told = match is None or all(_is_told(said, above) for said in match.groups())
    for index in lines[pos + 1 :]:
        text = texts[index]
        if not text.strip():
            if found or not is_all:
                break
            continue
        match = entry.fullmatch(text)
        if match is None:
            break
        if all(_is_told(said, above) for said in match.groups()):
            found.add(index)
        else:
            is_all = False
    return found | {lines[pos]} if is_all and is_heading_told and found else found


def _is_told(said: str | None, above: str) -> bool:
    if not said:
        return True
    said = said.strip()
    return has_words(above, said) or has_words(above, _FIRST_WORD.sub("", said, count=1).strip())

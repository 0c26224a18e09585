"""What is wrong with a printed result: read as text, by rules that share nothing with the stages.

Only a filter's table and the raw lines are known here. Every printed line must be explained by
them, in their order; what is printed and what the notice calls hidden must add up to the output.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from independent_diagnostics import Told, is_alarm, untold, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from laconic.compact.filter import Filter

_NOTICE = re.compile(
    r"\[(?:(?:(?P<hidden>\d+)/)?(?P<total>\d+) lines (?:hidden|condensed to (?P<left>\d+))"
    r"|\d+ lines regrouped)?(?:, )?(?:(?P<short>\d+) shortened)?"
    r"(?:, add --grep RE or --lines A:B)?: laconic recall \w+\]"
)
_WORD = re.compile(r"\w+")
_BRACKETS = re.compile(r"\[[^\[\]]*\]")
_COUNT = re.compile(r"x?\d+|FAILED")  # and the one word that laconic writes itself
_GAP = re.compile(r"\[\.\.\. (\d+) lines? hidden(?:, (\d+) of them with .*)?\]")
_CLIPPED = re.compile(r"(.*) \[\.\.\. (\d+) characters hidden\] (.*)", re.DOTALL)
_PLACE = re.compile(r"\{(\w+)\}")
# `src/a.py:3`, `src/a.py:3:8` and `src/a.py(3,8)`, with further places of the same file behind it.
_PLACES = re.compile(
    r"(?<![\w./:-])(?P<path>[\w@+~./-]*\w\.\w+)(?P<first>:\d+(?::\d+)?|\(\d+,\d+\))"
    r"(?P<more>(?:(?: (?!\S+\.\w+[:(]\d)[^\s,:(][^\s,]*)* (?::\d+(?::\d+)?|\(\d+,\d+\)))*)"
)
_MARK = re.compile(r"(?<=[ ])(?::\d+(?::\d+)?|\(\d+,\d+\))")


def faults(
    wanted: Filter,
    status: int,
    raw: list[str],
    text: str,
    must_show: Callable[[str], bool] = is_alarm,
) -> list[str]:
    """Return all that is not true of a text that was printed for these lines; raw: without colours.

    must_show: tells which lines of a failure may not be hidden.
    """
    *printed, end = text.split("\n")
    found = [] if end == "" else ["the last line does not end"]
    notice = _NOTICE.fullmatch(printed[-1]) if printed else None
    rules = Rules(wanted, status, raw)
    if wanted.is_row or rules.table.get("shape"):
        return found + list(_of_shape(rules, printed, notice, status, must_show))
    reading = Reading(rules, raw)
    for pos, line in enumerate(body := printed[:-1] if notice else printed):
        following = body[pos + 1] if pos + 1 < len(body) else ""
        if not reading.explains(line, following):
            found.append(f"not of the output: {line!r}")
    found += _sums(reading, notice, len(raw))
    if status != 0:
        found += [f"hidden: {t!r}" for t in raw if must_show(t) and t not in reading.texts]
    return found


def _of_shape(
    rules: Rules,
    printed: list[str],
    notice: re.Match[str] | None,
    status: int,
    must_show: Callable[[str], bool],
) -> Iterator[str]:
    """The same where lines are regrouped: their words must be there, and none that are not.

    Words in brackets are laconic's own; a line that has a word which is nowhere was hidden.
    """
    body = printed[:-1] if notice else printed
    raw, source = rules.raw, "\n".join(rules.raw)
    for line in body:
        if line in rules.shown or line in rules.made():
            continue
        words = _WORD.findall(_BRACKETS.sub(" ", line))
        if not all(word in source or _COUNT.fullmatch(word) for word in words):
            yield f"not of the output: {line!r}"
        elif line not in source:
            yield from _misplaced(_BRACKETS.sub(" ", line), source)
            yield from _miscounted(line, source)
    yield from wrong_sums(raw, printed)
    if status != 0:
        alarms = [text for text in raw if must_show(text) and text not in body]
        yield from (f"hidden: {text!r}" for text in untold(alarms, raw, Told(body)))


def wrong_sums(raw: list[str], printed: list[str]) -> Iterator[str]:
    """Compare the notice with the lines that are printed as they are, and with those not told."""
    notice = _NOTICE.fullmatch(printed[-1]) if printed else None
    body = printed[:-1] if notice else printed
    hidden, total, shortened = _said(notice)
    if notice and notice["left"] and int(notice["left"]) != len(body):
        yield f"the notice speaks of {notice['left']} lines that are left, there are {len(body)}"
    if hidden and total != len(raw):
        yield f"the notice speaks of {total} lines, there are {len(raw)}"
    words = words_of("\n".join(body))
    missing = [text for text in raw if not set(_WORD.findall(text)) <= words]
    if len(missing) > hidden + shortened:
        yield f"{len(missing)} lines are not told, the notice says {hidden} and {shortened}"
    whole = (Counter(raw) & Counter(body)).total()
    if hidden > len(raw) - whole:
        yield f"the notice hides {hidden} of {len(raw)} lines, {whole} are printed as they are"


def _misplaced(line: str, source: str) -> Iterator[str]:
    """Give the places of a line that was made which the output does not have for that file.

    The output has them behind the path, or the numbers alone in a line below that of the path.
    """
    for found in _PLACES.finditer(line):
        path = re.escape(found["path"])
        for mark in _marks(found):
            numbers = r"\D{1,9}".join(re.findall(r"\d+", mark))
            behind = rf"{path}\W{{1,9}}(?:line )?{numbers}(?!\d)"
            between = r"(?:\n(?!\S*\.\w+$).*){0,400}?"
            below = rf"(?m)^(?:.*\W)?{path}(?:\W.*)?${between}\n\s*(?:L: +)?{numbers}(?!\d)"
            if not re.search(behind, source) and not re.search(below, source):
                yield f"no such place: {found['path']}{mark} in {line!r}"


def _miscounted(line: str, source: str) -> Iterator[str]:
    """Give the counts of a made line that its places, or the output, do not bear out."""
    if said := re.search(r" \+(\d+): (?=\S*[:(]\d)", line):
        others = f"x.x{line[said.end() :]}" if line[said.end()] in ":(" else line[said.end() :]
        places = [place for found in _PLACES.finditer(others) for place in _marks(found)]
        if len(places) > int(said[1]):  # two findings may be in one place
            yield f"{len(places)} other places, not {said[1]}: {line!r}"
    if said := re.search(r"\[the same (\d+) findings as in (\S+)\]$", line):
        path = re.escape(said[2])
        below = re.search(rf"(?m)^{path}\n((?:[ \t]+\d+:\d+ .*\n)+)", source)
        before = r"(?:\s+--> |\[[A-Z]+\] |\s+(?:,-|\u256d\u2500)\[)?"
        behind = re.findall(rf"(?m)^{before}{path}[:(\[]+\d+.*$", source)
        of_file = re.findall(rf"(?m)^{path} \w+ \u2501+$", source)  # those without a line
        in_script = rf"(?m)^In {path} line \d+:\n((?:(?!In \S+ line \d+:$).*\n)*)"  # shellcheck
        behind += re.findall(r"\^.* SC\d+ \(", "".join(re.findall(in_script, source)))
        count = below[1].count("\n") if below else len(behind)
        if int(said[1]) not in (count, count + len(of_file)):
            yield f"{count} findings in {said[2]}, not {said[1]}"


def _marks(found: re.Match[str]) -> list[str]:
    return [found["first"], *_MARK.findall(found["more"])]


def _said(notice: re.Match[str] | None) -> tuple[int, int, int]:
    """How many lines are hidden, how many there are, and how many are short."""
    if notice is None:
        return 0, 0, 0
    hidden = notice["total"] if notice["left"] else notice["hidden"]
    return int(hidden or 0), int(notice["total"] or 0), int(notice["short"] or 0)


def _sums(reading: Reading, notice: re.Match[str] | None, total: int) -> Iterator[str]:
    """Compare the notice with what was read: whole, short and hidden lines are all there are."""
    hidden, said_total, shortened = _said(notice)
    if hidden and said_total != total:
        yield f"the notice speaks of {said_total} lines, there are {total}"
    if hidden != total - len(reading.whole) - len(reading.short):
        yield f"the notice hides {hidden} lines, {len(reading.whole)} of {total} are whole"
    if shortened != len(reading.short):
        yield f"the notice shortens {shortened} lines, {len(reading.short)} are short"
    if reading.in_gaps > hidden:
        yield f"the gaps hide {reading.in_gaps} lines, the notice {hidden}"


class Reading:
    """Reads a result line by line. whole, short: positions of raw lines; texts: what they say."""

    def __init__(self, rules: Rules, raw: list[str]) -> None:
        self.rules, self.raw = rules, raw
        self.whole: set[int] = set()
        self.short: set[int] = set()
        self.texts: set[str] = set()
        self.in_gaps = 0
        self._at, self._heading = 0, ""

    def explains(self, line: str, following: str) -> bool:
        if gap := _GAP.fullmatch(line):
            self.in_gaps += int(gap[1])
            return True
        if line in self.rules.shown:
            self._takes(line, self.whole)  # it may be a line of the output as well
            return True
        branch = self._heading + line[2:] if self._heading and line[:2] == "  " else None
        if branch is not None and self._takes(branch, self.short):
            return True
        if self._takes(line, self.whole):
            return True
        self._heading = ""
        return self._is_short(line) or self._is_made(line) or self._begins_branches(line, following)

    def _takes(self, text: str, positions: set[int]) -> bool:
        """Find the next raw line with this text, after those that were read."""
        try:
            pos = self.raw.index(text, self._at)
        except ValueError:
            return False
        positions.add(pos)
        self.texts.add(text)
        self._at = pos + 1
        return True

    def _is_short(self, line: str) -> bool:
        for pos in range(self._at, len(self.raw)):
            if line in (self.rules.replaced(self.raw[pos]), _clipped(self.raw[pos], line)):
                self.short.add(pos)
                self._at = pos + 1
                return True
        return False

    def _is_made(self, line: str) -> bool:
        repeated = re.fullmatch(r"(.*) \(x(\d+)\)", line)
        if repeated and Counter(self.raw)[repeated[1]] >= int(repeated[2]):
            self.texts.add(repeated[1])
            return True
        return line in self.rules.made()

    def _begins_branches(self, line: str, following: str) -> bool:
        if following[:2] != "  " or line + following[2:] not in self.raw[self._at :]:
            return False
        self._heading = line
        return True


def _clipped(text: str, line: str) -> str | None:
    """Return the line if it is the text without its middle, and says how much that was."""
    parts = _CLIPPED.fullmatch(line)
    if not parts or not text.startswith(parts[1]) or not text.endswith(parts[3]):
        return None
    return line if len(text) == len(parts[1]) + int(parts[2]) + len(parts[3]) else None


class Rules:
    """The templates of a filter for one outcome, filled by plain expressions over all raw lines.

    shown: the lines that stand for a whole success.
    """

    def __init__(self, wanted: Filter, status: int, raw: list[str]) -> None:
        self.raw = raw
        self._values = _requirements(wanted.table, raw) if status == 0 else None
        name = "failure" if status else "success" if self._values is not None else ""
        self.table: dict[str, Any] = {**wanted.table, **wanted.table.get(name, {})}
        show = self.table.get("show", "") if self._values is not None else ""
        self.shown = set(_fill(show, self._values or {}).split("\n")) if show else set()
        self._made: set[str] | None = None

    def replaced(self, text: str) -> str | None:
        for pattern, template in self.table.get("replace", ()):
            if match := re.search(pattern, text):
                return _fill(template, _captures(match))
        return None

    def made(self) -> set[str]:
        """Every line that may be made of lines that have something in common."""
        if self._made is None:
            rules = self.table.get("group", ())
            self._made = {line for rule in rules for line in self._grouped(rule)}
        return self._made

    def _grouped(self, rule: dict[str, str]) -> Iterator[str]:
        members: dict[tuple[str | None, ...], list[re.Match[str]]] = {}
        for text in self.raw:
            if (match := re.search(rule["match"], text)) and not self._is_dropped(text):
                members.setdefault(match.groups(), []).append(match)
        for found in members.values():
            known = {"count": str(len(found)), "line": found[0].string.strip()}
            known["last"] = found[-1].string.strip()
            yield _fill(rule["show"], {**_captures(found[0]), **known})

    def _is_dropped(self, text: str) -> bool:
        return any(re.search(pattern, text) for pattern in self.table.get("drop", ()))


def _requirements(table: dict[str, Any], raw: list[str]) -> dict[str, str] | None:
    """Return the values of a success, or None where the output has not all that it requires."""
    if "success" not in table:
        return None
    values = {rule["name"]: str(_count(rule["match"], raw)) for rule in table.get("count", ())}
    for pattern in table["success"].get("requires", ()):
        matches = [match for text in raw if (match := re.search(pattern, text))]
        if not matches:
            return None
        values |= _captures(matches[-1])
    return values


def _count(pattern: str, raw: list[str]) -> int:
    matches = [match for text in raw if (match := re.search(pattern, text))]
    return sum(int(match[1]) if match.re.groups else 1 for match in matches)


def _captures(match: re.Match[str]) -> dict[str, str]:
    numbered = {str(n): text or "" for n, text in enumerate(match.groups(), 1)}
    return numbered | {name: text or "" for name, text in match.groupdict().items()}


def _fill(template: str, values: dict[str, str]) -> str:
    return _PLACE.sub(lambda place: values[place[1]], template)

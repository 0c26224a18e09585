"""Measure compaction on recorded outputs, the way a hook takes them: rewrite, then run.

python bench/compaction_report.py FILE..., each a file of JSON lines. A row has `command`, `raw` (or
`output`) and `status` (or `exit`); perhaps `id`, `facts` (texts that must survive, or lists of the
forms that count as one) and `tokens` (what other tools show). A line of several commands is cut
where an `echo` prints a known line; where its parts cannot be told apart and one of them is exact,
it counts as not reached.

A fact survives as it is, as `directory/: name` of a listing, within a range `{1..15}`, as
`3,7:text` below the line `file:` of a search, as a value beside a name, and as a place beside a
finding that is shown once.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from laconic.compact.lines import read_lines
from laconic.compact.view import render
from laconic.knowledge.arguments import evaluate
from laconic.patterns import pattern
from laconic.record import tokenizer
from laconic.rewrite.configured import rewritten
from laconic.rewrite.plan import EXACT
from laconic.run.options import read_task
from laconic.run.plan import plan_run
from laconic.settings.load import Settings, read_settings
from laconic.shell import parse
from laconic.shell.walk import commands

if TYPE_CHECKING:
    from laconic.rewrite.edits import Note

Row = dict[str, Any]
LARGEST, SMALL = 5, 300
_RANGE = pattern(r"(\S*?)\{(\d+)\.\.(\d+)\}(\S*)")
_CHOICES = pattern(r"(\S*?)\{([^{}\s]*,[^{}\s]*)\}(\S*)")
_BRACKET = pattern(r"\[[^\]\n]*\]")
_PLACES = pattern(r"((?:[^\s:,]+:)?)(\d+(?:,\d+)*)(?::|$)")
_ALIKE = pattern(r"(\S+?)(:\d+(?::\d+)?)(\D.*) \+\d+: (.*)")
_PLACE = pattern(r"([^\s:]*)(:\d+(?::\d+)?)")
_AROUND = pattern(r"\d+-")
_MOST_NAMES = 100_000
# Segments that print nothing, or to a file.
_SILENT = pattern(
    r"runs no program|its output goes to a file"
    r"|no filter, and (?:cd|export|set|source|true|mkdir|touch|sleep|pushd|popd|:) "
)


class Result(NamedTuple):
    """name: of the row. reason: why it is not wrapped, if it is not."""

    row: Row
    name: str
    raw: int
    shown: int
    lost: list[str]
    reason: str
    text: str

    @property
    def is_exact(self) -> bool:
        return self.reason.startswith(EXACT) or "that a program reads" in self.reason

    @property
    def is_reached(self) -> bool:
        return not self.reason

    @property
    def facts(self) -> int:
        return len(self.row.get("facts", ()))


class Measure:
    """Counts tokens as the records do: by a vocabulary if there is one, else by the estimate."""

    def __init__(self) -> None:
        from laconic.compact.tokens import estimate  # noqa: PLC0415

        self.count = tokenizer.counter() if tokenizer.is_installed() else estimate
        self.settings = read_settings({"HOME": "/nonexistent", "PATH": "/usr/bin"})

    def result(self, row: Row, number: int) -> Result:
        raw = row.get("raw", row.get("output", ""))
        status = row.get("status", row.get("exit", 0)) or 0
        text, reason = shown(row["command"], status, raw, self.settings)
        kept = readable(text)
        facts = ([fact] if isinstance(fact, str) else fact for fact in row.get("facts", ()))
        lost = [forms[0] for forms in facts if not any(f in text or f in kept for f in forms)]
        name = str(row.get("id", number))
        return Result(row, name, self.count(raw), self.count(text), lost, reason, text)


def shown(command: str, status: int, raw: str, settings: Settings) -> tuple[str, str]:
    """What an agent reads, and the reason if nothing of the line is wrapped."""
    result = rewritten(command, settings)
    notes = [note for note in result.notes if not _SILENT.match(note.reason)]
    if not any(note.action == "run" for note in notes):
        exact = (note.reason for note in notes if note.reason.startswith(EXACT))
        reason = next((note.reason for note in notes or result.notes), "no command")
        return raw, next(exact, "") or reason
    tasks = iter([words[2:] for words in wrapped_words(result.text)])
    parts = [
        Part(said_at(command, note), next(tasks, []) if note.action == "run" else [])
        for note in notes
    ]
    groups = cut(parts, raw)
    used = [task_of(group.parts) for group in groups]
    if not any(used):
        return raw, "its parts cannot be told apart"
    return "".join(
        group.said + (compacted(words, status, group.text, settings) if words else group.text)
        for group, words in zip(groups, used, strict=True)
    ), ""


class Part(NamedTuple):
    """A command of a line, and the words after `laconic run`, if it is wrapped.

    said: for an `echo`, the line that it prints, as a pattern.
    """

    said: str | None
    task: list[str]


class Group(NamedTuple):
    """What an `echo` printed, and what the commands up to the next one did."""

    said: str
    text: str
    parts: list[Part]


def said_at(command: str, note: Note) -> str | None:
    """The line that an `echo` prints: of a word that is not known, what it begins with."""
    source = command.encode("utf-8", "surrogateescape")[note.start : note.end]
    found = commands(parse(source))
    words = evaluate(found[0].command.words, {}) if found else []
    if not words or words[0].text != "echo":
        return None
    texts = [re.escape(w.leading) + ("" if w.is_static else ".*") for w in words[1:]]
    return " ".join(texts)


def cut(parts: list[Part], raw: str) -> list[Group]:
    """The output in pieces, each with the commands that may have written it."""
    groups = [Group("", raw, [])]
    for part in parts:
        last = groups[-1]
        lines = _lines_said(part.said, last.text)
        if not lines:
            last.parts.append(part)
            continue
        groups[-1] = last._replace(text=last.text[: lines[0][0]])
        ends = [start for start, _ in lines[1:]] + [len(last.text)]
        behind: list[Part] = []  # of an `echo` in a loop, what follows each of its lines
        groups += [
            Group(last.text[start:stop], last.text[stop:end], behind)
            for (start, stop), end in zip(lines, ends, strict=True)
        ]
    return groups


def _lines_said(said: str | None, text: str) -> list[tuple[int, int]]:
    """Where an `echo` printed its line: once, or each time if a part of it is not known."""
    if said is None or said.startswith(".*"):
        return []
    found = [match.span() for match in re.finditer(rf"(?m)^{said}\n", text)]
    return found if said.endswith(".*") or ".* " in said else found[:1]


def task_of(parts: list[Part]) -> list[str]:
    """How a piece is shown: as its only command would be; nothing if one of several is exact."""
    if not parts or not all(part.task for part in parts):
        return []
    return parts[0].task if len(parts) == 1 else ["--filter", "generic", "cat"]


def compacted(words: list[str], status: int, raw: str, settings: Settings) -> str:
    """What `laconic run` would print of an output."""
    task = read_task("run", words)
    task.settings = settings
    view = plan_run(task, {}).view
    found = view.compacted(status, read_lines(raw.encode("utf-8", "surrogateescape")))
    return raw if found is None else "".join(render(found, "k3f9ab").values())


def wrapped_words(text: str) -> list[list[str]]:
    """The words of every command that laconic runs in a line."""
    found = [evaluate(o.command.words, {}) for o in commands(parse(text)) if o.command.words]
    words = [[a.text if a.text is not None else a.leading or "x" for a in args] for args in found]
    return [w for w in words if w[:2] == ["laconic", "run"]]


def readable(text: str) -> str:
    """The same with paths of listings written out, so that a fact can be looked for."""
    lines: list[str] = []
    for line in map(str.strip, text.splitlines()):
        head, colon, names = line.partition("/: ") if "/: " in line else line.partition(": ")
        found = expanded(_BRACKET.sub("", names).replace(";", " ").split()) if colon else []
        start = head.split()[-1] if head.split() else ""
        lines += alike(line)
        before = line[: line.find(start)]
        lines += [f"{before}{start.rstrip('/')}/{name}" for name in found]
        lines += [f"{value}\t{start.rstrip('/')}/{name}" for name, value in beside(names)]
        lines += places(found, f"{start.rstrip('/')}/")
        last = line.rpartition(" ")
        lines += [f"{last[0]} {word}" for word in expanded([last[2]])]
        lines += [start + name for name in found]
        lines += expanded(line.split())
        if ":" in line:
            lines += expanded(line.split(" [")[0].split())
    heads = [line.rstrip(":") for line in text.splitlines() if re.fullmatch(r"\S+[/:]", line)]
    heading = ""
    for line in text.splitlines():
        heading = line if line in heads or line.rstrip(":") in heads else heading
        if heading and line != heading:
            lines += places([line], heading.rstrip(":") + ":")
            lines.append(f"{heading.rstrip(':')}:{line}")
            lines += [heading.rstrip(":") + name for name in expanded(line.split())]
    return "\n".join(lines)


def beside(names: str) -> list[tuple[str, str]]:
    """The names of a listing with what stands beside each: `a 1, b 2` or `1 a b; 2 c`."""
    found: list[tuple[str, str]] = []
    for part in names.split(", "):
        name, _, value = part.partition(" ")
        found += [(name, value)] if value and " " not in value else []
    for part in names.split("; "):
        value, _, others = part.partition(" ")
        found += [(name, value) for name in expanded(others.split())]
    return found


def places(texts: list[str], start: str) -> list[str]:
    """Hits as grep writes them, of lines that have several numbers: `a.py:3,7` or `3,7:text`."""
    found: list[str] = []
    for text in texts:
        if match := _PLACES.match(text):
            rest = text[match.end() :]
            found += [f"{start}{match[1]}{number}:{rest}" for number in match[2].split(",")]
        elif match := _AROUND.match(text):
            found.append(f"{start.removesuffix(':')}-{text}")
    return found


def alike(line: str) -> list[str]:
    """Findings that stand with the first of their kind: `a.py:1:2: E1 text +2: :3:4, b.py:5:6`."""
    match = _ALIKE.match(line)
    if not match:
        return []
    found: list[str] = []
    path = match[1]
    for word in match[4].replace(",", " ").split():
        if place := _PLACE.fullmatch(word):
            path = place[1] or path
            found.append(f"{path}{place[2]}{match[3]}")
    return found


def expanded(words: list[str]) -> list[str]:
    found: list[str] = []
    todo = list(reversed(words))
    while todo and len(found) < _MOST_NAMES:
        word = todo.pop()
        if many := _RANGE.fullmatch(word):
            low, high = int(many[2]), int(many[3])
            width = len(many[2])
            todo += [
                f"{many[1]}{n:0{width}d}{many[4]}" for n in range(low, min(high, low + 5000) + 1)
            ]
        elif some := _CHOICES.fullmatch(word):
            todo += [f"{some[1]}{part}{some[3]}" for part in some[2].split(",")]
        else:
            found.append(word)
    return found


def saving(results: list[Result]) -> float:
    raw = sum(result.raw for result in results)
    return 100 * (1 - sum(result.shown for result in results) / raw) if raw else 0.0


def report(path: Path, measure: Measure) -> None:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    results = [measure.result(row, number) for number, row in enumerate(rows)]
    peers = sorted({name for row in rows for name in row.get("tokens", {}) if name != "raw"})
    print(f"{path.name}: {len(results)} outputs")
    theirs = " ".join(f"{peer:>10}" for peer in peers)
    print(f"  {'raw':>7} {'shown':>6} {'saved':>6} {'facts':>7}  {theirs}  name")
    for result in sorted(results, key=lambda found: -found.raw):
        print(f"  {line_of(result, peers)}")
    exact = [result for result in results if result.is_exact]
    print(f"exact reads, left out: {len(exact)} outputs, {tokens(exact)} tokens: {names(exact)}")
    summarise([result for result in results if not result.is_exact])


def summarise(ours: list[Result]) -> None:
    by_size = sorted(ours, key=lambda found: -found.raw)
    larger = [100 * (1 - r.shown / r.raw) for r in ours if r.raw > SMALL]
    reached = [result for result in ours if result.is_reached]
    share = 100 * tokens(reached) / max(1, tokens(ours))
    print(f"may be wrapped: {len(ours)} outputs, {tokens(ours)} tokens")
    print(f"reached: {len(reached)} outputs, {share:.1f} % of the tokens")
    print(f"saved: {saving(ours):.1f} %")
    print(f"saved without the {LARGEST} largest: {saving(by_size[LARGEST:]):.1f} %")
    median = statistics.median(larger) if larger else 0
    print(f"median over {SMALL} tokens: {median:.1f} % ({len(larger)} outputs)")
    total, lost = sum(r.facts for r in ours), [(r.name, fact) for r in ours for fact in r.lost]
    print(f"facts kept: {total - len(lost)} of {total}")
    for name, fact in lost:
        print(f"  lost in {name}: {fact!r}")
    grown = [r.name for r in ours if r.shown > r.raw]
    print(f"larger than raw: {' '.join(grown) or 'none'}")


def tokens(results: list[Result]) -> int:
    return sum(result.raw for result in results)


def line_of(result: Result, peers: list[str]) -> str:
    saved = f"{100 * (1 - result.shown / result.raw):.0f} %" if result.raw else ""
    facts = f"{result.facts - len(result.lost)}/{result.facts}" if result.facts else ""
    theirs = " ".join(f"{result.row.get('tokens', {}).get(peer, ''):>10}" for peer in peers)
    what = " ".join(f"{result.name} {result.row['command']}".split())[:70]
    why = f" ({result.reason})" if result.reason else ""
    return f"{result.raw:7} {result.shown:6} {saved:>6} {facts:>7}  {theirs}  {what}{why}"


def names(results: list[Result]) -> str:
    return ", ".join(dict.fromkeys(r.reason.removeprefix(f"{EXACT}: ") for r in results))


def main(argv: list[str]) -> None:
    texts = "--texts" in argv
    files = [Path(word) for word in argv if not word.startswith("--")]
    if not files:
        sys.exit(__doc__)
    measure = Measure()
    for path in files:
        if texts:
            for number, line in enumerate(path.read_text("utf-8").splitlines()):
                found = measure.result(json.loads(line), number)
                print(f"=== {found.name}: {found.row['command']} ({found.raw} -> {found.shown})")
                print(found.text)
        else:
            report(path, measure)


if __name__ == "__main__":
    main(sys.argv[1:])

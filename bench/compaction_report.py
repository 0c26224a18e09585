"""Measure compaction on recorded outputs, the way a hook takes them: rewrite, then run.

python bench/compaction_report.py [--slowly] [--texts] FILE..., each a file of JSON lines, or a
directory of cases as tests/cases/compact, of which the recordings count. A row has `command`, `raw`
(or `output`) and `status` (or `exit`); perhaps `id`, `facts` (texts that must survive, or lists of
the forms that count as one) and `tokens` (what other tools show). A line of several commands is cut
where an `echo` prints a known line; where its parts cannot be told apart and one of them is exact,
it counts as not reached.

What the engine shows alone, with what the table of commands says, and with the filters, is compared
by group (`group` of a row, else its program). The exit status is 1 if a filter shows more than the
engine does with the table, and no fact more.

--slowly: the bytes come in five pieces over 2.4 seconds, and what appears meanwhile counts.

A fact survives as it is, as `directory/: name` of a listing, within a range `{1..15}`, as
`3,7:text` below the line `file:` of a search, as a value beside a name, and as a place beside a
finding that is shown once, or as a value in `a b.c [and 3 like it: d.c, e.c]`.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from laconic.compact.filter import Filter
from laconic.compact.lines import read_lines
from laconic.compact.view import render
from laconic.knowledge.arguments import evaluate
from laconic.patterns import pattern
from laconic.record import tokenizer
from laconic.rewrite.from_config import rewritten
from laconic.rewrite.plan import EXACT
from laconic.run import follow
from laconic.run.options import read_task
from laconic.run.plan import plan_run
from laconic.run.spool import OUT, new_id, open_spool
from laconic.run.supervise import SupervisedRun
from laconic.server.run_handler import Texts
from laconic.settings.load import Settings, read_settings
from laconic.shell import parse
from laconic.shell.walk import commands

if TYPE_CHECKING:
    from laconic.rewrite.edits import Note

Row = dict[str, Any]
Replay = Callable[[list[str], int, str, Settings], str]
LARGEST, SMALL = 5, 300
MARGIN = 5  # tokens of each output, by which a filter may be worse than the engine
# When a fifth of the output has come, and when a client asks what is certain (client/run.c).
PIECES_S, TICKS_S = (0.0, 0.6, 1.2, 1.8, 2.4), (1.0, 1.5, 2.0)
_RANGE = pattern(r"(\S*?)\{(\d+)\.\.(\d+)\}(\S*)")
_CHOICES = pattern(r"(\S*?)\{([^{}\s]*,[^{}\s]*)\}(\S*)")
_BRACKET = pattern(r"\[[^\]\n]*\]")
_PLACES = pattern(r"((?:[^\s:,]+:)?)(\d+(?:,\d+)*)(?::|$)")
_ALIKE = pattern(r"(\S+?)(:\d+(?::\d+)?)(\D.*) \+\d+: (.*)")
_LIKE = pattern(r"(.*?)\S+ \[and \d+ like it: (.*)\]")
_PLACE = pattern(r"([^\s:]*)(:\d+(?::\d+)?)")
_AROUND = pattern(r"\d+-")
_MOST_NAMES = 100_000
# Segments that print nothing, or to a file.
_COLOURS = pattern(r"\x1b\[[0-9;]*m")
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

    def __init__(self, home: str = "/nonexistent", *, is_slow: bool = False) -> None:
        """home: where the outputs are kept that come slowly."""
        from laconic.compact.tokens import estimate  # noqa: PLC0415

        self.replay = slowly if is_slow else compacted
        self.count = tokenizer.counter() if tokenizer.is_installed() else estimate
        self.settings = read_settings({"HOME": home, "PATH": "/usr/bin"})

    def result(self, row: Row, number: int, replay: Replay | None = None) -> Result:
        raw = row.get("raw", row.get("output", ""))
        status = row.get("status", row.get("exit", 0)) or 0
        text, reason = shown(row["command"], status, raw, self.settings, replay or self.replay)
        plain = _COLOURS.sub("", text)  # as it reads
        kept = readable(plain)
        facts = ([fact] if isinstance(fact, str) else fact for fact in row.get("facts", ()))
        lost = [forms[0] for forms in facts if not any(f in plain or f in kept for f in forms)]
        name = str(row.get("id", number))
        return Result(row, name, self.count(raw), self.count(text), lost, reason, text)


def shown(
    command: str, status: int, raw: str, settings: Settings, replay: Replay
) -> tuple[str, str]:
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
        group.said + (replay(words, status, group.text, settings) if words else group.text)
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


def by_the_engine(words: list[str], status: int, raw: str, settings: Settings) -> str:
    """The same without any filter, and as if nothing were known of the command."""
    return compacted(["--filter", "generic", *words], status, raw, settings)


def by_the_table(words: list[str], status: int, raw: str, settings: Settings) -> str:
    """The same as if every filter were a row of the table."""
    task = read_task("run", words)
    task.settings = settings
    view = plan_run(task, {}).view
    if view.filter is not None:
        table = {key: view.filter.table[key] for key in ("command", "kind")}
        view.filter = Filter(view.filter.id, table)
    found = view.compacted(status, read_lines(raw.encode("utf-8", "surrogateescape")))
    return raw if found is None else "".join(render(found, "k3f9ab").values())


def filter_of(command: str, settings: Settings) -> str:
    """The filter of the first command of a line that laconic wraps, if it is more than a row."""
    for words in wrapped_words(rewritten(command, settings).text):
        task = read_task("run", words[2:])
        task.settings = settings
        found = plan_run(task, {}).view.filter
        if found is not None:
            return "" if found.is_row else found.id
    return ""


class Arriving:
    """An output that comes in pieces: what its printer has collected is what an agent reads."""

    is_open = False

    def __init__(self, directory: str, command: str) -> None:
        self.spool = open_spool(directory, new_id(), [OUT], command, {})
        self.printer = Texts()
        self.printed = {OUT: 0}

    def add(self, data: bytes) -> None:
        os.write(self.spool.handles[OUT], data)

    def print_raw(self) -> None:
        end = self.spool.size(OUT)
        self.printer.write(OUT, self.spool.read(OUT, self.printed[OUT], end))


def slowly(words: list[str], status: int, raw: str, settings: Settings) -> str:
    """What `laconic run` would print of an output that takes its time."""
    task = read_task("run", words)
    task.settings = settings
    output = Arriving(settings.directories.state_dir, task.command)
    run = SupervisedRun(task, {}, output)
    data = raw.encode("utf-8", "surrogateescape")
    ends = [len(data) * (n + 1) // len(PIECES_S) for n in range(len(PIECES_S))]
    come = 0
    for now in sorted({*PIECES_S, *TICKS_S}):
        follow.clock = lambda now=now: now
        if now in TICKS_S:
            run.follow()
        if now in PIECES_S:
            end = ends[PIECES_S.index(now)]
            output.add(data[come:end])
            come = end
    run.finish(status)
    output.spool.remove()
    os.close(output.spool.handles[OUT])
    return bytes(output.printer.collected[1] + output.printer.collected[2]).decode(
        "utf-8", "surrogateescape"
    )


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
        if like := _LIKE.match(line):
            lines += [like[1] + value for value in expanded(like[2].replace(",", " ").split())]
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
    """The names of a listing with what stands beside each: `a=1 b=2`, `a 1, b 2`, `1 a b; 2 c`."""
    found: list[tuple[str, str]] = []
    for word in names.split():
        name, _, value = word.partition("=")
        found += [(name, value)] if value else []
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


def report(path: Path, measure: Measure) -> list[str]:
    rows = read_rows(path)
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
    return [] if measure.replay is slowly or path.is_dir() else compare(rows, results, measure)


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a file, or the recordings below a directory.

    A third line of a case's command says that its output was written by hand.
    """
    if not path.is_dir():
        return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    rows = []
    for case in sorted(path.rglob("*.cmd")):
        command, status, *by_hand = case.read_text("utf-8").splitlines()
        kept = case.with_suffix(".keep")
        row = {
            "id": str(case.relative_to(path).with_suffix("")),
            "command": command,
            "status": int(status.removeprefix("status ")),
            "raw": case.with_suffix(".in").read_bytes().decode("utf-8", "replace"),
            "facts": kept.read_text("utf-8").splitlines() if kept.exists() else [],
        }
        rows += [] if by_hand else [row]
    return rows


def compare(rows: list[Row], results: list[Result], measure: Measure) -> list[str]:
    """Print what engine, table and filters save of each group; return the filters that do harm."""
    by_group: dict[str, list[tuple[Result, Result, Result]]] = {}
    by_filter: dict[str, list[tuple[Result, Result]]] = {}
    for number, (row, ours) in enumerate(zip(rows, results, strict=True)):
        if ours.is_exact:
            continue
        alone = measure.result(row, number, by_the_engine)
        table = measure.result(row, number, by_the_table)
        group = str(row.get("group") or row["command"].split()[0].rpartition("/")[2])
        by_group.setdefault(group, []).append((alone, table, ours))
        if name := filter_of(row["command"], measure.settings):
            by_filter.setdefault(name, []).append((table, ours))
    print(f"  {'outputs':>7} {'raw':>7}  engine table filters  saved, and facts lost, by group")
    every = [triple for triples in by_group.values() for triple in triples]
    for group, triples in [*sorted(by_group.items()), ("all", every)]:
        sides = [list(side) for side in zip(*triples, strict=True)]
        saved = " ".join(f"{saving(side):5.1f}" for side in sides)
        lost = "/".join(str(sum(len(r.lost) for r in side)) for side in sides)
        print(f"  {len(triples):7} {tokens(sides[-1]):7}  {saved}  {lost:>7}  {group}")
    harmful: list[str] = []
    for name, pairs in sorted(by_filter.items()):
        table, ours = (list(side) for side in zip(*pairs, strict=True))
        more = sum(r.shown for r in ours) - sum(r.shown for r in table)
        facts = sum(len(r.lost) for r in table) - sum(len(r.lost) for r in ours)
        if facts < 0 or (more > MARGIN * len(pairs) and not facts):
            harmful.append(f"{name}: {more} tokens and {facts} facts more than the engine")
    return harmful


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
    with tempfile.TemporaryDirectory() as home:
        measure = Measure(home, is_slow=True) if "--slowly" in argv else Measure()
        harmful: list[str] = []
        for path in files:
            if texts:
                print_texts(path, measure)
            else:
                harmful += report(path, measure)
    if harmful:
        sys.exit("filters that do worse than the engine:\n" + "\n".join(harmful))


def print_texts(path: Path, measure: Measure) -> None:
    for number, row in enumerate(read_rows(path)):
        found = measure.result(row, number)
        print(f"=== {found.name}: {found.row['command']} ({found.raw} -> {found.shown})")
        print(found.text)


if __name__ == "__main__":
    main(sys.argv[1:])

"""laconic recall: print the output of a command as it was before laconic compacted it."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Iterator

from laconic.cli.main import complain
from laconic.compact.tokens import estimate_bytes
from laconic.compact.view import masked_notice
from laconic.errors import LaconicError
from laconic.machine.processes import reader_name
from laconic.record import queries
from laconic.record.database import reading
from laconic.record.hosts import limit_of
from laconic.record.journal import append, microseconds, new_row_id
from laconic.record.kept import is_writable, known
from laconic.record.queries import RunOfOutput
from laconic.record.recall import KeptLine, Wanted, lines, wanted
from laconic.record.step_back import StepBack
from laconic.record.store import MissingError, Store, is_id
from laconic.record.sweep import adopt
from laconic.record.tokenizer import counts
from laconic.report.dates import local_of
from laconic.report.text import counted, visible
from laconic.run.launcher import typed_name
from laconic.run.task import as_word
from laconic.secrets.mask import Masker, masked_pieces, masker_for
from laconic.settings.environ import environment, is_kept_file, is_person, reader_of
from laconic.settings.load import read_directories

LAST = "last"
MOST_TOKENS = 8_000  # that an agent is given at once
# What passes all of it on behind a pipe. Others pick, count or keep: nobody reads what we print.
_PASSING_ON = frozenset((b"cat", b"tee", b"nl", b"less", b"more", b"sh", b"bash", b"dash", b"zsh"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id",
        nargs="?",
        default=LAST,
        metavar="ID",
        help="the id in the notice; by default the last",
    )
    parser.add_argument("--lines", metavar="A:B", help="only lines A to B; also A:, :B and A")
    parser.add_argument("--grep", metavar="RE", help="only lines that match, with their numbers")
    parser.add_argument(
        "--raw",
        action="store_true",
        help="all of it as the command wrote it: stderr to stderr, no numbers, nothing escaped",
    )


def main(args: argparse.Namespace) -> int:
    picked = wanted(args.lines, args.grep)
    records = Store(read_directories().state)
    adopt(records)
    raw_id, source, store = _find(records, args.id)
    printer = _Printer(limit_of(source.agent if source else ""), raw=args.raw)
    masker = masker_for(environment())
    is_bounded = not (args.raw or is_person(environment()) or is_kept_file(1, environment()))
    is_picked = args.lines is not None or args.grep is not None
    behind = 0
    try:
        if is_bounded:
            found = picked.pick(lines(_chunks(store, raw_id, masker)))
            behind = printer.write_most(found, MOST_TOKENS, numbered=args.grep is not None)
        elif not is_picked:
            printer.write_all(_chunks(store, raw_id, masker))
        else:
            for line in picked.pick(lines(_chunks(store, raw_id, masker))):
                printer.write_line(line, numbered=args.grep is not None)
        if is_picked and not printer.has_written:
            raise _nothing(args, raw_id, sum(1 for _ in lines(store.chunks(raw_id))))
        if masker and masker.found:
            printer.write_notice(masked_notice(masker.found, raw_id, typed_name(environment())))
        printer.flush()
        if behind:
            _say_how_to_go_on(args, raw_id, behind, picked)
    finally:  # also when the reader stops early: recall ID | head
        if not is_person(environment()):  # output that a person reads costs no tokens
            _count(records, raw_id, source, printer)
    return 0


def _chunks(store: Store, raw_id: str, masker: Masker | None) -> Iterator[tuple[str, bytes]]:
    """Yield the streams piece by piece, with secrets masked if an agent reads them."""
    chunks = store.chunks(raw_id)
    return masked_pieces(chunks, masker) if masker else chunks


def _say_how_to_go_on(args: argparse.Namespace, raw_id: str, behind: int, picked: Wanted) -> None:
    """Say on stderr, which no pipe takes, that there is more; behind: the first line of it."""
    again = f"{typed_name(environment())} recall {raw_id}"
    pattern = f" --grep {as_word(args.grep)}" if args.grep is not None else ""
    last = str(picked.last) if picked.last else ""
    more = "" if pattern else f", what matches: {again} --grep RE"
    complain(
        f"only the first {MOST_TOKENS:,} tokens, up to line {behind - 1}",
        f"{again} --lines {behind}:{last}{pattern}{more}, all of it: {again} --raw",
    )


def _nothing(args: argparse.Namespace, raw_id: str, count: int) -> LaconicError:
    has = f"{raw_id} has {counted(count, 'line')}"
    if args.grep is None:
        return LaconicError(f"{has}, not {args.lines}", f"laconic recall {raw_id}")
    where = f" of {args.lines}" if args.lines else ""
    return LaconicError(f"{has}, none{where} matches {args.grep!r}", f"laconic recall {raw_id}")


class _Printer:
    """Writes bytes as they are, or escaped to a terminal, and remembers what the agent reads."""

    def __init__(self, limit: int, *, raw: bool) -> None:
        self.seen = bytearray()
        self.has_written = False
        self._limit, self._raw = limit, raw
        self._reads = {"out": _is_read(1), "err": _is_read(2 if raw else 1)}
        self._escapes = not raw and bool(sys.stdout) and sys.stdout.isatty()
        self._is_open_line = False

    def write_all(self, chunks: Iterator[tuple[str, bytes]]) -> None:
        if self._escapes:
            for line in lines(chunks):
                self._write(line.stream, line.data)
        else:
            for stream, chunk in chunks:
                self._write(stream, chunk)

    def write_most(self, found: Iterator[KeptLine], most: int, *, numbered: bool) -> int:
        """Write lines as far as the tokens reach, but at least a part of one.

        Return the number of the first line that is not written, 0 if none is missing.
        """
        for line in found:
            cost = max(1, estimate_bytes(line.data))
            if cost > most:
                if not self.has_written:
                    self.write_line(_beginning(line, most / cost), numbered=numbered)
                    return line.number + 1
                return line.number
            most -= cost
            self.write_line(line, numbered=numbered)
        return 0

    def write_line(self, line: KeptLine, *, numbered: bool) -> None:
        """Write a line; the last line of stdout may lack its newline, and stderr follows it."""
        if not self._raw:
            before = b"\n" if self._is_open_line else b""
            self._write(line.stream, before + (b"%d:" % line.number if numbered else b""))
        self._write(line.stream, line.data)
        self._is_open_line = not line.data.endswith(b"\n")

    def write_notice(self, line: str) -> None:
        """Write a line of our own after the output."""
        is_open = self._is_open_line or (self.seen and not self.seen.endswith(b"\n"))
        self._write("out", b"\n" * bool(is_open) + line.encode())

    def _write(self, stream: str, data: bytes) -> None:
        self.has_written |= bool(data)
        if self._reads["err" if stream == "err" else "out"] and len(self.seen) < self._limit:
            self.seen += data[: self._limit - len(self.seen)]
        target = sys.stderr if self._raw and stream == "err" else sys.stdout
        if target:  # None if it is closed
            target.buffer.write(_visible(data) if self._escapes else data)

    def flush(self) -> None:
        for target in (sys.stdout, sys.stderr):
            if target:
                target.flush()


def _is_read(number: int) -> bool:
    """Tell whether what we write there may reach an agent as it is."""
    try:
        if is_kept_file(number, environment()):
            return False
        if not stat.S_ISFIFO(os.fstat(number).st_mode):
            return not os.path.samestat(os.fstat(number), os.stat(os.devnull))  # noqa: PTH116
    except OSError:  # it is closed
        return False
    name = reader_name(number)
    return not name or name in _PASSING_ON


def _beginning(line: KeptLine, share: float) -> KeptLine:
    """The first part of a line that is too long, and how much is missing."""
    data = line.data[: int(len(line.data) * share)]
    text = f" [... {len(line.data) - len(data)} bytes hidden]\n"
    return line._replace(data=data + text.encode())


def _visible(line: bytes) -> bytes:
    text = line.decode("utf-8", "surrogateescape")
    shown = "\t".join(visible(part) for part in text.removesuffix("\n").split("\t"))
    return (shown + "\n" * text.endswith("\n")).encode()


def _find(records: Store, wish: str) -> tuple[str, RunOfOutput | None, Store]:
    """Return the id of an output that is kept, its run if that is recorded, and where it is."""
    if wish != LAST and not is_id(wish):
        raise MissingError(
            f"{wish!r} is not an id: ids have six letters and digits", "laconic history"
        )
    source, gone = None, None
    try:
        with reading(records.state_dir) as (connection, _):
            source = queries.source(connection, wish)
            gone = queries.expiry(connection, source.raw_id if source else wish)
    except LaconicError as error:  # the outputs can be read without the records
        complain(error.message, error.hint)
    raw_id = source.raw_id if source else _newest(records) if wish == LAST else wish
    stores = (records, *_apart(records))
    store = next((store for store in stores if store.has(raw_id)), None)
    if store is not None:
        if wish == LAST and source:
            complain(f"{raw_id} is from {local_of(source.time)}: {source.command}")
        return raw_id, source, store
    raise _missing(raw_id, wish, gone, known=source is not None)


def _apart(records: Store) -> list[Store]:
    """Return the places of a sandbox, for whoever is in it.

    Outside nothing is read from there: it is collected, as hostile input, and a link in it may lead
    to what the sandbox cannot read.
    """
    state_dir = str(records.state_dir)
    return [] if is_writable(state_dir) else list(map(Store, known(environment(), state_dir)))


def _newest(store: Store) -> str:
    files = store.directory.glob("[!.]*") if store.directory.is_dir() else ()
    newest = max(files, key=lambda path: path.stat().st_mtime, default=None)
    return newest.name.partition(".")[0] if newest else ""


def _missing(raw_id: str, wish: str, gone: tuple[int, str] | None, *, known: bool) -> MissingError:
    if gone:
        at, why = gone
        hint = "to keep more: store_mb and store_days of [compact] in the configuration"
        return MissingError(f"{raw_id} expired on {local_of(at)}: {why}", hint)
    if known:
        return MissingError(f"{raw_id} is gone: its file was removed", "run the command again")
    if wish == LAST:
        return MissingError("no output is kept yet")
    return MissingError(f"{wish!r}: no output has this id", "laconic history")


def _count(store: Store, raw_id: str, source: RunOfOutput | None, printer: _Printer) -> None:
    if not printer.has_written:
        return
    printed = bytes(printer.seen)
    # If this is more than the agent reads, we cannot know which part it reads.
    is_whole = len(printed) < limit_of(source.agent if source else "")
    counted = counts([printed]) if is_whole else None
    row = {
        "id": new_row_id(),
        "time": microseconds(),
        "raw_id": raw_id,
        "filter": source.filter if source else "",
        "program": source.program if source else "",
        "project": source.project if source else "",
        "tokens": counted[0] if counted else estimate_bytes(printed),
        "exact": int(counted is not None),
    }
    append(store.state_dir, "recalls", row)
    StepBack(store.state_dir, reader_of(environment())).recalled(raw_id)

"""Masks secrets in what an agent reads: values of the environment, and tokens by their shape.

What a program reads is never masked. Lines stay lines, so that their numbers are those of the raw
output. A cheap search comes first: a text without a long run of letters and digits has no token.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from laconic.patterns import pattern
from laconic.secrets.shapes import SHAPES, secret_values
from laconic.settings.environ import agent_of, is_kept_file, is_person, own_terminals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from laconic.secrets.shapes import Shape

_RUN = 20  # every shape has at least this many characters in a row
_CONTEXT, _BEGINNING = 12, 28  # bytes before a run, for the dot of `ya29.`, and from its start
_IN_RUNS = bytes(chr(n).isascii() and (chr(n).isalnum() or chr(n) in "_-") for n in range(256))
_RUNS = pattern(b"\1" * _RUN + b"\1*")
# A token may follow a colour code, an escaped newline, or anything that does not continue a word.
_BEFORE = rb"(?:(?<![A-Za-z0-9])|(?<=[\d\[]m)|(?<=\\[nrt]))"
_HOOK = b"hook"  # in the addresses of webhooks, whose long run comes long after the host name
_SHORT_VALUE = 16  # a shorter value is only masked as a whole word
_MOST_HELD = 4096  # bytes of an unfinished line that may become a secret
_HELD = pattern(rb"[\w+/=.-]{1,4096}\Z")
_LONG_WORD = 8

_KEY = b"PRIVATE KEY"
_KEY_BEGINS = pattern(rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,20}-----")
_KEY_LINE = pattern(rb"([A-Za-z0-9+/]{16,}={0,2}|^[A-Za-z0-9+/]{4,}={0,2})([\"',\\nr\s]*)$")
_KEY_INLINE = pattern(rb"(?:\\n|\\r|[A-Za-z0-9+/= ]){40,}")
_KEY_HEADER = pattern(rb"^\s*(?:[A-Za-z-]{3,20}: .*)?\s*$")


class Masker:
    """Masks secrets in the streams of one command; found: how many there were.

    values: the secrets of the environment, with the names of their variables. descriptors: those
    whose output an agent reads.
    """

    def __init__(self, values: Mapping[str, str], descriptors: Iterable[int] = (1, 2)) -> None:
        self.descriptors = frozenset(descriptors)
        self.found = 0
        self._names = {
            value.encode("utf-8", "surrogateescape"): name for value, name in values.items()
        }
        self._held: dict[int, bytes] = {}
        self._in_key: dict[int, bool] = {}

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Masker:
        """Make a masker for the secrets of an environment."""
        return cls(secret_values(environ))

    def again(self) -> Masker:
        """Return a new masker for the same streams, read again from the beginning."""
        made = Masker({}, self.descriptors)
        made._names = self._names
        return made

    def mask(self, data: bytes, number: int = 1) -> bytes:
        """Mask whole lines of a descriptor."""
        if number not in self.descriptors:
            return data
        if self._in_key.get(number) or _KEY in data:
            data = self._without_keys(data, number)
        for searched, name in self._present(data):
            data, count = searched.subn(f"[hidden: {name}]".encode(), data)
            self.found += count
        return data

    def feed(self, data: bytes, number: int) -> bytes:
        """Mask pieces of any size; what may become a secret is held until its end is known."""
        if number not in self.descriptors:
            return data
        data = self._held.pop(number, b"") + data
        cut = data.rfind(b"\n") + 1
        last = data[cut:]
        waiting = self._waiting(last, number) if last else 0
        done = self.mask(data[:cut], number) if cut else b""
        if waiting:
            self._held[number] = last[len(last) - waiting :]
            last = last[: len(last) - waiting]
        return done + (self.mask(last, number) if last else b"")

    def held(self, number: int) -> int:
        """Return how many bytes are held."""
        return len(self._held.get(number, b""))

    def rest(self, number: int) -> bytes:
        """Return what is still held, after the stream has ended."""
        return self.mask(self._held.pop(number, b""), number)

    def _waiting(self, line: bytes, number: int) -> int:
        """Count the bytes at the end of an unfinished line that may begin a secret."""
        if _KEY in line or self._in_key.get(number):
            return min(len(line), _MOST_HELD)
        run = _HELD.search(line, max(0, len(line) - _MOST_HELD))
        length = len(run[0]) if run and _may_begin(run[0]) else 0
        for value in self._names:
            for size in range(min(len(value) - 1, len(line)), length, -1):
                if line.endswith(value[:size]):
                    length = size
                    break
        for value in self._names:  # a value must not be cut in two
            cut = len(line) - length
            start = line.find(value, max(0, cut - len(value) + 1), cut + len(value) - 1)
            length = max(length, len(line) - start) if 0 <= start < cut else length
        return length

    def _present(self, data: bytes) -> Iterator[tuple[re.Pattern[bytes], str]]:
        for value, name in self._names.items():
            if value in data:
                yield _of_value(value), name
        runs = _beginnings_of_runs(data)
        hooks = data if _HOOK in data else b""
        for shape in SHAPES:
            if any(text in (hooks if _HOOK in text else runs) for text in _beginnings(shape)):
                yield _of_shape(shape), shape.name

    def _without_keys(self, data: bytes, number: int) -> bytes:
        lines = data.split(b"\n")
        inside = self._in_key.get(number, False)
        for pos, line in enumerate(lines):
            begins = _KEY_BEGINS.search(line)
            if begins:
                behind = _KEY_INLINE.match(line, begins.end())
                inside = not behind
                if behind:
                    lines[pos] = line[: begins.end()] + _HIDDEN_KEY + line[behind.end() :]
                    self.found += 1
            elif inside:
                inside = self._mask_key_line(lines, pos)
        self._in_key[number] = inside
        return b"\n".join(lines)

    def _mask_key_line(self, lines: list[bytes], pos: int) -> bool:
        """Mask a line of a key; tell whether the key continues."""
        line = lines[pos]
        if b"-----END" in line:
            return False
        body = _KEY_LINE.search(line)
        if body:
            lines[pos] = line[: body.start(1)] + _HIDDEN_KEY + body[2]
            self.found += 1
            return True
        return pos == len(lines) - 1 or _KEY_HEADER.match(line) is not None


_HIDDEN_KEY = b"[hidden: private key]"


def masker_for(environ: Mapping[str, str]) -> Masker | None:
    """Return the masker for our own output; None if no agent reads any of it."""
    return masker_at(environ, own_terminals(), [n for n in (1, 2) if not _is_kept(n, environ)])


def masker_at(
    environ: Mapping[str, str], terminals: frozenset[int], written: Iterable[int] = (1, 2)
) -> Masker | None:
    """Return the masker for a caller. written: its descriptors that are not files."""
    if is_person(environ, terminals):
        return None
    is_agent = bool(agent_of(environ)[0])
    # A terminal counts only if an agent has it.
    read = [n for n in written if is_agent or n not in terminals]
    return Masker(secret_values(environ), read) if read else None


def _is_kept(number: int, environ: Mapping[str, str]) -> bool:
    """Tell whether nobody reads a descriptor now: it is a file, or it is closed."""
    try:
        return is_kept_file(number, environ)
    except OSError:
        return True


def _beginnings_of_runs(data: bytes) -> bytes:
    """Collect the beginnings of all runs that are long enough for a token, with some context."""
    runs = _RUNS.finditer(data.translate(_IN_RUNS))
    starts = map(re.Match.start, runs)
    return b"\n".join({data[max(0, start - _CONTEXT) : start + _BEGINNING] for start in starts})


def _may_begin(word: bytes) -> bool:
    """Tell whether a token may begin in an unfinished word, such as `=g` of `=ghp_`."""
    if len(word) >= _LONG_WORD:
        return True
    every = [text for shape in SHAPES for text in _beginnings(shape)]
    ends = [word[at:] for at in range(len(word))]
    return any(text in word or text.startswith(end) for text in every for end in ends)


@cache
def _beginnings(shape: Shape) -> list[bytes]:
    return [text.encode() for text in shape.beginnings]


@cache
def _of_shape(shape: Shape) -> re.Pattern[bytes]:
    beginnings = b"|".join(map(re.escape, _beginnings(shape)))
    return pattern(_BEFORE + b"(?:" + beginnings + b")" + shape.strictly.encode())


@lru_cache(maxsize=256)
def _of_value(value: bytes) -> re.Pattern[bytes]:
    text = re.escape(value)
    return pattern(text if len(value) >= _SHORT_VALUE else rb"(?<!\w)" + text + rb"(?!\w)")


def masked_pieces(
    pieces: Iterable[tuple[str, bytes]], masker: Masker
) -> Iterator[tuple[str, bytes]]:
    """Yield the pieces of streams, one stream after the other, without their secrets."""
    current = ""
    for stream, piece in pieces:
        if current and stream != current:
            yield current, masker.rest(_number(current))
        current = stream
        yield stream, masker.feed(piece, _number(stream))
    if current:
        yield current, masker.rest(_number(current))


def _number(stream: str) -> int:
    return 2 if stream == "err" else 1

"""The raw store: the output of commands, byte for byte, compressed, readable only by the owner.

An output is kept under a short id, one file for each stream: `raw/k3f9ab.both.z`. The files can be
read without the database, even when that is lost or damaged.
"""

from __future__ import annotations

import contextlib
import os
import time
import zlib
from collections.abc import Iterator, Mapping
from errno import EACCES
from pathlib import Path

from laconic.errors import LaconicError
from laconic.files import make_private, open_handle
from laconic.record.kept import is_apart, is_own

# One file for both if they went to the same place, so that their order is known; else one each.
STREAMS = ("both", "out", "err")
ALPHABET = "abcdefghjkmnopqrstuvwxyz23456789"  # without i and l, which look like 1
ID_LENGTH = 6
COMPRESSED = ".z"
_SUM = ".sum"  # the checksum of an output that is not compressed, which has one of its own
_MOVED_BYTES = 32 << 20  # compressing more would keep the agent waiting
_CHUNK = 1 << 20
_UNIT = 64 * 1024
_SHARE = 16  # sweep when a sixteenth of the bound is new
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


class MissingError(LaconicError):
    """No output is kept under this id."""


class Store:
    """The outputs in a state directory, and the limits on their size and age."""

    def __init__(
        self, state_dir: str | os.PathLike[str], store_mb: int = 256, store_days: int = 14
    ) -> None:
        self.state_dir = Path(state_dir)
        self.directory = self.state_dir / "raw"
        self.spool_dir = self.state_dir / "spool"
        self.limit_bytes, self.days = store_mb << 20, store_days

    @classmethod
    def open(cls, state_dir: str | os.PathLike[str]) -> Store:
        return cls(state_dir)

    def keep(self, parts: Mapping[str, bytes | str | os.PathLike[str]], raw_id: str = "") -> str:
        """Keep an output, each stream as bytes or as the file that holds it; return its id.

        A large file in the state directory itself is moved; everything else is copied. Raises
        OSError if there is no room, and then keeps nothing of it.
        """
        make_private(self.directory)
        self._refuse_links()
        raw_id = raw_id or self.new_id()
        # Files are moved last, so that the caller still has them if anything fails before.
        moved = {stream: part for stream, part in parts.items() if self._is_to_be_moved(part)}
        copied = {stream: part for stream, part in parts.items() if stream not in moved}
        try:
            size = sum(_compress(part, self._path(raw_id, name)) for name, part in copied.items())
        except BaseException:  # also Ctrl-C: no part of an output stays
            self.remove(raw_id)
            raise
        size += sum(_move(part, self._path(raw_id, name, "")) for name, part in moved.items())
        with contextlib.suppress(OSError):  # the output is kept; a failed sweep does no harm
            if self._is_sweep_due(size):
                from laconic.record.sweep import sweep  # noqa: PLC0415 - seldom, and it needs us

                sweep(self, time.time())
        return raw_id

    def _refuse_links(self) -> None:
        """Raise PermissionError where whatever is in a sandbox has put a link to somewhere else.

        Only the place that this one may write is hostile: the user's own may be on another disk.
        """
        if is_apart(self.state_dir):
            for place in (self.state_dir, self.directory, self.spool_dir):
                if os.path.lexists(place) and not is_own(str(place)):
                    raise PermissionError(EACCES, os.strerror(EACCES), str(place))

    def update(self, raw_id: str, parts: Mapping[str, Path]) -> None:
        """Update the kept copy from files that have grown; the files stay where they are."""
        for stream, path in parts.items():
            final, written = self._path(raw_id, stream), path.stat().st_mtime_ns
            if not final.exists() or final.stat().st_mtime_ns != written:
                _compress(path, final)
                # The next update copies what is written after this time.
                os.utime(final, ns=(written, written))

    def new_id(self) -> str:
        while True:
            raw_id = new_id()
            if not self.has(raw_id):
                return raw_id

    def has(self, raw_id: str) -> bool:
        return bool(self.paths(raw_id))

    def paths(self, raw_id: str) -> list[Path]:
        """Return the files of an id, in the order in which they are read."""
        if not is_id(raw_id):
            return []
        names = (
            self._path(raw_id, stream, suffix) for stream in STREAMS for suffix in ("", COMPRESSED)
        )
        return [path for path in names if path.exists()]

    def remove(self, raw_id: str) -> None:
        for path in self.paths(raw_id):
            path.unlink(missing_ok=True)
            path.with_name(path.name + _SUM).unlink(missing_ok=True)

    def load(self, raw_id: str) -> dict[str, bytes]:
        """Return the bytes of each stream."""
        streams: dict[str, bytearray] = {}
        for stream, chunk in self.chunks(raw_id):
            streams.setdefault(stream, bytearray()).extend(chunk)
        return {stream: bytes(data) for stream, data in streams.items()}

    def chunks(self, raw_id: str) -> Iterator[tuple[str, bytes]]:
        """Yield the streams piece by piece, so that any size fits into memory."""
        paths = self.paths(raw_id)
        if not paths:
            raise MissingError(f"no output is kept under {raw_id!r}", "laconic history")
        for path in paths:
            stream = path.name.split(".")[1]
            yield stream, b""
            for chunk in _read(path):
                yield stream, chunk

    def _path(self, raw_id: str, stream: str, suffix: str = COMPRESSED) -> Path:
        assert stream in STREAMS
        assert is_id(raw_id)
        return self.directory / f"{raw_id}.{stream}{suffix}"

    def _is_to_be_moved(self, part: bytes | str | os.PathLike[str]) -> bool:
        if isinstance(part, bytes):
            return False
        path = Path(part)
        return path.stat().st_size > _MOVED_BYTES and path.is_relative_to(self.state_dir)

    def _is_sweep_due(self, added: int) -> bool:
        """Tell whether to sweep: once a day, and when much is new; else this costs one small write.

        The size of a file with the day as its name counts what is new: a byte for each 64 KB begun.
        """
        tally = self.directory / f".tally-{time.strftime('%Y%m%d', time.gmtime())}"
        with open_handle(tally, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC) as handle:
            written = os.write(handle, b"." * (added // _UNIT + 1))
            total = os.fstat(handle).st_size
            is_due = total == written or total * _UNIT > self.limit_bytes // _SHARE
            if is_due:
                os.ftruncate(handle, 1)  # not 0: that would be the first output of the day again
        return is_due


def new_id() -> str:
    return "".join(ALPHABET[byte & 31] for byte in os.urandom(ID_LENGTH))


def is_id(text: str) -> bool:
    return len(text) == ID_LENGTH and all(character in ALPHABET for character in text)


_FILES = frozenset(f"{name}{suffix}" for name in STREAMS for suffix in ("", COMPRESSED, _SUM))


def id_of(name: str) -> str:
    """Return the id of the output that a file belongs to; nothing for a file that is not ours."""
    raw_id, _, rest = name.partition(".")
    return raw_id if is_id(raw_id) and rest in _FILES else ""


def _compress(part: bytes | str | os.PathLike[str], final: Path) -> int:
    # The name of a draft is not an id; a draft that a crash has left is swept away.
    draft = final.with_name(f".{final.name}.{os.getpid()}")
    try:
        with open(os.open(draft, _CREATE, 0o600), "wb") as stream:  # noqa: PTH123 - with its mode
            packer = zlib.compressobj(1)
            stream.writelines(packer.compress(chunk) for chunk in _pieces(part))
            stream.write(packer.flush())
        size = draft.stat().st_size
        draft.replace(final)
    except BaseException:  # also Ctrl-C: no draft stays
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
    return size


def _move(part: bytes | str | os.PathLike[str], final: Path) -> int:
    assert not isinstance(part, bytes)
    total = 0
    for piece in _pieces(part):
        total = zlib.crc32(piece, total)
    handle = os.open(f"{final}{_SUM}", _CREATE, 0o600)
    with open(handle, "w", encoding="ascii") as file:  # noqa: PTH123 - with its mode
        file.write(f"{total}\n")
    Path(part).rename(final)
    return final.stat().st_size


def _pieces(part: bytes | str | os.PathLike[str]) -> Iterator[bytes]:
    if isinstance(part, bytes):
        yield part
        return
    handle = os.open(part, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe is not waited for
    with open(handle, "rb") as stream:  # noqa: PTH123 - of a descriptor
        while chunk := stream.read(_CHUNK):
            yield chunk


def _read(path: Path) -> Iterator[bytes]:
    if path.suffix != COMPRESSED:
        yield from _read_plain(path)
        return
    unpacker = zlib.decompressobj()
    try:
        for piece in _pieces(path):
            data = piece
            while data and not unpacker.eof:
                yield unpacker.decompress(data, _CHUNK)
                data = unpacker.unconsumed_tail
    except zlib.error as error:
        raise LaconicError(f"{path}: the kept copy is damaged: {error}") from error
    if not unpacker.eof:
        raise LaconicError(f"{path}: the kept copy is damaged: its end is missing")


def _read_plain(path: Path) -> Iterator[bytes]:
    total = 0
    for piece in _pieces(path):
        total = zlib.crc32(piece, total)
        yield piece
    try:
        known = int(path.with_name(path.name + _SUM).read_bytes())
    except FileNotFoundError:
        return  # an older laconic kept it, without one
    except ValueError:
        known = -1
    if known != total:
        raise LaconicError(f"{path}: the kept copy is damaged: its checksum does not match")

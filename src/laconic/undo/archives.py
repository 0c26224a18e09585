"""Archives and compressed files: what unpacking writes, read from the archive itself."""

from __future__ import annotations

import os
from collections.abc import Iterable

from laconic.reading.acts import Verb
from laconic.reading.commands.tar import read_options
from laconic.undo.call import PlacedCall, texts
from laconic.undo.reach import HARD_LINK, Reach

_MOST_MEMBERS = 50_000


def tar(call: PlacedCall, reach: Reach) -> None:
    parsed = read_options(call.program.arguments[1:])
    folders = texts(parsed.values("-C", "--directory"))
    folder = call.path(folders[-1]) if folders else call.directory
    files = texts(parsed.values("-f", "--file"))
    archive = files[-1] if files else ""
    if parsed.has("-x", "--extract", "--get"):
        members = _tar_members(call.path(archive) if archive not in ("", "-") else call.stdin)
        strips = texts(parsed.values("--strip-components"))
        strip = int(strips[-1]) if strips and strips[-1].isdigit() else 0
        _unpacked(call, reach, folder, members, strip)
        if parsed.has("--one-top-level", "-P", "--absolute-names"):
            call.doubt(reach, "the directory of the members is not known")
    elif parsed.has("-c", "--create", "-r", "--append", "-u", "--update", "-A", "--delete"):
        if not archive:
            call.doubt(reach, "the archive may be what TAPE names")
        if archive not in ("", "-"):
            call.file(reach, archive)
        if parsed.has("--remove-files"):
            for word in texts(parsed.operands):
                for path in call.paths(os.path.join(folder, word)):
                    reach.add(path, deep=True, how=HARD_LINK)


def _tar_members(path: str) -> list[str] | None:
    if not path:
        return None
    import tarfile  # noqa: PLC0415 - few commands unpack

    try:
        with tarfile.open(path) as file:
            members = []
            for member in file:
                members.append(member.name)
                if len(members) > _MOST_MEMBERS:
                    return None
            return members
    except (OSError, tarfile.TarError, EOFError):
        return None


def _unpacked(
    call: PlacedCall, reach: Reach, folder: str, members: Iterable[str] | None, strip: int
) -> None:
    """Add the members by copies: not every tar unlinks what it replaces (man 1 bsdtar, -U)."""
    if members is None:
        reach.add(folder, deep=True)
        call.doubt(reach, "the members of the archive are not known")
        return
    for member in members:
        parts = [part for part in member.split("/") if part][strip:]
        parts = [part for part in parts if part != "."]
        if not parts:
            continue
        path = os.path.join(folder, *parts)
        reach.add(path)
        if os.path.islink(path):
            reach.add(os.path.realpath(path))


def unzip(call: PlacedCall, reach: Reach) -> None:
    parsed = call.parsed
    operands = texts(parsed.operands)
    if parsed.has("-l", "-t", "-p", "-c", "-z", "-v") or not operands:
        return
    folders = texts(parsed.values("-d"))
    folder = call.path(folders[-1]) if folders else call.directory
    members = _zip_members(call.path(operands[0]))
    if members is not None and parsed.has("-j"):
        members = [os.path.basename(member) for member in members]
    _unpacked(call, reach, folder, members, 0)


def _zip_members(path: str) -> list[str] | None:
    import zipfile  # noqa: PLC0415 - few commands unpack

    for candidate in (path, f"{path}.zip"):
        try:
            with zipfile.ZipFile(candidate) as file:
                names = file.namelist()
                return names if len(names) <= _MOST_MEMBERS else None
        except (OSError, zipfile.BadZipFile, ValueError):
            continue
    return None


def zip_(call: PlacedCall, reach: Reach) -> None:
    """Make or change an archive; with -m the files go into it."""
    parsed = call.parsed
    operands = texts(parsed.operands)
    for word in operands[:1]:
        call.file(reach, word)
        call.file(reach, f"{word}.zip")
    if parsed.has("-m", "--move"):
        for word in operands[1:]:
            call.tree(reach, word, HARD_LINK)


_SUFFIXES = (".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".lzma", ".zst", ".lz4", ".Z", ".z")


def compress(call: PlacedCall, reach: Reach) -> None:
    """Compress or expand each file: one with another ending replaces it."""
    endings = (*_SUFFIXES, *texts(call.parsed.values("-S", "--suffix")))
    for word in call.acted_on(Verb.WRITE):
        call.file(reach, word)
    for path in (path for word in call.acted_on(Verb.DELETE) for path in call.paths(word)):
        reach.add(path, deep=call.parsed.has("-r", "--recursive"), how=HARD_LINK)
        for ending in endings:
            reach.add(f"{path}{ending}")
            if path.endswith(ending):
                reach.add(path[: -len(ending)])
                reach.add(f"{path[: -len(ending)]}.tar")

"""Archives and compressed files: what unpacking writes, read from the archive itself."""

from __future__ import annotations

import os

from laconic.undo.call import texts
from laconic.undo.reach import LINKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from laconic.undo.call import Call
    from laconic.undo.reach import Reach

_MOST_MEMBERS = 50_000
_TAR = (
    "-A --catenate --concatenate -c --create -d --diff --compare --delete -r --append -t --list -u"
    " --update -x --extract --get -f=V --file=V -C=V --directory=V -z --gzip -j --bzip2 -J --xz"
    " --zstd --lzip --lzma -Z --compress -a --auto-compress -v --verbose -p --preserve-permissions"
    " --same-permissions -k --keep-old-files --skip-old-files --keep-newer-files --overwrite"
    " --overwrite-dir -U --unlink-first --recursive-unlink -m --touch -o --no-same-owner"
    " --same-owner --no-same-permissions --strip-components=V --exclude=V -X=V --exclude-from=V"
    " -T=V --files-from=V --remove-files -h --dereference --numeric-owner --owner=V --group=V"
    " --mode=V --mtime=V --sort=V --wildcards --no-wildcards -S --sparse -P --absolute-names -w"
    " --one-top-level[=V] --no-recursion --warning=V --xattrs --acls --selinux -s -l"
    " --one-file-system --format=V --null --anchored"
)
_TAR_LETTERS = frozenset("AcdrtuxfCzjJZavpkUmohSPwlTXb")
_TAR_VALUES = frozenset("fCTXb")


def tar(call: Call, reach: Reach) -> None:
    words = _new_style(call.words[1:])
    parsed = call.like([call.name, *words]).read(_TAR)
    for _, problem in parsed.problems:
        call.doubt(reach, problem)
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
        if archive not in ("", "-"):
            call.file(reach, archive)
        if parsed.has("--remove-files"):
            for word in texts(parsed.operands):
                for path in call.paths(os.path.join(folder, word)):
                    reach.add(path, deep=True, how=LINKED)


def _new_style(words: list[str]) -> list[str]:
    """Write `tar xvf a.tar` as `tar -x -v -f a.tar`: man 1 tar, "Traditional style"."""
    if not words or words[0].startswith("-") or not set(words[0]) <= _TAR_LETTERS:
        return words
    rest, written = words[1:], []
    for letter in words[0]:
        written.append(f"-{letter}")
        if letter in _TAR_VALUES and rest:
            written.append(rest.pop(0))
    return [*written, *rest]


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
    call: Call, reach: Reach, folder: str, members: Iterable[str] | None, strip: int
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


def unzip(call: Call, reach: Reach) -> None:
    parsed = call.read(
        "-o -n -q -j -a -b -C -L -v -l -t -p -c -z -f -u -x -d=V -D -X -K -P=V -O=V -I=V",
    )
    operands = texts(parsed.operands)
    if parsed.has("-l", "-t", "-p", "-c", "-z", "-v") or not operands:
        return
    for _, problem in parsed.problems:
        call.doubt(reach, problem)
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


def zip_(call: Call, reach: Reach) -> None:
    """Make or change an archive; with -m the files go into it."""
    parsed = call.read(
        "-r -q -9 -8 -7 -6 -5 -4 -3 -2 -1 -0 -j -u -f -d -m -x=V -i=V -y -X -D -l -v -T -o -A -@"
        " --quiet --recurse-paths --move --junk-paths --symlinks"
    )
    for _, problem in parsed.problems:
        call.doubt(reach, problem)
    operands = texts(parsed.operands)
    for word in operands[:1]:
        call.file(reach, word)
        call.file(reach, f"{word}.zip")
    if parsed.has("-m", "--move"):
        for word in operands[1:]:
            call.tree(reach, word, LINKED)


_SUFFIXES = (".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".lzma", ".zst", ".lz4", ".Z", ".z")


def compress(call: Call, reach: Reach) -> None:
    """Compress or expand each operand: a file with another ending replaces it."""
    parsed = call.read(
        "-c --stdout --to-stdout -d --decompress --uncompress -f --force -k --keep -l --list -n"
        " --no-name -N --name -q --quiet -r --recursive -t --test -v --verbose -NUM -1 -2 -3 -4 -5"
        " -6 -7 -8 -9 --fast --best -e --extreme -T=V --threads=V -z --compress -m -o=V --rm -19"
        " -S=V --suffix=V --ultra --long[=V] -s --small"
    )
    for _, problem in parsed.problems:
        call.doubt(reach, problem)
    if parsed.has("-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test"):
        return
    endings = (*_SUFFIXES, *texts(parsed.values("-S", "--suffix")))
    for word in texts(parsed.values("-o")):
        call.file(reach, word)
    for word in texts(parsed.operands):
        for path in call.paths(word):
            reach.add(path, deep=parsed.has("-r", "--recursive"), how=LINKED)
            for ending in endings:
                reach.add(f"{path}{ending}")
                if path.endswith(ending):
                    reach.add(path[: -len(ending)])
                    reach.add(f"{path[: -len(ending)]}.tar")

"""Programs that copy, move, link and write files under names that follow from their arguments."""

from __future__ import annotations

import os

from laconic.undo.call import is_device, texts
from laconic.undo.reach import COPIED, LINKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.knowledge.options import Parsed
    from laconic.undo.call import Call
    from laconic.undo.reach import Reach

_MOST_NAMES = 50_000
_BACKUP = "-b --backup[=V] -S=V --suffix=V"
_CP = (
    f"{_BACKUP} -a --archive --attributes-only --copy-contents -d -f --force -i --interactive -H -l"
    " --link -L --dereference -n --no-clobber -P --no-dereference -p --preserve[=V] --no-preserve=V"
    " --parents -R -r --recursive --reflink[=V] --remove-destination --sparse=V"
    " --strip-trailing-slashes -s --symbolic-link -t=V --target-directory=V -T"
    " --no-target-directory -u --update[=V] -v --verbose -x --one-file-system -Z --context[=V]"
)
_MV = (
    f"{_BACKUP} -f --force -i --interactive -n --no-clobber --strip-trailing-slashes -t=V"
    " --target-directory=V -T --no-target-directory -u --update[=V] -v --verbose -Z --context[=V]"
    " --exchange --no-copy"
)
_LN = (
    f"{_BACKUP} -d -F --directory -f --force -i --interactive -L --logical -n --no-dereference -P"
    " --physical -r --relative -s --symbolic -t=V --target-directory=V -T --no-target-directory -v"
    " --verbose"
)
_INSTALL = (
    f"{_BACKUP} -c -C --compare -d --directory -D -g=V --group=V -m=V --mode=V -o=V --owner=V -p"
    " --preserve-timestamps -s --strip -t=V --target-directory=V -T --no-target-directory -v"
    " --verbose -Z --context[=V]"
)


def copying(call: Call, reach: Reach) -> None:
    parsed = _read(call, reach, _CP)
    sources, target, is_into = _ends(call, parsed)
    has_parents = parsed.has("--parents")
    for source in sources:
        name = source.lstrip("/") if has_parents else os.path.basename(source.rstrip("/"))
        for path in call.paths(source):
            if call.patterns and not has_parents:
                name = os.path.basename(path.rstrip("/"))
            place = os.path.join(target, name) if is_into else target
            if name in (".", "..", ""):  # `cp -r src/. dst`
                place = target
            for below in _names_below(path):
                _written(reach, os.path.join(place, below) if below else place)
                _backups(reach, parsed, os.path.join(place, below) if below else place)


def moving(call: Call, reach: Reach) -> None:
    parsed = _read(call, reach, _MV)
    sources, target, is_into = _ends(call, parsed)
    for source in sources:
        for path in call.paths(source):
            # Not by a link: the file lives on under its new name, and may be written there later.
            reach.add(path, deep=True)
            place = os.path.join(target, os.path.basename(path.rstrip("/"))) if is_into else target
            reach.add(place, deep=True, how=_replaced(parsed))
            _backups(reach, parsed, place)


def linking(call: Call, reach: Reach) -> None:
    parsed = _read(call, reach, _LN)
    operands = texts(parsed.operands)
    if len(operands) == 1 and not parsed.has("-t", "--target-directory"):
        operands = [*operands, "."]
        sources, target, is_into = operands[:1], call.path("."), True
    else:
        sources, target, is_into = _ends(call, parsed)
    if parsed.has("-n", "--no-dereference") and os.path.islink(target):
        is_into = False
    for source in sources:
        for path in call.paths(source):
            place = os.path.join(target, os.path.basename(path.rstrip("/"))) if is_into else target
            reach.add(place, deep=True, how=_replaced(parsed))
            _backups(reach, parsed, place)


def installing(call: Call, reach: Reach) -> None:
    parsed = _read(call, reach, _INSTALL)
    if parsed.has("-d", "--directory"):
        for word in texts(parsed.operands):
            call.name_only(reach, word)
        return
    sources, target, is_into = _ends(call, parsed)
    for source in sources:
        for path in call.paths(source):
            place = os.path.join(target, os.path.basename(path)) if is_into else target
            _written(reach, place)
            _backups(reach, parsed, place)


def renaming(call: Call, reach: Reach) -> None:
    """Rename by util-linux or by Perl, which differ: the operands go, the new names are unknown."""
    for word in call.words[1:]:
        if not word.startswith("-"):
            call.tree(reach, word)
    call.doubt(reach, "the new names are not known")


def _read(call: Call, reach: Reach, options: str) -> Parsed:
    parsed = call.read(options)
    for _, problem in parsed.problems:
        call.doubt(reach, problem)
    return parsed


def _ends(call: Call, parsed: Parsed) -> tuple[list[str], str, bool]:
    """Return sources, target, and whether the sources go into the target under their own names."""
    operands = texts(parsed.operands)
    into = texts(parsed.values("-t", "--target-directory"))
    if into:
        return operands, call.path(into[-1]), True
    if not operands:
        return [], call.directory, False
    target = call.path(operands[-1])
    if parsed.has("-T", "--no-target-directory"):
        return operands[:-1], target, False
    is_into = os.path.isdir(target) or len(operands) > 2  # noqa: PLR2004 - several go into one
    return operands[:-1], target, is_into


def _names_below(path: str) -> Iterator[str]:
    """Return "" for the path itself, and every name below it, relative to it."""
    yield ""
    if not os.path.isdir(path):
        return
    count = 0
    for directory, folders, files in os.walk(path):
        start = os.path.relpath(directory, path)
        for name in (*folders, *files):
            yield os.path.normpath(os.path.join(start, name))
            count += 1
            if count > _MOST_NAMES:
                return


def _written(reach: Reach, path: str) -> None:
    """Add a file that is written in place or replaced, and what a link there leads to."""
    if is_device(path):
        return
    reach.add(path)
    if os.path.islink(path):
        reach.add(os.path.realpath(path))


def _replaced(parsed: Parsed) -> str:
    """Tell how to keep a file that another one replaces; with a backup it stays on the disk."""
    return COPIED if parsed.has("-b", "--backup", "-S", "--suffix") else LINKED


def _backups(reach: Reach, parsed: Parsed, path: str) -> None:
    if parsed.has("-b", "--backup", "-S", "--suffix"):
        suffixes = texts(parsed.values("-S", "--suffix")) or ["~"]
        reach.add(f"{path}{suffixes[-1]}", deep=True)
        reach.add(f"{path}.~", prefix=True, deep=True)


# -- files by other names --------------------------------------------------------------------------


def dd(call: Call, reach: Reach) -> None:
    for word in call.words[1:]:
        key, equals, value = word.partition("=")
        if key == "of":
            call.file(reach, value)
        elif not equals and word not in ("--help", "--version"):
            call.doubt(reach, f"{word} is not known")


def split(call: Call, reach: Reach) -> None:
    parsed = _read(
        call,
        reach,
        "-a=V --suffix-length=V --additional-suffix=V -b=V --bytes=V -C=V --line-bytes=V -d"
        " --numeric-suffixes[=V] -x --hex-suffixes[=V] -e --elide-empty-files -l=V --lines=V -n=V"
        " --number=V -t=V --separator=V -u --unbuffered --verbose -NUM",
    )
    operands = texts(parsed.operands)
    prefix = operands[1] if len(operands) > 1 else "x"
    reach.add(call.path(prefix), prefix=True)


def csplit(call: Call, reach: Reach) -> None:
    parsed = _read(
        call,
        reach,
        "-b=V --suffix-format=V -f=V --prefix=V -k --keep-files -n=V --digits=V -s --quiet --silent"
        " -z --elide-empty-files --suppress-matched -q",
    )
    prefix = (texts(parsed.values("-f", "--prefix")) or ["xx"])[-1]
    reach.add(call.path(prefix), prefix=True)


def uniq(call: Call, reach: Reach) -> None:
    parsed = _read(
        call,
        reach,
        "-c --count -d --repeated -D --all-repeated[=V] -f=V --skip-fields=V --group[=V] -i"
        " --ignore-case -s=V --skip-chars=V -u --unique -z --zero-terminated -w=V --check-chars=V",
    )
    for word in texts(parsed.operands)[1:]:
        call.file(reach, word)


_RSYNC = (
    "-v --verbose --info=V --debug=V -q --quiet -c --checksum -a --archive -r --recursive -R"
    " --relative -b --backup --backup-dir=V --suffix=V -u --update --inplace --append -d --dirs -l"
    " --links -L --copy-links -k -K -H --hard-links -p --perms -E --executability --chmod=V -A"
    " --acls -X --xattrs -o --owner -g --group -D --devices --specials -t --times -O -J --super -S"
    " --sparse -n --dry-run -W --whole-file -x --existing --ignore-existing --remove-source-files"
    " --del --delete --delete-before --delete-during --delete-delay --delete-after"
    " --delete-excluded --ignore-errors --force --max-delete=V --max-size=V --min-size=V --partial"
    " --partial-dir=V --delay-updates -m --prune-empty-dirs -I --ignore-times --size-only -y"
    " --fuzzy -z --compress -C --cvs-exclude -f=V --filter=V -F --exclude=V --exclude-from=V"
    " --include=V --include-from=V --stats -h --human-readable --progress -P -i --itemize-changes"
    " --out-format=V --no-o --no-g --no-perms --no-times --mkpath"
)


def rsync(call: Call, reach: Reach) -> None:
    parsed = _read(call, reach, _RSYNC)
    operands = texts(parsed.operands)
    if parsed.has("-n", "--dry-run") or len(operands) < 2:  # noqa: PLR2004 - source and target
        return
    *sources, target = operands
    if ":" in target.partition("/")[0]:
        reach.beyond.append("rsync: it changes another machine")
        return
    deletes = any(option.name.startswith("--del") for option in parsed.options)
    for source in sources:
        if ":" in source.partition("/")[0]:
            call.tree(reach, target)
            call.doubt(reach, "the names come from another machine")
            continue
        for path in call.paths(source):
            place = call.path(target)
            if parsed.has("-R", "--relative"):
                place = os.path.join(place, source.lstrip("/"))
            elif not path.endswith("/"):
                is_into = os.path.isdir(place) or os.path.isdir(path) or len(sources) > 1
                place = os.path.join(place, os.path.basename(path)) if is_into else place
            if deletes:
                reach.add(place, deep=True)
            for below in _names_below(path):
                _written(reach, os.path.join(place, below) if below else place)
            if parsed.has("--remove-source-files"):
                reach.add(path, deep=True, how=COPIED)
    for word in texts(parsed.values("--backup-dir", "--partial-dir")):
        call.tree(reach, word)
    if parsed.has("-b", "--backup"):
        call.doubt(reach, "the names of the backups are not known")

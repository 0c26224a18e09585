"""tar: harmless where it lists, compares, or packs or extracts to standard output.

Unsafe: create, append, update, delete, extract to files; the shell code of --to-command; -I,
--checkpoint-action, --info-script, --rsh-command, --rmt-command (run programs); --index-file
(writes); -T (a list whose lines may be options); an archive on another host (`host:file`).
"""

from __future__ import annotations

import posixpath
from itertools import pairwise

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Parsed, Reading, Spec, parse_options
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.commands.file_lists import reads_listed
from laconic.reading.commands.unpack import as_pattern
from laconic.types import Effect, Kind

_OPTIONS = Spec("""
  -t -x -d -c -r -u -O -v -z -j -J -Z -a -f=V -C=V -P -h -k -n -p -s -S -R -B -i -l -b=V -K=V -N=V
  -X=READ -T=V --files-from=V --list --create --append --update --extract --get --to-command=SHELL
  --xattrs --acls --selinux --no-xattrs
  --no-acls --no-selinux --xattrs-include=V --xattrs-exclude=V --sort=V --mtime=V --owner=V
  --group=V --mode=V --dereference --hard-dereference --clamp-mtime --diff --compare --to-stdout
  --file=V --directory=V --exclude=EXCEPT --exclude-from=READ --exclude-vcs --exclude-backups
  --exclude-caches --wildcards --no-wildcards --wildcards-match-slash --no-wildcards-match-slash
  --anchored --no-anchored --ignore-case --no-ignore-case --strip-components=V --transform=V
  --xform=V --show-transformed-names --show-stored-names --occurrence[=V] --no-recursion
  --recursion --starting-file=V --newer=V --newer-mtime=V --after-date=V --numeric-owner
  --full-time --utc --verbose --totals[=V] --quoting-style=V --block-number --ignore-zeros
  --read-full-records --blocking-factor=V --record-size=V --format=V --gzip --gunzip --ungzip
  --bzip2 --xz --lzma --lzip --lzop --zstd --compress --uncompress --auto-compress
  --no-auto-compress --force-local --warning=V --seek --no-seek --absolute-names --same-order
  --preserve-order --checkpoint[=V] --test-label --show-defaults --show-omitted-dirs --check-links
  --one-file-system --sparse --usage --fast-read --help --version -q -?
""")
_WITH_VALUE = frozenset("fCbHKNXTIVFgL")  # also of letters that are not accepted
_READS = ("-t", "--list", "-d", "--diff", "--compare", "--test-label", "--show-defaults", "--usage",
          "--help", "--version", "-?")  # fmt: skip


# Options whose value is a command, by any beginning that stands for them.
_RUNS = pattern(
    r"--(?:checkpoint-\w*=exec|info-s[\w-]*|new-vol[\w-]*|rsh-[\w-]*|rmt-[\w-]*|to-c[\w-]*|use-comp?[\w-]*)=|-[IF](?=.)"
)
_NOWHERE = frozenset(("-", "/dev/null", "/dev/stdout"))


def judge(call: Call) -> None:
    parsed = read_options(call.arguments)
    for argument, message in parsed.problems:
        call.unlisted(Kind.OPTION, message, argument)
        if found := _RUNS.match(argument.leading):
            call.shell(argument.behind(found.end()))
    for option, command in pairwise(call.arguments):
        if _RUNS.fullmatch(f"{option.leading}=") or option.leading in ("-I", "-F"):
            call.shell(command)
    for listed in parsed.values("-X", "--exclude-from"):
        call.reads(listed)
    for listed in parsed.values("-T", "--files-from"):
        call.unlisted(Kind.OPTION, "takes names from a list, whose lines may be options", listed)
        reads_listed(call, listed)
    for code in parsed.values("--to-command"):
        call.shell(code)
    if parsed.has("-x", "--extract", "--get"):
        for member in parsed.operands if parsed.has("-O", "--to-stdout", "--to-command") else ():
            # What it is called here is what it was called when it was packed.
            call.reads(as_pattern(member))
        if not parsed.has("-O", "--to-stdout", "--to-command"):
            for directory in parsed.values("-C", "--directory"):
                call.writes(directory)
            for member in parsed.operands:
                if call.leads_to_guarded(member):
                    call.writes(member)
            if not parsed.operands and not parsed.has("-C", "--directory"):
                call.writes(Argument(".", *call.span))
            if parsed.has("-P", "--absolute-names"):
                why = "extracts files to wherever the archive says"
                call.does(Effect.OUTSIDE_WRITE, "extract", why)
            if parsed.has("--transform", "--xform", "-s"):
                call.does(Effect.UNCLEAR, "extract", "gives files other names as it extracts them")
            call.does(
                Effect.PROJECT_WRITE,
                "extract",
                "extracts files",
                instead="tar -t to list them, -O to print them",
            )
    elif parsed.has("-c", "--create"):
        _judge_packing(call, parsed)
    elif parsed.has("-r", "--append", "-u", "--update"):
        _judge_packed(call, parsed)
        call.does(Effect.PROJECT_WRITE, Kind.CREATE, "adds files to an archive")
    elif not parsed.has(*_READS):
        call.does(Effect.PROJECT_WRITE, Kind.MODE, "does not only list an archive")
    _judge_archives(call, parsed)


def read_options(arguments: list[Argument]) -> Parsed:
    return parse_options(_with_dashes(arguments), Reading(_OPTIONS))


def _with_dashes(arguments: list[Argument]) -> list[Argument]:
    """`tar tvf x` as `tar -t -v -f x`: the values of the first word's letters follow in order."""
    if not arguments or not arguments[0].is_static or (arguments[0].text or "-").startswith("-"):
        return arguments
    first, rest = arguments[0], list(arguments[1:])
    spread: list[Argument] = []
    for letter in first.text or "":
        spread.append(Argument(f"-{letter}", first.start, first.end))
        if letter in _WITH_VALUE and rest:
            spread.append(rest.pop(0))
    return spread + rest


def _judge_packing(call: Call, parsed: Parsed) -> None:
    """The archive must go to standard output or nowhere; what is packed is read."""
    archives = parsed.values("-f", "--file")
    for archive in archives:
        if archive.text not in _NOWHERE and ":" not in archive.leading:
            call.writes(archive)
    if not archives or not all(archive.text in _NOWHERE for archive in archives):
        call.does(
            Effect.PROJECT_WRITE,
            Kind.CREATE,
            "writes an archive",
            instead="tar -c -f - ., which prints it",
        )
    _judge_packed(call, parsed)


def _judge_packed(call: Call, parsed: Parsed) -> None:
    """What is packed is read, with all that is below it, from here or from where -C leads."""
    call.parsed = parsed
    places = parsed.values("-C", "--directory")
    for packed in (*parsed.operands, *places):
        call.reads(packed)
    for packed in parsed.operands if not places else ():
        call.reads_whole(packed)
    for place in places:
        for name in (text for packed in parsed.operands for text in packed.texts):
            for path in place.texts:
                whole = posixpath.normpath(posixpath.join(path, name))
                call.reads_whole(Argument(whole, place.start, place.end))


def _judge_archives(call: Call, parsed: Parsed) -> None:
    for archive in parsed.values("-f", "--file"):
        host, colon, _ = archive.leading.partition(":")
        is_local = "/" in host or (not colon and archive.text is not None)
        if not is_local and not parsed.has("--force-local"):
            call.does(Effect.SENDS, "archive", "the archive may be on another host", archive)

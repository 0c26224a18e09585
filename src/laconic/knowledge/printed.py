"""The result of a substitution whose command does nothing but print its own arguments."""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import pairwise

from laconic.patterns import pattern
from laconic.shell.ast import Command, Redirect, Substitution, Word
from laconic.shell.words import literal

PRINTERS = frozenset(("date", "echo", "mktemp", "printf", "pwd"))
# What prints one word, which is not known.
NAMERS = frozenset(("git", "uname"))
COUNTERS = frozenset(("gh", "git", "grep", "id", "nproc", "pgrep", "seq", "stat", "wc"))
LOCATORS = frozenset(("brew", "git", "go", "pwd", "readlink", "realpath", "xcode-select"))
MAX_LENGTH = 4096
_TEMPORARY = "/tmp"  # noqa: S108 - as mktemp says
_TEMPORARIES = (_TEMPORARY, "/var/tmp")  # noqa: S108
_PGREP = frozenset(("-f", "-x", "-n", "-o", "-i"))
# The last part of a template for mktemp(1), which puts other letters and digits for the Xs.
_TEMPLATE = pattern(r"[\w.-]*?XXX+[\w.-]*")
# date(1): digits, and no blanks or slashes.
_DATES = pattern(r"\+(?:[A-Za-z0-9_.:-]|%[FTYymdHMSjuVUWGgCIRs]|%\d?N)+")
_PARTS = pattern(r"%\d?N")
_SOME_TIME = 1_000_000_000
_COUNTS = pattern(r"-[civEFwx]*c[civEFwx]*|-[ivEFwx]+")
_SIZES = (["-c", "%s"], ["-c%s"], ["-c", "%Y"], ["-c%Y"], ["-f", "%z"], ["-f%z"])  # stat(1)
_INTEGER = pattern(r"-?[0-9]+")
_ONE_OF_ALL = pattern(r"^\.\[\d+\]")
# What one shell or another takes for an option.
_OPTIONS = {"echo": pattern(r"-[neE]*$|--(?:help|version)$"), "printf": pattern("-")}


def printer(substitution: Substitution, printers: frozenset[str]) -> Command | None:
    """The one plain command in `$(..)`, if it is one of the printers; nothing else may be there."""
    commands = piped(substitution)
    if len(commands) != 1 or literal(commands[0].words[0]) not in printers:
        return None
    return commands[0]


def piped(substitution: Substitution) -> list[Command]:
    """The plain commands of the one pipeline in `$(..)`; none if there is anything else."""
    body = substitution.body
    if substitution.style not in ("$(", "`") or len(body.items) != 1:
        return []
    separator, pipelines = body.separators[0], body.items[0].pipelines
    if (separator is not None and separator.text == "&") or len(pipelines) != 1:
        return []
    if pipelines[0].negations or pipelines[0].timed:
        return []
    plain = [one for one in pipelines[0].commands if isinstance(one, Command) and _is_plain(one)]
    return plain if len(plain) == len(pipelines[0].commands) else []


def _is_plain(command: Command) -> bool:
    has_words = bool(command.words) and not command.assignments
    return has_words and all(map(_keeps_form, command.redirects))


def _keeps_form(redirect: Redirect) -> bool:
    """`2>/dev/null` changes nothing of what is printed, and `<file` nothing about its form."""
    target = redirect.target
    if redirect.operator == "<":
        return True
    is_error = redirect.fd == "2" and redirect.operator == ">"
    return is_error and isinstance(target, Word) and literal(target) == "/dev/null"


def is_path(name: str, words: list[str]) -> bool:
    """Tell whether a command prints one absolute path or nothing, as its manual says.

    git-rev-parse(1), `go help env`, `go help list` (Dir), realpath(1), readlink(1), brew(1).
    """
    if name in ("readlink", "realpath"):
        wanted = (["-f"], ["-e"], ["-m"]) if name == "readlink" else ([], ["-e"], ["-m"], ["-P"])
        return words[:-1] in wanted and not words[-1].startswith("-")
    if name == "go" and words[:-1] == ["list", "-m", "-f", "{{.Dir}}"]:
        return not words[-1].startswith("-") and "..." not in words[-1] and words[-1] != "all"
    if name == "brew":
        return words[:1] == ["--prefix"] and not any(w.startswith("-") for w in words[1:])
    known: dict[str, tuple[list[str], ...]] = {
        "git": (["rev-parse", "--show-toplevel"], ["rev-parse", "--absolute-git-dir"]),
        "go": (["env", "GOROOT"], ["env", "GOPATH"], ["env", "GOMODCACHE"], ["env", "GOCACHE"]),
        "pwd": ([], ["-P"], ["-L"]),
        "xcode-select": (["-p"], ["--print-path"]),
    }
    return words in known.get(name, ())


def is_name(name: str, words: list[str]) -> bool:
    """Tell whether a command prints one word or nothing: a name of git's, or of the machine.

    No name of a ref has blanks or signs of patterns, but the first may be a dash:
    https://git-scm.com/docs/git-check-ref-format
    """
    if name == "uname":
        return words in (["-m"], ["-n"], ["-r"], ["-s"], [])
    known: dict[str, tuple[list[str], ...]] = {
        "branch": (["--show-current"],),
        "symbolic-ref": (["HEAD"], ["--short", "HEAD"], ["-q", "--short", "HEAD"]),
        "rev-parse": (["HEAD"], ["--short", "HEAD"], ["--abbrev-ref", "HEAD"]),
        "describe": (["--tags", "--abbrev=0"], ["--tags", "--always"], ["--tags"], ["--always"]),
    }
    return name == "git" and words[1:] in known.get(words[0] if words else "", ())


def is_number(name: str, words: list[str]) -> bool:
    """Tell whether a command prints a number or nothing, because a number is asked for."""
    if name == "gh":
        return _is_number_of_gh(words)
    if name == "pgrep":  # pgrep(1): numbers, unless -l, -a or a delimiter is asked for
        return all(word in _PGREP or not word.startswith("-") for word in words)
    if name == "grep":  # grep(1): the number alone, unless there are several files
        options = [word for word in words if word.startswith("-")]
        is_count = any("c" in word for word in options) and all(map(_COUNTS.fullmatch, options))
        return is_count and len(words) - len(options) in (1, 2)
    if name == "stat":
        return words[:-1] in _SIZES and not words[-1].startswith("-")
    known: dict[str, tuple[list[str], ...]] = {
        "wc": (["-l"], ["-c"], ["-w"], ["-m"]),  # without a file's name, which it would print, too
        "id": (["-u"], ["-g"], ["-u", "-r"], ["-g", "-r"], ["-ur"], ["-gr"]),
        "nproc": ([], ["--all"]),
    }
    if name == "git":
        is_plain = not any(word.startswith("-") for word in words[2:])
        return words[:2] == ["rev-list", "--count"] and is_plain
    return words in known.get(name, ())


def is_numbers(name: str, words: list[str]) -> bool:
    """Tell whether a command prints nothing but numbers, however many."""
    return is_number(name, words) or (name == "seq" and all(map(_INTEGER.fullmatch, words)))


def _is_number_of_gh(words: list[str]) -> bool:
    """`gh run list --json databaseId --jq '.[0].databaseId'`: these fields are integers in gh."""
    given = dict(pairwise(words))
    field = given.get("--json", "")
    query = given.get("--jq") or given.get("-q") or ""
    is_asked = field in ("databaseId", "number") and "api" not in words[:1]
    return is_asked and _ONE_OF_ALL.sub("", query) == f".{field}"


def output(name: str, arguments: list[str], variables: Mapping[str, str]) -> str | None:
    """What it prints, without the newlines at the end; None where shells or builds differ."""
    if name not in PRINTERS or name == "mktemp":
        printed = None
    elif name == "date":
        printed = _at_some_time(arguments)
    elif name == "pwd":
        printed = variables.get("PWD") if not arguments else None
    elif any("\\" in argument for argument in arguments[name == "printf" :]):
        printed = None  # an escape in some shells
    elif arguments and _OPTIONS[name].match(arguments[0]):
        printed = None
    else:
        printed = " ".join(arguments) if name == "echo" else _formatted(arguments)
    return None if printed is None or len(printed) > MAX_LENGTH else printed.rstrip("\n")


def _at_some_time(arguments: list[str]) -> str | None:
    """A date that stands for the one of today: only digits are other ones."""
    given = [word for word in arguments if word != "-u"]
    if len(given) != 1 or not _DATES.fullmatch(given[0]):
        return None
    numbers = _PARTS.sub("0", given[0][1:]).replace("%s", str(_SOME_TIME))
    return time.strftime(numbers, time.gmtime(_SOME_TIME))


def new_file(arguments: list[str], place: int) -> str | None:
    """A path that stands for the one that mktemp(1) makes there; None if it is in no temporary one.

    What is not given comes from TMPDIR, so that this must name a temporary directory.
    """
    directory, template, suffix, rest = "", "", "", list(arguments)
    while rest:
        word = rest.pop(0)
        if word in ("-p", "-t") and not rest:
            return None
        if word == "-p":
            directory = rest.pop(0)
        elif word == "-t" or not word.startswith("-"):
            directory = directory or (_TEMPORARY if word == "-t" else "")
            template = rest.pop(0) if word == "-t" else word
        elif word == "--tmpdir":
            directory = _TEMPORARY
        elif word.startswith("--tmpdir="):
            directory = word.partition("=")[2]
        elif word.startswith("--suffix="):
            suffix = word.partition("=")[2]
        elif word not in ("-d", "-q", "--directory", "--quiet"):
            return None
    if not template:
        directory, template = directory or _TEMPORARY, "tmp.XXXXXXXXXX"
    path = f"{directory}/{template}" if directory else template
    above, _, last = f"{path}{suffix}".rpartition("/")
    if above not in _TEMPORARIES or not _TEMPLATE.fullmatch(last):
        return None
    return f"{above}/{last.replace('XXX', str(place), 1)}"


def _formatted(arguments: list[str]) -> str | None:
    """printf with a format of plain text, `%s` and `\\n`, used until no argument is left."""
    pieces = (arguments[0] if arguments else "%").replace("\\n", "\n").split("%s")
    if any("\\" in piece or "%" in piece for piece in pieces):
        return None
    values, places = arguments[1:], len(pieces) - 1
    if not places:
        return pieces[0] if not values else None
    printed = ""
    for first in range(0, max(len(values), 1), places):
        given = values[first : first + places]
        given += [""] * (places - len(given))
        printed += "".join(piece + value for piece, value in zip(pieces, [*given, ""], strict=True))
    return printed

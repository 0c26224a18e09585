"""The result of a substitution whose command does nothing but print its own arguments."""

from __future__ import annotations

from itertools import pairwise

from laconic.patterns import pattern
from laconic.shell.ast import Command, Word
from laconic.shell.words import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.shell.ast import Redirect, Substitution

PRINTERS = frozenset(("echo", "printf", "pwd"))
COUNTERS = frozenset(("date", "gh", "git", "id", "nproc", "pgrep"))
LOCATORS = frozenset(("brew", "git", "go", "pwd", "readlink", "realpath", "xcode-select"))
MAX_LENGTH = 4096
_PGREP = frozenset(("-f", "-x", "-n", "-o", "-i"))
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
    return has_words and all(map(_hides_errors, command.redirects))


def _hides_errors(redirect: Redirect) -> bool:
    """`2>/dev/null` changes nothing of what is printed."""
    target = redirect.target
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


def is_number(name: str, words: list[str]) -> bool:
    """Tell whether a command prints a number or nothing, because a number is asked for."""
    if name == "gh":
        return _is_number_of_gh(words)
    if name == "pgrep":  # pgrep(1): numbers, unless -l, -a or a delimiter is asked for
        return all(word in _PGREP or not word.startswith("-") for word in words)
    known: dict[str, tuple[list[str], ...]] = {
        "date": (["+%s"],),
        "id": (["-u"], ["-g"], ["-u", "-r"], ["-g", "-r"], ["-ur"], ["-gr"]),
        "nproc": ([], ["--all"]),
    }
    if name == "git":
        is_plain = not any(word.startswith("-") for word in words[2:])
        return words[:2] == ["rev-list", "--count"] and is_plain
    return words in known.get(name, ())


def _is_number_of_gh(words: list[str]) -> bool:
    """`gh run list --json databaseId --jq '.[0].databaseId'`: these fields are integers in gh."""
    given = dict(pairwise(words))
    field = given.get("--json", "")
    query = given.get("--jq") or given.get("-q") or ""
    is_asked = field in ("databaseId", "number") and "api" not in words[:1]
    return is_asked and _ONE_OF_ALL.sub("", query) == f".{field}"


def output(name: str, arguments: list[str], variables: Mapping[str, str]) -> str | None:
    """What it prints, without the newlines at the end; None where shells or builds differ."""
    if name not in PRINTERS:
        printed = None
    elif name == "pwd":
        printed = variables.get("PWD") if not arguments else None
    elif any("\\" in argument for argument in arguments[name == "printf" :]):
        printed = None  # an escape in some shells
    elif arguments and _OPTIONS[name].match(arguments[0]):
        printed = None
    else:
        printed = " ".join(arguments) if name == "echo" else _formatted(arguments)
    return None if printed is None or len(printed) > MAX_LENGTH else printed.rstrip("\n")


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

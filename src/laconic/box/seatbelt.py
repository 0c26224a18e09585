"""Writes a plan as rules for Seatbelt, the kernel's sandbox on macOS, and says how to start in it.

Nothing is mounted there. The rules refuse by real paths, and hold for all that a command starts;
`data/seatbelt.sb` has those that are the same for every project. What the box on Linux has beyond
that is not here: an overlay over the home, hosts by their names, ports that are opened outside.

Nobody has run this on a Mac yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from os.path import dirname, isfile, join, lexists

from laconic.box.places import guarded_anywhere, is_below
from laconic.box.plan import Plan, own_variables
from laconic.errors import LaconicError
from laconic.files import write_private

PROGRAM = "/usr/bin/sandbox-exec"
_RULES = "rules.sb"
_SIGNS = frozenset(".^$*+?()[]{}|\\/")


def find_program() -> str:
    """Return the program that applies rules to a command: `man sandbox-exec` on a Mac."""
    if not isfile(PROGRAM):
        raise LaconicError(f"{PROGRAM} is not there, so there is no box")
    return PROGRAM


def start(plan: Plan) -> list[str]:
    """Write down the rules of a plan, and return the words that start a command under them."""
    path = join(plan.directory, _RULES)
    write_private(path, rules(plan).encode("utf-8", "surrogateescape"))
    words = [PROGRAM, "-f", path, "/usr/bin/env"]
    for name in plan.dropped:
        words += ["-u", name]
    words += [f"{name}={value}" for name, value in own_variables(plan).items()]
    # A name with an equals sign would be one more variable to env.
    return [*words, "/bin/sh", "-c", 'exec "$@"', "sh"]


def rules(plan: Plan) -> str:
    """Return the rules of a plan as text."""
    return "\n".join([_general(), *_of_files(plan), *_of_network(plan), ""])


@cache
def _general() -> str:
    with open(join(dirname(__file__), "data", "seatbelt.sb"), encoding="utf-8") as file:
        return file.read()


def _of_files(plan: Plan) -> Iterator[str]:
    own = [plan.home_path, plan.temporary]
    hidden = [path for path in plan.hidden if not is_below(plan.directory, path)]
    outer = [path for path in plan.hidden if is_below(plan.directory, path)]
    yield "; What belongs to laconic, and with it what it keeps for other projects."
    yield _rule("deny", "file-read* file-write*", _subpaths([*outer, plan.directory]))
    yield "; What can be written: the project, and a home and a temporary directory of its own."
    yield _rule("allow", "file-read* file-write*", _subpaths([*plan.write, *own]))
    yield "; Secrets."
    yield _rule("deny", "file-read* file-write*", _subpaths(hidden))
    yield "; What decides which programs run later. No rule allows hard links, its other names."
    yield _rule("deny", "file-write*", _subpaths(plan.guarded))
    yield "; Such names that are not there, and what would be above them, to be moved there."
    yield "; The file system may take .ENVRC for .envrc."
    absent = {above for above in _on_the_way(plan, plan.missing) if not lexists(above)}
    yield _rule("deny", "file-write*", map(_spelled, sorted({*plan.missing, *absent})))
    anywhere = "|".join(map(_in_any_case, sorted(guarded_anywhere())))
    yield _rule(
        "deny",
        "file-write*",
        [f'(regex #"^{_literally(root)}/(.*/)?({anywhere})(/.*)?$")' for root in plan.write],
    )
    yield "; What git runs when a rebase goes on."
    yield _rule(
        "deny", "file-write*", [f'(regex #"^{_literally(plan.project)}/(.*/)?git-rebase-todo$")']
    )
    yield "; The directories above all these cannot be moved, which would change their names."
    held = [*plan.guarded, *plan.missing, *hidden]
    ways = sorted({*plan.pinned, *_on_the_way(plan, held)} - absent)
    yield _rule("deny", "file-write-unlink", (f"(literal {_quoted(path)})" for path in ways))


def _of_network(plan: Plan) -> Iterator[str]:
    if plan.has_network:
        yield "; The network of this machine, as the settings say."
        yield "(allow network* system-socket)"
        yield (
            '(allow mach-lookup (global-name "com.apple.trustd.agent") '
            '(global-name "com.apple.SystemConfiguration.configd"))'
        )
        return
    yield "; No network. A server in the box can be reached from outside of it, on this machine."
    yield '(allow network-bind network-inbound (local ip "localhost:*"))'
    if plan.ports:
        yield "; Ports of this machine that the settings allow."
        places = [f'(remote ip "localhost:{port}")' for port in plan.ports]
        yield _rule("allow", "network-outbound", places)
    yield "; Sockets among files: those of the project, and its own."
    inside = [_quoted(path) for path in (*plan.write, plan.temporary)]
    own = [f"(local unix-socket (subpath {path}))" for path in inside]
    yield _rule("allow", "network-bind network-inbound", own)
    others = [f"(remote unix-socket (subpath {path}))" for path in inside]
    yield _rule("allow", "network-outbound", others)


def _on_the_way(plan: Plan, paths: Iterable[str]) -> Iterator[str]:
    """Yield the directories between a writable one and what is in it."""
    for path in paths:
        root = next((root for root in plan.write if is_below(path, root)), path)
        above = dirname(path)
        while above != root and is_below(above, root):
            yield above
            above = dirname(above)


def _rule(answer: str, operations: str, places: Iterable[str]) -> str:
    """Write a rule; one without places would be about everything, and is left out."""
    lines = [f"\n    {place}" for place in places]
    return f"({answer} {operations}{''.join(lines)})" if lines else ";   none"


def _subpaths(paths: Iterable[str]) -> list[str]:
    return [f"(subpath {_quoted(path)})" for path in dict.fromkeys(paths)]


def _quoted(text: str) -> str:
    """Write a text as the rules do: in quotes, with a backslash before quotes and backslashes."""
    if any(char < " " for char in text):
        raise LaconicError("a path with a control character cannot be in the rules of a box")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _spelled(path: str) -> str:
    """Return a place that is a path, with capital or small letters in its last part."""
    above, _, name = path.rpartition("/")
    return f'(regex #"^{_literally(above)}/{_in_any_case(name)}(/.*)?$")'


def _literally(text: str) -> str:
    if '"' in text or any(char < " " for char in text):
        raise LaconicError("a project with a quote in its path cannot be in the rules of a box")
    return "".join(f"\\{char}" if char in _SIGNS and char != "/" else char for char in text)


def _in_any_case(name: str) -> str:
    letters = (
        f"[{char.lower()}{char.upper()}]" if char.isalpha() else _literally(char) for char in name
    )
    return "".join(letters)

"""Says in one line what a box refused, and the way out; nothing if it refused nothing.

What a command prints is only a sign. The kernel's counters say whether the network was really
needed, and a path counts only if the box keeps it from the command and the outside does not.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from os.path import basename, dirname, isabs, join, lexists, realpath

from laconic.box.leftovers import NO_PORT, NO_ROUTE, NO_SERVER
from laconic.box.places import PRIVATE, is_below
from laconic.box.plan import Plan, is_socket
from laconic.door.listeners import on_this_machine
from laconic.patterns import pattern

_MOST_LINES, _MOST_NAMED = 400, 3
# What the C library, the runtimes of languages and common programs say (man 3 errno).
_UNCHANGED = pattern(
    r"Read-only file system|\bEROFS\b|Device or resource busy|\bEBUSY\b", re.IGNORECASE
)
_DENIED = pattern(
    r"Permission denied|\bEACCES\b|Operation not permitted|\bEPERM\b|Access is denied"
    r"|AccessDenied",
    re.IGNORECASE,
)
_ABSENT = pattern(r"No such file or directory|\bENOENT\b|not found|does not exist", re.IGNORECASE)
_UNREACHED = pattern(r"connect|socket|daemon|agent|\bECONNREFUSED\b", re.IGNORECASE)
_NETWORK = pattern(
    r"Network is unreachable|\bENETUNREACH\b|network unreachable|Temporary failure in name"
    r"|\bEAI_AGAIN\b|\bENOTFOUND\b|Could not resolve|getaddrinfo|Name or service not known"
    r"|no such host|dns error|failed to lookup address|UnknownHostException"
    r"|nodename nor servname|server misbehaving|Unable to resolve|name resolution"
    r"|No route to host|No address associated",
    re.IGNORECASE,
)
_CLOSED_PORT = pattern(r"(?:Connection refused|ECONNREFUSED)", re.IGNORECASE)
_PORT = pattern(r"(?:localhost|127\.0\.0\.1|::1\]?|port)[: ]+(\d{2,5})\b", re.IGNORECASE)
_QUOTED = pattern(r"""['"`\u2018\u201c]([^'"`\u2019\u201d\n]{1,500})['"`\u2019\u201d]""")
_AROUND = "'\"`\u2018\u2019\u201c\u201d()[]{}<>,;:"
_UNIX = "unix://"


class Ended:
    """How a command ended in a box.

    bits: what its network refused. directory: where it was started. out, err: what it printed; out
    is both of them where they lead to one place.
    """

    def __init__(
        self, status: int, bits: int, directory: str, out: str = "", err: str = ""
    ) -> None:
        self.status, self.bits, self.directory, self.out, self.err = (
            status, bits, directory, out, err,
        )  # fmt: skip


def refused(plan: Plan, ended: Ended) -> list[str]:
    """Return what the box refused, in words that follow `the box`."""
    # A command that succeeds may have printed anything; on stderr a complaint still counts, and
    # elsewhere one about a guarded file.
    said = f"{ended.out}\n{ended.err}" if ended.status else ended.err
    lines = said.splitlines()[-_MOST_LINES:]
    if not ended.status:
        unchanged = filter(_UNCHANGED.search, ended.out.splitlines()[-_MOST_LINES:])
        lines += (line for line in unchanged if _names_guarded(plan, ended.directory, line))
    refusals = list(_network(plan, ended, said))
    for line in lines:
        for one in _in_line(plan, ended.directory, line):
            if one not in refusals:
                refusals.append(one)
    return refusals


def notice(plan: Plan, ended: Ended, command: str, launcher: str) -> str:
    """Return the line that tells a reader of the output what was refused; empty if nothing was."""
    refusals = refused(plan, ended)
    if not refusals:
        return ""
    more = f", and {len(refusals) - _MOST_NAMED} more" if len(refusals) > _MOST_NAMED else ""
    what = ", ".join(refusals[:_MOST_NAMED]) + more
    way = f"{launcher} run --outside {command}"
    text = f"the box {what}; without the box, which asks first: {way}"
    shown = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)
    return f"[laconic: {shown}]\n"


# -- the network -----------------------------------------------------------------------------------


def _network(plan: Plan, ended: Ended, said: str) -> Iterator[str]:
    if plan.has_network:
        return
    has_sign = _NETWORK.search(said) is not None
    # An address; or, where bubblewrap made the box, also a name server on this machine, such as
    # systemd-resolved(8). What a name leads to is said by `door`.
    if ended.bits & (NO_ROUTE | NO_PORT | NO_SERVER) and has_sign:
        yield "reaches hosts by their names only" if plan.hosts else "has no network"
    elif ended.bits & NO_SERVER and _CLOSED_PORT.search(said):
        wanted = {int(match[1]) for match in _PORT.finditer(said)}
        for port in sorted(wanted & on_this_machine()):
            yield f"does not reach port {port} of this machine"


# -- files and sockets -----------------------------------------------------------------------------


def _in_line(plan: Plan, cwd: str, line: str) -> Iterator[str]:
    is_unchanged, is_denied = _UNCHANGED.search(line), _DENIED.search(line)
    is_absent, is_unreached = _ABSENT.search(line), _UNREACHED.search(line)
    if not (is_unchanged or is_denied or is_absent or is_unreached):
        return
    for path in _paths(plan, cwd, line):
        shown = _shown(path, plan)
        if any(is_below(path, hidden) for hidden in plan.hidden) and lexists(path):
            yield f"hides {shown}" if not is_socket(path) else f"does not reach {shown}"
        elif (is_unreached or is_absent) and is_socket(path) and _is_out(path, plan):
            yield f"does not reach {shown}"
        elif (is_unchanged or is_denied) and _is_kept_from(path, plan):
            yield f"does not change {shown}"


def _names_guarded(plan: Plan, cwd: str, line: str) -> bool:
    return any(is_below(path, one) for path in _paths(plan, cwd, line) for one in plan.guarded)


def _paths(plan: Plan, cwd: str, line: str) -> Iterator[str]:
    """Yield the paths that a line names, as they are outside."""
    words = [match[1] for match in _QUOTED.finditer(line)]
    words += [word.strip(_AROUND).rstrip(".") for word in _QUOTED.sub(" ", line).split()]
    for word in words:
        name = word.removeprefix(_UNIX)
        if name.startswith("~/"):
            name = join(plan.user_home, name[2:])
        elif is_below(name, plan.home_path) and name != plan.home_path:
            name = join(plan.user_home, name[len(plan.home_path) + 1 :])
        path = join(cwd, name)
        # A word without a slash is a path only if there is such a file.
        if "\0" not in path and name and (isabs(name) or "/" in name or lexists(path)):
            yield _real(path)


def _real(path: str) -> str:
    name = basename(path)
    return realpath(path) if name in ("", ".", "..") else join(realpath(dirname(path)), name)


def _shown(path: str, plan: Plan) -> str:
    if is_below(path, plan.project):
        return path[len(plan.project) + 1 :] or "."
    if is_below(path, plan.user_home) and path != plan.user_home:
        return f"~/{path[len(plan.user_home) + 1 :]}"
    return path


def _is_out(path: str, plan: Plan) -> bool:
    """Tell whether a path is in a directory that the box has of its own, and not in the project."""
    return any(is_below(path, own) for own in PRIVATE) and not any(
        is_below(path, one) for one in (*plan.write, *plan.shown)
    )


def _is_kept_from(path: str, plan: Plan) -> bool:
    """Tell whether the command cannot change a path in the box, and could outside."""
    if any(is_below(path, own) for own in PRIVATE) and not any(
        is_below(path, one) for one in (*plan.write, *plan.shown)
    ):
        return False  # the box has its own
    is_written = any(is_below(path, one) for one in plan.write)
    is_guarded = any(is_below(path, one) or is_below(one, path) for one in plan.guarded)
    if is_written and not is_guarded:
        return False
    there = path
    while not lexists(there):
        there = dirname(there)
    try:
        is_read_only = bool(os.statvfs(there).f_flag & os.ST_RDONLY)
    except OSError:
        return False
    return not is_read_only and os.access(there, os.W_OK)

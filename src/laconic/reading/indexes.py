"""Where packages come from: an index that a line names in place of the user's own.

What an index gives out is run when it is installed, or when it is used. So a package of an index
that the command line or a variable names is code of the network, unseen, unless the user's own
package managers fetch from it: the hosts that boxes may reach (`laconic box learn`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.environment import is_known_server
from laconic.reading.places import joined
from laconic.types import Effect

_ADDRESS = pattern(r"(?:https?|(?:sparse|registry)\+https?|ftp)://[^\s,|'\"<>]+", re.IGNORECASE)
_HOST = pattern(r"(?:[A-Za-z+]+)://(?:[^/@\\]*@)?(\[[^]]*\]|[^:/\\?#]+)(?::\d+)?(?:[/?#].*)?")
# Options and properties that say by their names that they choose an index; `--config` of cargo
# takes such a property: https://doc.rust-lang.org/cargo/reference/config.html#registriesnameindex
_CHOOSES_INDEX = pattern(
    r"-{0,2}D?[\w.:@/-]*(?:index|registr(?:y|ies)|repositor(?:y|ies)|mirrors?)[\w.-]*",
    re.IGNORECASE,
)
# Options for a file that may choose one, by the program: npm(1), mvn(1), and
# https://docs.astral.sh/uv/reference/cli/
_FILES = {
    **dict.fromkeys(("npm", "npx", "pnpm"), frozenset(("--userconfig", "--globalconfig"))),
    **dict.fromkeys(("uv", "uvx"), frozenset(("--config-file",))),
    "mvn": frozenset(("-s", "--settings", "-gs", "--global-settings")),
}
_NO_FILES: frozenset[str] = frozenset()


def is_known_index(value: str, hosts: Collection[str]) -> bool:
    """Tell whether all addresses in a text are of this machine, or by TLS at one of these hosts."""
    for address in _ADDRESS.findall(value):
        host = _HOST.fullmatch(address)
        is_users = host is not None and host[1].lower() in hosts and "https:" in address.lower()
        if not is_users and not is_known_server(address.partition("+")[2] or address):
            return False
    return True


def follow_indexes(call: Call) -> None:
    """Options of a package manager by which its packages come from elsewhere."""
    is_install = bool(call.effects & Effect.INSTALLS)
    files, hosts = _FILES.get(call.path[0], _NO_FILES), call.judge.say.hosts
    is_early = any(parsed.options or parsed.problems for _, parsed in call.match.before)
    if not (files or is_early) and not any("://" in (a.text or "") for a in call.arguments):
        return
    for name, value in _told(call):
        text = value.text or ""
        if name in files:
            found = _named_in(text, call)
        elif is_install or any(map(_CHOOSES_INDEX.fullmatch, (name, text.partition("=")[0]))):
            found = "" if is_known_index(text, hosts) else text
        else:
            continue
        if found:
            why = f"takes packages from {found}, which the line names"
            call.does(Effect.INSTALLS | Effect.RUNS_FETCHED, "index", why, value)


def _told(call: Call) -> Iterator[tuple[str, Argument]]:
    """The options with their values, wherever they stand, and whether they are known or not."""
    early = [option for _, parsed in call.match.before for option in parsed.options]
    yield from ((option.name, option.value) for option in early if option.value is not None)
    unlisted = [argument for _, parsed in call.match.before for argument, _ in parsed.problems]
    before = ""
    for argument in (*unlisted, *call.arguments):
        text = argument.text or ""
        if text == "--":
            return
        name, equals, _ = text.partition("=")
        if text[:1] != "-":
            if before:
                yield before, argument
        elif equals:
            yield name, argument.behind(len(name) + 1)
        elif (start := _ADDRESS.search(text)) is not None:
            yield text[: start.start()], argument.behind(start.start())
        before = text if text[:1] == "-" and not equals else ""


def _named_in(path: str, call: Call) -> str:
    """The file of settings, if it may name another index; the user's own files do not count."""
    facts, where = call.judge.facts, call.situation.directories
    for cwd in where:
        text = facts.text(joined(cwd, path))
        is_theirs = call.is_outside(path) and not path.startswith(facts.temporary)
        if not is_theirs and (text is None or not is_known_index(text, call.judge.say.hosts)):
            return path
    return ""

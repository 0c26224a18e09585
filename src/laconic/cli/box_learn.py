"""laconic box learn: let boxes reach the hosts that the user's package managers fetch from."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from laconic.box.inside import is_inside
from laconic.box.learn import Learned, learn, managers
from laconic.box.usable import is_usable
from laconic.cli import allow_network
from laconic.door.hosts import Host, read_hosts
from laconic.errors import LaconicError
from laconic.policy.profiles import ALIASES
from laconic.report.text import visible
from laconic.settings.environ import environment, is_person
from laconic.settings.load import read_settings

_FOR_PROFILE = "work"  # whose installs the box settles


def offer(*, is_attended: bool) -> None:
    """Offer to learn the hosts, where profile work would have the box install packages.

    is_attended: a person may be asked; else they are told what to type.
    """
    environ, config = environment(), read_settings().config
    is_wanted = ALIASES.get(config.settings.profile, config.settings.profile) == _FOR_PROFILE
    if config.box.hosts or config.box.network != "listed" or not is_wanted:
        return
    if not is_usable(environ) or not any(one.program for one in managers(environ)):
        return
    if not is_attended or not is_person(environ):
        print("to let boxes fetch packages: laconic box learn")
        return
    print("Commands in the box reach no network yet. To let them install packages, laconic")
    print("can ask your package managers which hosts they fetch from.")
    if _says_yes("Ask them now?"):
        run(is_agreed=False)


def run(*, is_agreed: bool) -> int:
    """Ask the managers, show what they say, and write it down once the person agrees."""
    if is_inside():
        raise LaconicError("this is a box already: what it may reach is said outside")
    environ = environment()
    print("asking the package managers that are installed; this takes a moment", file=sys.stderr)
    known = read_hosts(read_settings().config.box.hosts)
    new: dict[tuple[str, int], Host] = {}
    count = 0
    for learned in learn(environ):
        count += 1
        print(_line(learned), flush=True)
        new |= {(h.name, h.port): h for h in learned.hosts if (h.name, h.port) not in known}
    if not count:
        raise LaconicError("no package manager that laconic knows is installed")
    if not new:
        print("boxes may reach all of these already" if known else "nothing was contacted")
        return 0
    if not is_agreed and not _is_wanted(environ, len(new)):
        print("nothing was changed")
        return 0
    allow_network.add_hosts(sorted(new.values()))
    return 0


def _line(learned: Learned) -> str:
    hosts = ", ".join(visible(str(host)) for host in learned.hosts) or "nothing"
    asked = "" if learned.was_asked else " (when it was asked, it contacted nobody)"
    left = "".join(
        f"\n{'':10} {visible(one)} is left out: only the ports 443 and 80 lead out of a box"
        for one in learned.left_out
    )
    return f"{learned.name:10} {hosts}{asked}{left}"


def _is_wanted(environ: Mapping[str, str], count: int) -> bool:
    """Ask the person; where nobody is there, the answer is no."""
    if not is_person(environ):
        print("to write them down: laconic box learn --yes", file=sys.stderr)
        return False
    hosts = "this host" if count == 1 else f"these {count} hosts"
    return _says_yes(f"Let boxes reach {hosts}? What programs there can read, they can send there.")


def _says_yes(question: str) -> bool:
    print(f"{question} [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")

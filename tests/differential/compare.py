"""Compares runs of generated scripts, as typed and as rewritten."""

from __future__ import annotations

import random
import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from laconic.knowledge.catalog import library
from laconic.rewrite import plan
from laconic.shell.words import quoted

from . import makefiles, scripts
from .world import SHELLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from .world import Outcome, World

KINDS = ("bash", "zsh", "make")
_WORKERS = 2
_TRIES = 4
_NOTICE = re.compile(rb"^\[.*: laconic recall \w+\]$", re.MULTILINE)


class Case(NamedTuple):
    """A script for a shell, and the files that it finds."""

    shell: str
    text: str
    files: Mapping[str, str]

    @property
    def what(self) -> str:
        return "make" if self.files else self.shell


class Difference(NamedTuple):
    case: Case
    rewritten: str
    what: list[str]

    def __str__(self) -> str:
        files = "".join(f"-- {name}\n{text}\n" for name, text in self.case.files.items())
        seen = "\n".join(self.what)
        return (
            f"-- typed, {self.case.shell}\n{self.case.text}\n-- rewritten\n{self.rewritten}\n"
            f"{files}-- seen\n{seen}\n"
        )


def rewrite(case: Case, world: World) -> str:
    """As a hook does, whose settings are those of the world."""
    text = case.text.replace("OTHER", str(world.other))
    return plan.rewrite(text, world.options, library()).text


def wrap(case: Case, world: World) -> str:
    """The whole text in one call: `laconic wrap -- bash -c '…'`."""
    text = quoted(case.text.replace("OTHER", str(world.other)))
    return f"exec {world.laconic} wrap -- {' '.join(SHELLS[case.shell])} {text}"


def cases(seed: int) -> Iterator[Case]:
    """Scripts for bash and zsh, and calls of make, in turn; without end."""
    choose = random.Random(seed)
    while True:
        text = scripts.script(choose)
        yield Case("bash", text, {})
        yield Case("zsh", text, {})
        files = {"Makefile": makefiles.makefile(choose), "more.mk": makefiles.MORE}
        yield Case("bash", makefiles.call(choose), files)


def changed(
    seed: int,
    count: int,
    world: World,
    by: Callable[[Case, World], str] = rewrite,
    kinds: tuple[str, ...] = KINDS,
) -> Iterator[tuple[Case, str]]:
    """The first so many cases that a rewrite changes, as it changes them; of each kind as many."""
    left = dict.fromkeys(kinds, count // len(kinds))
    for case in cases(seed):
        if not any(left.values()):
            return
        made = by(case, world) if left.get(case.what) else ""
        if made and made != case.text.replace("OTHER", str(world.other)):
            left[case.what] -= 1
            yield case, made


def differences(found: Iterable[tuple[Case, str]], world: World) -> Iterator[Difference]:
    with ThreadPoolExecutor(_WORKERS) as pool:
        done = pool.map(lambda pair: _difference(*pair, world), found)
        yield from (difference for difference in done if difference is not None)


def _difference(case: Case, rewritten: str, world: World) -> Difference | None:
    """What differs each time: jobs that run at the same time may end in another order."""
    typed: list[Outcome] = []
    made: list[Outcome] = []
    for _ in range(_TRIES):
        typed.append(_run(case, case.text, world))
        made.append(_run(case, rewritten, world))
        if any(_is_same(one, other, world) for one in typed for other in made):
            return None
    return Difference(case, rewritten, typed[-1].differences(made[-1]))


def _is_same(typed: Outcome, made: Outcome, world: World) -> bool:
    """What a real laconic prints instead, and says so, is another test's concern."""
    if world.is_real and _NOTICE.search(made.stdout + made.stderr):
        made = made._replace(stdout=typed.stdout, stderr=typed.stderr)
    return typed == made


def _run(case: Case, text: str, world: World) -> Outcome:
    done = world.run(case.shell, text, case.files)
    if "-j" not in case.text:
        return done
    return done._replace(stdout=_sorted(done.stdout), stderr=_sorted(done.stderr))


def _sorted(text: bytes) -> bytes:
    """Jobs that run at the same time print in any order."""
    return b"\n".join(sorted(text.split(b"\n")))

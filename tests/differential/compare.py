"""Compares runs of generated scripts, as typed and as rewritten."""

from __future__ import annotations

import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from laconic.knowledge.catalog import library
from laconic.rewrite import plan
from laconic.rewrite.configured import Options

from . import makefiles, scripts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from laconic.knowledge.arguments import Argument

    from .world import Outcome, World

_WORKERS = 2
_TRIES = 4
_FILTERED = frozenset(("git", "cargo", "ls", "make"))


class Case(NamedTuple):
    """A script for a shell, and the files that it finds."""

    shell: str
    text: str
    files: Mapping[str, str]


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


def find_filter(arguments: list[Argument]) -> str | None:
    name = (arguments[0].text or "").rsplit("/", 1)[-1]
    return name if name in _FILTERED else None


def rewrite(text: str, world: World) -> str:
    options = Options(find_filter)
    options.full_path = str(world.laconic)
    return plan.rewrite(text.replace("OTHER", str(world.other)), options, library()).text


def cases(seed: int) -> Iterator[Case]:
    """Scripts for bash and, if it is here, for zsh, and calls of make, in turn; without end."""
    choose = random.Random(seed)
    has_zsh = shutil.which("zsh") is not None
    while True:
        text = scripts.script(choose)
        yield Case("bash", text, {})
        if has_zsh:
            yield Case("zsh", text, {})
        files = {"Makefile": makefiles.makefile(choose), "more.mk": makefiles.MORE}
        yield Case("bash", makefiles.call(choose), files)


def changed(
    seed: int, count: int, world: World, by: Callable[[str, World], str] = rewrite
) -> Iterator[tuple[Case, str]]:
    """The first so many cases that a rewrite changes, as it changes them."""
    for case in cases(seed):
        if count <= 0:
            return
        made = by(case.text, world)
        if made != case.text.replace("OTHER", str(world.other)):
            count -= 1
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
        if any(one == other for one in typed for other in made):
            return None
    return Difference(case, rewritten, typed[-1].differences(made[-1]))


def _run(case: Case, text: str, world: World) -> Outcome:
    done = world.run(case.shell, text, case.files)
    if "-j" not in case.text:
        return done
    return done._replace(stdout=_sorted(done.stdout), stderr=_sorted(done.stderr))


def _sorted(text: bytes) -> bytes:
    """Jobs that run at the same time print in any order."""
    return b"\n".join(sorted(text.split(b"\n")))

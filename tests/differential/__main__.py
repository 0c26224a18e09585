"""`python -m differential [SEED [COUNT]]`: compare so many scripts, and find planted faults.

A tenth as many run with laconic itself, rewritten and wrapped as a whole. It exits 1 if anything
differs, if a fault is not found, or if a shell is missing.
"""

from __future__ import annotations

import random
import shutil
import sys
from collections import Counter
from typing import TYPE_CHECKING

from . import faults
from .compare import Case, changed, differences, rewrite, wrap
from .world import SHELLS, installed_laconic, new_world

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .world import World

_COUNT = 3000
_SEEDS = 3


def main(words: list[str]) -> int:
    seed = int(words[0]) if words else random.SystemRandom().randrange(1 << 32)
    count = int(words[1]) if words[1:] else _COUNT
    print(f"seed {seed}", flush=True)
    missing = [name for name in (*SHELLS, "make") if shutil.which(name) is None]
    if missing:
        print(f"differential: not installed: {', '.join(missing)}", file=sys.stderr)
        return 1
    found = 0
    for what, laconic, share, by in (
        ("rewritten, with a stand-in for laconic", None, count, rewrite),
        ("rewritten", installed_laconic(), count // 10, rewrite),
        ("wrapped", installed_laconic(), count // 10, wrap),
    ):
        world, compared = new_world(laconic), Counter[str]()
        for difference in differences(_counted(changed(seed, share, world, by), compared), world):
            found += 1
            print(difference, flush=True)
        told = ", ".join(f"{number} {kind}" for kind, number in sorted(compared.items()))
        print(f"{what}: {told} compared, {found} differences so far", flush=True)
    world = new_world()
    missed = [fault for fault in faults.FAULTS if not _is_found(fault, seed, world)]
    print(f"{len(faults.FAULTS)} faults planted, not found: {'; '.join(missed) or 'none'}")
    return 1 if found or missed else 0


def _is_found(fault: str, seed: int, world: World) -> bool:
    """Of the scripts of one seed a fault may change few, and none that shows it."""
    seeds = range(seed, seed + _SEEDS)
    return any(faults.found(fault, faults.typed(each), world) for each in seeds)


def _counted(
    pairs: Iterable[tuple[Case, str]], compared: Counter[str]
) -> Iterator[tuple[Case, str]]:
    for case, made in pairs:
        compared[case.what] += 1
        yield case, made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`python -m differential [SEED [COUNT]]`: compare so many scripts, and find planted faults.

A tenth as many run with laconic itself.
"""

from __future__ import annotations

import random
import sys

from . import faults
from .compare import changed, differences
from .world import installed_laconic, new_world

_COUNT = 3000


def main(words: list[str]) -> int:
    seed = int(words[0]) if words else random.SystemRandom().randrange(1 << 32)
    count = int(words[1]) if words[1:] else _COUNT
    print(f"seed {seed}", flush=True)
    found = 0
    for laconic, share in ((None, count), (installed_laconic(), count // 10)):
        world = new_world(laconic)
        for difference in differences(changed(seed, share, world), world):
            found += 1
            print(difference, flush=True)
    print(f"{found} differences", flush=True)
    world = new_world()
    scripts = faults.typed(seed)
    missed = [fault for fault in faults.FAULTS if not faults.found(fault, scripts, world)]
    print(f"{len(faults.FAULTS)} faults planted, not found: {'; '.join(missed) or 'none'}")
    return 1 if found or missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

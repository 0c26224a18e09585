"""Times of undo on this machine: what is kept before a command, looked at after it, brought back.

python bench/undo.py [--large] [--cpu]

--large: also a work tree of 50,000 files. --cpu: time of the processor, on a machine that is busy.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from laconic.undo.analysis import reach_of
from laconic.undo.hold import measured
from laconic.undo.keep import About
from laconic.undo.restore import undo
from laconic.undo.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    from laconic.undo.store import Held

_ROUNDS = 7
_FILES, _BYTES = 20, 1 << 20


def timed(work: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """Return what the work gives, and how many milliseconds it took."""
    clock = time.process_time if "--cpu" in sys.argv[1:] else time.perf_counter
    start = clock()
    found = work(*arguments)
    return found, (clock() - start) * 1000


def keep(store: Store, argv: list[str], directory: Path) -> Held:
    holding = measured(reach_of(argv, str(directory), os.environ))
    assert holding.is_exact, holding.reach.doubts
    return store.keep(holding.reach, holding.survey, About(" ".join(argv), str(directory)))


def run(
    store: Store, argv: list[str], directory: Path, prepare: Callable[[], None]
) -> tuple[list[float], ...]:
    kept, after, undone = [], [], []
    for _ in range(_ROUNDS):
        prepare()
        held, spent = timed(keep, store, argv, directory)
        kept.append(spent)
        subprocess.run(argv, cwd=directory, check=True, capture_output=True)  # noqa: S603
        found, spent = timed(held.finish)
        after.append(spent)
        assert found is not None
        undone.append(timed(undo, store, found)[1])
    return kept, after, undone


def told(name: str, times: tuple[list[float], ...], bound: float) -> None:
    kept, after, undone = (statistics.median(one) for one in times)
    print(
        f"{name:42} keep {kept:7.1f} ms   after {after:7.1f} ms   together {kept + after:7.1f} ms"
        f" (at most {bound:.0f})   undo {undone:7.1f} ms"
    )


def few_files(base: Path) -> None:
    """Twenty files of a megabyte in all, removed."""
    directory = base / "few"
    directory.mkdir()
    names = [f"f{number}" for number in range(_FILES)]

    def prepare() -> None:
        for name in names:
            (directory / name).write_bytes(os.urandom(_BYTES // _FILES))

    store = Store(base / "state")
    told("rm of 20 files, 1 MB", run(store, ["rm", *names], directory, prepare), 5)
    argv = ["sh", "-c", "".join(f"echo x > {name};" for name in names)]
    told("20 files written in place, 1 MB", run(store, argv, directory, prepare), 5)


def tree(base: Path, count: int, bound: float) -> None:
    """`git checkout .` in a work tree of which one file in a hundred is modified."""
    directory = base / f"tree{count}"
    for number in range(count):
        path = directory / f"d{number % 97}" / f"s{number % 7}" / f"f{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{number}\n" * 10)
    # After a second, so that the times in the index count.
    setup = (
        "git init -q; git config gc.auto 0; git add -A;"
        " git -c user.name=a -c user.email=a@b commit -qm x; sleep 1.1; git status -s"
    )
    subprocess.run(["/bin/sh", "-c", setup], cwd=directory, check=True, capture_output=True)  # noqa: S603
    modified = sorted(directory.rglob("*.txt"))[::100]

    def prepare() -> None:
        for path in modified:
            path.write_text("modified\n")

    found = run(Store(base / "state"), ["git", "checkout", "."], directory, prepare)
    told(f"git checkout . in {count:,} files", found, bound)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="laconic-bench-") as name:
        base = Path(name)
        few_files(base)
        tree(base, 2_400, 40)
        if "--large" in sys.argv[1:]:
            tree(base, 50_000, 400)


main()

"""Runs destructive commands of a file, one JSON object per line, and takes each of them back.

    python -m undo.forms [--no-hooks] FILE...

Each line has `form`, the command, and `setup`, what is run before. The command runs in the project
of fixture.sh; then `undo` must bring back everything, and the undo of the undo must give what the
command had left. --no-hooks: in a repository without hooks, where nearly all commands of git are
known exactly; with hooks everything around is kept, because a hook may do anything.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from laconic.undo.analysis import reach_of
from laconic.undo.hold import measured
from laconic.undo.keep import About
from laconic.undo.restore import undo
from laconic.undo.store import Store
from undo.world import World, differences

_NOT_FOUND = (126, 127)


def read_forms(path: str | Path) -> list[dict[str, Any]]:
    text = Path(path).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip() and line[0] != "#"]


class SkippedError(Exception):
    """A program is not installed."""


def check_form(world: World, form: dict[str, Any]) -> list[str]:
    """Run one form, undo it, undo the undo; return what is not as it should be."""
    world.renew(form.get("setup", ""))
    line = form["form"]
    store = Store(world.state)
    before, objects, status = world.picture(), world.objects(), world.status()
    before = world.picture()  # git status has written the index
    holding = measured(reach_of(["bash", "-c", line], str(world.project), world.environment))
    if holding.survey is None or holding.reason:
        return [f"refused: {holding.reason}"]
    told = []
    about = About(line, str(world.project))
    held = store.keep(holding.reach, holding.survey, about)
    if world.picture() != before:
        told.append("to keep it has changed something")
    done = world.shell(line)
    keep = held.finish()
    if done.returncode in _NOT_FOUND and b"not found" in done.stderr:
        raise SkippedError(done.stderr.decode("utf-8", "replace").strip())
    left = world.picture()
    if keep is None:
        if left != before:
            return [*told, "not noticed: ", *differences(before, left)]
        return [*told, "it changes nothing"]
    again = undo(store, keep)
    told += [f"after undo: {one}" for one in differences(before, world.picture())]
    if lost := objects - world.objects():
        told.append(f"{len(lost)} objects are lost")
    undo(store, store.find(again))
    told += [f"after undo of undo: {one}" for one in differences(left, world.picture())]
    undo(store, keep)
    told += [f"after the third: {one}" for one in differences(before, world.picture())]
    if not told and world.status() != status:
        told.append("git status says something else")
    return told


def main(words: list[str]) -> int:
    paths = [word for word in words if not word.startswith("--")]
    failed = count = skipped = 0
    with tempfile.TemporaryDirectory(prefix="laconic-undo-") as directory:
        world = World(Path(directory), hooks="--no-hooks" not in words)
        for path in paths:
            for form in read_forms(path):
                count += 1
                try:
                    told = check_form(world, form)
                except SkippedError as error:
                    skipped += 1
                    print(f"SKIPPED {form['form']!r}: {error}", flush=True)
                    continue
                except Exception as error:  # noqa: BLE001 - the others must run, too
                    told = [f"{type(error).__name__}: {error}"]
                if told:
                    failed += 1
                    print(f"FAILED {form['form']!r}", *told[:12], sep="\n    ", flush=True)
    print(f"{count - failed - skipped} of {count} forms came back exactly, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

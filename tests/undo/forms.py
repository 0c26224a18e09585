"""Runs destructive commands of a file, one JSON object per line, and takes each of them back.

    python -m undo.forms FILE...

Each line has `form`, the command, and `setup`, what is run before. The command runs in the project
of fixture.sh; then `undo` must bring back everything, and the undo of the undo must give what the
command had left.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from laconic.undo.hold import hold_call
from laconic.undo.keep import About
from laconic.undo.restore import undo
from laconic.undo.store import Store
from undo.world import World, differences


def read_forms(path: str | Path) -> list[dict[str, Any]]:
    text = Path(path).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip() and line[0] != "#"]


def check_form(world: World, form: dict[str, Any]) -> list[str]:
    """Run one form, undo it, undo the undo; give what is not as it should be."""
    world.renew(form.get("setup", ""))
    line = form["form"]
    store = Store(world.state)
    before, objects, status = world.picture(), world.objects(), world.status()
    before = world.picture()  # git status has written the index
    holding = hold_call(["bash", "-c", line], str(world.project), world.environment)
    if holding.survey is None or holding.reason:
        return [f"refused: {holding.reason}"]
    told = []
    if form.get("exact") and not holding.is_exact:
        told.append(f"not known exactly: {holding.reach.doubts}")
    about = About(line, str(world.project))
    held = store.keep(holding.reach, holding.survey, about)
    if world.picture() != before:
        told.append("to keep it has changed something")
    world.shell(line)
    keep = held.finish()
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


def main(paths: list[str]) -> int:
    failed = count = 0
    with tempfile.TemporaryDirectory(prefix="laconic-undo-") as directory:
        world = World(Path(directory))
        for path in paths:
            for form in read_forms(path):
                count += 1
                try:
                    told = check_form(world, form)
                except Exception as error:  # noqa: BLE001 - the others must run, too
                    told = [f"{type(error).__name__}: {error}"]
                if told:
                    failed += 1
                    print(f"FAILED {form['form']!r}", *told[:12], sep="\n    ", flush=True)
    print(f"{count - failed} of {count} forms came back exactly")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

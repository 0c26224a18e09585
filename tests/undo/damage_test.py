"""What is kept is checked before it comes back: damage is told by name, and nothing is changed."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from laconic.errors import LaconicError
from laconic.undo.keep import About, DamagedError
from laconic.undo.reach import Reach
from laconic.undo.restore import BlockedError, undo
from laconic.undo.survey import survey

SMALL, LARGE = b"small\n" * 100, bytes(range(256)) * 2_000


@pytest.fixture
def keep(project, store):
    """A keep of two files that are gone: one is in the pack, one has a copy of its own."""
    (project / "small").write_bytes(SMALL)
    (project / "large").write_bytes(LARGE)
    reach = Reach()
    for name in ("small", "large"):
        reach.add(str(project / name))
    held = store.keep(reach, survey(reach), About("rm small large", str(project)))
    (project / "small").unlink()
    (project / "large").unlink()
    return held.finish()


def flip(path, seed=0):
    """Change one bit, somewhere."""
    data = bytearray(path.read_bytes())
    at = random.Random(seed).randrange(len(data))
    data[at] ^= 1 << seed % 8
    path.write_bytes(data)


@pytest.mark.parametrize("name", ["small", "large"])
@pytest.mark.parametrize("seed", range(6))
def test_one_bit_in_a_copy_is_refused_by_name_and_the_others_come_back(
    project, store, keep, name, seed
):
    copy, _ = keep.data(keep.before[str(project / name)])
    flip(Path(copy), seed)
    with pytest.raises(BlockedError, match=f"nothing was changed: .*/{name}: the kept copy is dam"):
        undo(store, keep)
    other = "large" if name == "small" else "small"
    assert not (project / other).exists()
    undo(store, keep, [str(project / other)])
    assert (project / other).read_bytes() == (SMALL if other == "small" else LARGE)


@pytest.mark.parametrize("name", ["manifest", "after"])
@pytest.mark.parametrize("seed", range(40))
def test_one_bit_in_what_is_written_about_it_is_refused_by_name(keep, store, name, seed):
    flip(Path(keep.path, name), seed)
    for wanted in (keep.id, "last"):
        with pytest.raises(DamagedError, match=f"{name}: is damaged: ") as raised:
            store.find(wanted)
        assert raised.value.hint == f"rm -r {keep.path} forgets what was kept there"


@pytest.mark.parametrize("name", ["command", "directory", "left_out", "notes", "places"])
def test_a_manifest_of_an_older_laconic_may_lack_something(keep, store, name):
    path = Path(keep.path, "manifest")
    row = json.loads(path.read_text().splitlines()[0])
    del row[name]
    path.write_text(json.dumps(row))
    with pytest.raises(LaconicError, match="manifest: is damaged: KeyError"):
        store.find(keep.id)
    assert list(store.keeps()) == []
    assert [damaged.path for damaged in store.damaged()] == [keep.path]

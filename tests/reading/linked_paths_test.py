"""Random trees of directories and links: a path leads to where the kernel says."""

# Paths are texts here, as they are in what is tested.
# ruff: noqa: PTH103, PTH104, PTH110, PTH112, PTH114, PTH115, PTH116, PTH118, PTH119, PTH120, PTH211
from __future__ import annotations

import contextlib
import os
import shutil
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from laconic.reading.facts import read_facts
from laconic.reading.links import Links
from laconic.reading.places import joined, meant

NAMES = ("a", "b")


def _paths(*names, longest):
    """Paths of these names, few enough that they often meet."""
    lists = st.lists(st.sampled_from(names), min_size=1, max_size=longest)
    return lists.map(lambda parts: "/".join(parts).lstrip("/") or ".")


PATHS = _paths(*NAMES, "..", ".", "", longest=7)
SHORT, UPWARDS = _paths(*NAMES, longest=2), _paths(*NAMES, "..", "..", longest=3)
TREES = st.lists(st.tuples(st.sampled_from("dirs links files".split()), SHORT, UPWARDS), max_size=8)
COMMANDS = st.lists(
    st.tuples(st.sampled_from("link move copy".split()), SHORT, UPWARDS), max_size=4
)


def _made(kind, path, text, top):
    """Make one piece of a tree, never above its top; False where that cannot be done."""
    path = f"{top}/{path}"
    if not os.path.realpath(path).startswith(f"{top}/"):
        return False
    try:
        if kind == "dirs":
            os.makedirs(path)
        elif kind == "links":
            os.symlink(text, path)
        else:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except OSError:
        return False
    return True


def _inode(path):
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


@example(
    tree=[("dirs", "a", ""), ("links", "a/b", ".."), ("links", "b", "a/b")], paths=["b/b/a", "b/.."]
)
@given(tree=TREES, paths=st.lists(PATHS, min_size=1, max_size=5))
def test_paths_are_resolved_as_by_the_kernel(tree, paths):
    with TemporaryDirectory() as directory:
        top = f"{os.path.realpath(directory)}/x/y/z"
        os.makedirs(top)
        for kind, path, text in tree:
            _made(kind, path, text, top)
        facts = read_facts(top, {"HOME": "/nonexistent"})
        links = Links(facts.link)
        for path in paths:
            whole = joined(top, path)
            inode = _inode(f"{top}/{path}")
            for found in (facts.real_path(whole), *links.ends(whole)):
                assert inode is None or found == os.path.realpath(f"{top}/{path}")
                assert inode is None or inode == _inode(found)
            assert inode is None or inode in map(_inode, meant(path, top, facts))


@pytest.mark.parametrize("count", [3, 8, 40])
def test_copies_over_copies_are_looked_at_in_time(count):
    """Each was followed in every order: hours for a line of twelve `cp -r`."""
    looked = []
    links = Links(looked.append)
    for depth in range(count):
        links.note_copy(f"/p{'/a' * depth}", "/p/a")
        links.note_copy(f"/p/b{'/a' * depth}", "/p")
    assert links.ends(f"/p/b{'/a' * count}")
    assert len(looked) < 10_000


@example(
    tree=[("dirs", "a/a", ""), ("links", "a/a/b", "../..")],
    commands=[("move", "b", "a/a"), ("copy", "a/b", "b/b")],
    done=[True, True, True, True],
    paths=["b/b/.."],
)
@given(
    tree=TREES, commands=COMMANDS, done=st.lists(st.booleans(), min_size=4), paths=st.lists(PATHS)
)
def test_no_link_that_a_line_may_make_is_overlooked(tree, commands, done, paths):
    """Whatever of the commands works: where the kernel goes then is among the places before."""
    with TemporaryDirectory() as directory:
        top = f"{os.path.realpath(directory)}/x/y/z"
        os.makedirs(top)
        for kind, path, text in tree:
            _made(kind, path, text, top)
        there = {
            path: os.readlink(path)
            for where, folders, files in os.walk(top)
            for path in (os.path.join(where, name) for name in (*folders, *files))
            if os.path.islink(path)
        }
        links = Links(there.get)
        for (verb, path, text), works in zip(commands, done, strict=False):
            whole = joined(top, path)
            name = os.path.basename(whole)
            places = [os.path.join(e, name) for e in links.ends(os.path.dirname(whole))]
            if name == ".." or not text:
                continue
            if verb == "link":
                for place in places:
                    links.note(place, text)
                _ = works and _made("links", path, text, top)
                continue
            source = joined(top, text)
            if os.path.basename(source) == ".." or not os.path.lexists(source):
                continue
            parents = links.ends(os.path.dirname(source))
            for place in places:
                for parent in parents:
                    links.note_copy(place, os.path.join(parent, os.path.basename(source)))
            is_below = os.path.realpath(source).startswith(f"{top}/")
            is_below = is_below and os.path.realpath(whole).startswith(f"{top}/")
            if not (works and is_below and not os.path.lexists(whole)):
                continue
            with contextlib.suppress(OSError):
                if verb == "move":
                    os.rename(source, whole)
                elif not os.path.isdir(source) or os.path.islink(source):
                    shutil.copy(source, whole, follow_symlinks=False)
                else:
                    shutil.copytree(source, whole, symlinks=True)
        below = [os.path.join(w, one) for w, dirs, files in os.walk(top) for one in (*dirs, *files)]
        for path in (*below, *(f"{top}/{path}" for path in paths)):
            for whole in (path, f"{path}/..", f"{path}/../a", f"{path}/b"):
                ends = links.ends(joined("", whole))
                assert not os.path.exists(whole) or {"/", os.path.realpath(whole)} & {*ends}

"""The cache of the knowledge: the same as the files say, whatever happens to it."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from laconic.knowledge import catalog
from laconic.knowledge.knowledge import Branch, Entry
from laconic.settings import disk_cache


def everything(branch, path=()):
    """Return all that is known below a branch, as plain values."""
    entry = branch.entry
    options = sorted(entry.options.known.items()) if entry and entry.options else None
    yield path, entry and (entry.path, entry.source, entry.verdict, entry.why, entry.code, options)
    for word, child in sorted(branch.words.items()):
        yield from everything(child, (*path, word))
    for word, child in branch.alternatives:
        yield from everything(child, (*path, f"* {word}"))


@pytest.fixture
def places(tmp_path, monkeypatch):
    found = [str(tmp_path / "first/cache"), str(tmp_path / "second/cache")]
    monkeypatch.setattr(disk_cache, "_places", lambda _name: found)
    return found


@pytest.fixture
def packs(monkeypatch):
    """Counts how often the files are read."""
    calls = []
    monkeypatch.setattr(catalog, "_pack", lambda: calls.append(1) or {"x": b"packed"})
    return calls


def test_what_grows_on_demand_is_what_the_files_say():
    root = Branch()
    for file in sorted(catalog.DATA.glob("*.toml")):
        tables = catalog.with_default_effect(tomllib.loads(file.read_text()))
        for path, table in tables.items():
            for name in (path, *table.get("also", ())):
                entry = Entry(path, table, file.stem)
                root.plant(name.split(), entry, is_exact="{" not in name)
    assert dict(everything(catalog.library().root)) == dict(everything(root))


@pytest.mark.usefixtures("places")
def test_the_files_are_read_once(packs):
    assert [catalog._compiled()["x"] for _ in range(3)] == [b"packed"] * 3
    assert len(packs) == 1


@pytest.mark.parametrize(
    "data",
    [b"", b"\0", b"nonsense" * 100, b"\xff" * 3, None],
    ids=["empty", "byte", "text", "short", "cut"],
)
def test_a_damaged_cache_is_written_again(places, packs, data):
    catalog._compiled()
    with Path(places[0]).open("rb") as file:
        whole = file.read()
    with Path(places[0]).open("wb") as file:
        file.write(whole[:-1] if data is None else data)
    assert catalog._compiled()["x"] == b"packed"
    assert len(packs) == 2
    with Path(places[0]).open("rb") as file:
        assert file.read() == whole


@pytest.mark.parametrize("position", [0, 3, 4, 20, -1])
def test_a_byte_that_changed_is_noticed(places, packs, position):
    catalog._compiled()
    with Path(places[0]).open("r+b") as file:
        data = bytearray(file.read())
        data[position] ^= 1
        file.seek(0)
        file.write(data)
    assert catalog._compiled()["x"] == b"packed"
    assert len(packs) == 2


@pytest.mark.usefixtures("places")
def test_another_version_or_another_file_has_another_cache(packs, monkeypatch):
    catalog._compiled()
    monkeypatch.setattr(disk_cache, "_OURS", ("0.0.0-other", *disk_cache._OURS[1:]))
    catalog._compiled()
    assert len(packs) == 2
    names = catalog._names()
    monkeypatch.setattr(catalog, "_names", lambda: names[1:])
    catalog._compiled()
    assert len(packs) == 3


def test_two_versions_of_python_do_not_take_each_others_file():
    """They may use one installation at the same time, and would write it anew by turns."""
    assert all(f"-{sys.hexversion:x}." in place for place in disk_cache._places("x"))


def test_a_cache_that_others_can_write_is_not_believed(places, packs):
    catalog._compiled()
    Path(places[0]).chmod(0o666)
    catalog._compiled()
    assert len(packs) == 2


@pytest.mark.usefixtures("packs")
def test_without_a_place_to_write_there_is_no_cache_and_no_harm(monkeypatch):
    monkeypatch.setattr(disk_cache, "_places", lambda _name: ["/proc/cache", "/dev/null/cache"])
    assert catalog._compiled()["x"] == b"packed"


def test_the_second_place_serves_where_the_first_cannot_be_written(places, packs, monkeypatch):
    monkeypatch.setattr(disk_cache, "_places", lambda _name: ["/dev/null/cache", places[1]])
    catalog._compiled()
    catalog._compiled()
    assert len(packs) == 1

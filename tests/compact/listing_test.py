"""What is listed by directory gives back every path, and no other, whatever names there are."""

from __future__ import annotations

import re
import time

import pytest
from bench.compaction_report import expanded
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from laconic.compact.lines import read_lines
from laconic.compact.pipeline import compact
from outputs import FOUND

STEMS = st.sampled_from(["a", "b", "cart", "log1", "log2", "log3", "log4", "log10", "x_1", "x_2"])
NAMES = st.builds(
    "{}{}".format,
    STEMS,
    st.sampled_from([".py", ".txt", ".in", ".out", "", ".d.ts", ".1", ".2.gz"]),
)
DIRECTORIES = st.sampled_from(["src", "src/app", "docs", "web/src", "web/src/inner", "t1", "t2"])
TREES = st.dictionaries(
    DIRECTORIES, st.lists(NAMES, min_size=1, max_size=25, unique=True), min_size=2, max_size=7
)
LARGE_TREES = st.dictionaries(
    DIRECTORIES, st.lists(NAMES, min_size=12, max_size=30, unique=True), min_size=4, max_size=7
)


def shown(identifier: str, text: str) -> list[str]:
    """The lines that are shown; none if it stays as it is."""
    compacted = compact(FOUND.load(identifier), 0, read_lines(text.encode()))
    return [] if compacted is None else compacted.text().splitlines()


def paths_of(lines: list[str]) -> list[str]:
    """Every path that the lines of a listing tell."""
    found: list[str] = []
    for line in lines:
        plain = re.sub(r" *\[[^\]]*\]", "", line)
        directory, colon, names = plain.partition("/: " if "/: " in plain else ": ")
        start = f"{directory}/" if colon else ""
        found += [start + name for name in expanded((names if colon else plain).split())]
    return found


@given(LARGE_TREES)
@settings(max_examples=60, deadline=None)
def test_the_directories_of_ls_are_told_apart(tree):
    text = "\n\n".join(f"{name}:\n" + "\n".join(names) for name, names in sorted(tree.items()))
    lines = shown("ls", f"{text}\n")
    assume(lines)
    told = [path for path in paths_of(lines) if path.rstrip("/") not in tree]
    wanted = {f"{name}/{inner}" for name, names in tree.items() for inner in names}
    assert sorted(told) == sorted(wanted - set(tree))


@given(TREES)
@settings(max_examples=40, deadline=None)
def test_the_files_of_a_diff_are_all_told(tree):
    paths = [f"{name}/{inner}" for name, names in tree.items() for inner in names]
    lines = shown("git/diff", "".join(f"{path}\n" for path in paths))
    assume(lines)
    assert sorted(paths_of(lines)) == sorted(paths)


@given(TREES, st.data())
@settings(max_examples=40, deadline=None)
def test_the_hits_of_every_file_are_told(tree, data):
    paths = [f"{name}/{inner}" for name, names in tree.items() for inner in names]
    counts = {path: data.draw(st.integers(0, 3)) for path in paths}
    lines = shown("grep", "".join(f"{path}:{count}\n" for path, count in counts.items()))
    assume(lines)
    found = {path for path, count in counts.items() if count}
    words = paths_of([line.replace("; ", " ").replace(", ", " ") for line in lines])
    assert found <= {re.sub(r":\d+$", "", word) for word in words}


TEXTS = st.sampled_from(["import os", "x = 1", "return x", "# later", "def f(a, b):"])
HITS = st.dictionaries(
    st.builds("{}/{}".format, DIRECTORIES, NAMES.filter(lambda name: "." in name)),
    st.lists(
        st.tuples(st.integers(1, 400), TEXTS), min_size=1, max_size=6, unique_by=lambda h: h[0]
    ),
    min_size=1,
    max_size=20,
)


def hits_of(lines: list[str]) -> set[tuple[str, int, str]]:
    """Every hit that the lines of a search tell: path, number, text."""
    directory, path = "", ""
    found: set[tuple[str, int, str]] = set()
    for line in lines:
        if match := re.fullmatch(r"(.*) \[x\d+\]: (.*)", line):
            places = [place.split(":") for place in match[2].split()]
            found |= {(f"{directory}{name}", int(number), match[1]) for name, number in places}
        elif line.endswith("/") and ":" not in line:
            directory, path = line, ""
        elif re.fullmatch(r"[\w./]+:", line):
            directory, path = "", line[:-1]
        elif match := re.fullmatch(r"(?:([\w./]+):)?([\d,]+):(.*)", line):
            if match[1] and "/" in match[1]:
                directory = ""
            name = f"{directory}{match[1]}" if match[1] else path
            found |= {(name, int(number), match[3].strip()) for number in match[2].split(",")}
    return found


@given(HITS)
@settings(max_examples=60, deadline=None)
def test_every_hit_is_told_with_its_file_and_line(hits):
    rows = [(path, *hit) for path, some in hits.items() for hit in sorted(some)]
    lines = shown("grep", "".join(f"{path}:{n}:    {text}\n" for path, n, text in rows))
    assume(lines)
    assert hits_of(lines) == {(path, n, text) for path, n, text in rows}


def test_how_often_a_path_is_there_is_told():
    names = [f"tests/test_{letter}.py" for letter in "abcdef"]
    printed = [names[n * n % 7 % 6] for n in range(200)]
    lines = shown("grep", "".join(f"{name}\n" for name in printed))
    assert len(lines) == 1
    counts = dict(re.findall(r"(test_\w\.py) \[x(\d+)\]", lines[0]))
    assert counts == {n[6:]: str(printed.count(n)) for n in names if n in printed}


@pytest.mark.parametrize("text", [".\n" * 300, (".\n" * 40 + "F\n") * 20, "..\n" * 100])
def test_dots_and_letters_are_no_paths(text):
    assert not any("/" in line for line in shown("grep", text))


def test_many_small_directories_do_not_take_long_and_a_single_one_shows_names():
    started = time.process_time()
    lines = shown("find", "".join(f"a{n}/b{n}/c.py\n" for n in range(12_000)))
    assert time.process_time() - started < 5  # it took minutes
    assert re.fullmatch(r"\[\d+ more in \d+ directories: \d+ \.py\]", lines[-1])
    names = shown("ls", "".join(f"{n:x}name{n * 7 % 997}.vim\n" for n in range(900)))
    assert names[0].startswith("0name0.vim 1name7.vim")

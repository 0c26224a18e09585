"""Recorded commands are judged for themselves alone, however they are shared out."""

from __future__ import annotations

import json
import os
import pickle
import random
import re
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import laconic
from decide_cases import ALL
from laconic.batch import judge
from laconic.errors import LaconicError
from laconic.reading.facts import NOWHERE, told_facts
from outputs import cases as outputs

pa = pytest.importorskip("pyarrow")

CASES = Path(__file__).parent / "cases/batch"
WATCHED = Path(__file__).parent / "batch_watched.py"
COMMANDS = sorted({case.command for _, case in ALL if case.command.isprintable()})
SOME = random.Random(1).sample(COMMANDS, 300)
JUDGED = ["verdict", "effects", "rule", "reason"]


def table(**columns):
    return pa.table(columns)


def lines_of(name):
    text = (CASES / name).read_text()
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@pytest.fixture(scope="module")
def recorded():
    """Commands in several places, some twice, and outputs of others."""
    places = [None, "/home/ann/app", "/testbed", "/etc"]
    rows = [(each, places[number % 4], None, None) for number, each in enumerate(SOME[:60])]
    rows += [(each.command, None, each.raw, each.status) for each in outputs()[::40]]
    rows += rows[::7]
    names = ("command", "cwd", "output", "status")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    kinds = pa.string(), pa.string(), pa.binary(), pa.int64()
    return pa.table(columns, schema=pa.schema(zip(names, kinds, strict=True)))


# -- what is said ----------------------------------------------------------------------------------


def test_with_facts_of_the_machine_it_says_what_the_library_says(project):
    (project / "link").symlink_to("/etc")
    commands = [*SOME, "touch link/x"]
    rows = judge(table(command=commands, cwd=[str(project)] * len(commands)), facts="machine")
    said = [laconic.decide(command, project) for command in commands]
    assert rows["verdict"].to_pylist() == [str(each.verdict) for each in said]
    assert rows["effects"].to_pylist() == [list(each.effects.words) for each in said]
    assert rows["rule"].to_pylist() == [each.rule for each in said]
    assert rows["reason"].to_pylist() == [each.reason for each in said]
    assert rows["effects"].to_pylist()[-1] == ["outside-write"]
    assert set(rows["version"].to_pylist()) == {laconic.__version__}


def test_a_profile_counts():
    rows = table(command=["pytest -q", "git push"])
    verdicts = {
        profile: judge(rows, profile=profile)["verdict"].to_pylist()
        for profile in ("strict", "default", "work", "guard")
    }
    assert verdicts == {
        "strict": ["ask", "ask"],
        "default": ["ask", "ask"],
        "work": ["allow", "ask"],
        "guard": ["allow", "ask"],
    }


def test_outputs_are_compacted_as_the_library_does():
    found = outputs()[::25]
    rows = judge(
        table(
            command=[each.command for each in found],
            output=[each.raw for each in found],
            status=[each.status for each in found],
        )
    )
    for each, row in zip(found, rows.to_pylist(), strict=True):
        known = laconic.compact(each.raw, each.command, each.status)
        text = each.raw if known is None else str(known).encode("utf-8", "surrogateescape")
        assert row["shown"] == text, each.id
        assert (row["shown_tokens"] < row["tokens"]) == (known is not None), each.id


def test_a_status_that_nobody_knows_is_a_failure():
    text = "".join(f"warning: step {number}\n" for number in range(300)) + "error: no such part\n"
    shown = judge(table(command=["./build.sh"], output=[text]))["shown"].to_pylist()
    failed = judge(table(command=["./build.sh"], output=[text], status=[1]))["shown"].to_pylist()
    assert shown == failed
    assert "error: no such part" in shown[0]


@pytest.mark.parametrize("line", lines_of("places.cases"))
def test_a_directory_tells_its_home_and_project_by_its_name(line):
    directory, home, project = line.split()
    facts = told_facts("" if directory == "(none)" else directory)
    assert (facts.home, facts.project) == (home, NOWHERE if project == "-" else project)


def test_decisions_are_equal_by_value_also_in_another_process():
    for command in SOME[:50]:
        decision = laconic.decide(command)
        assert decision == laconic.decide(command)
        assert pickle.loads(pickle.dumps(decision)) == decision
        assert hash(decision) == hash(laconic.decide(command))
    assert laconic.decide("ls") != laconic.decide("ls -l; ls")


def test_the_example_of_the_documentation_is_true(capsys):
    text = (Path(__file__).parent.parent / "docs/batch.md").read_text()
    program, printed = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.DOTALL).groups()
    exec(program, {})
    assert capsys.readouterr().out == printed


# -- tables ----------------------------------------------------------------------------------------


def test_other_columns_and_the_order_of_rows_stay():
    rows = table(id=[3, 1, 2], command=["ls", None, "git push"])
    said = judge(rows)
    assert said.column_names == ["id", "command", *JUDGED, "version"]
    assert said.select(["id", "command"]).equals(rows)
    assert said["verdict"].to_pylist() == ["allow", None, "ask"]
    assert said["effects"].to_pylist() == [["reads"], None, ["sends"]]


@pytest.mark.parametrize(
    "kind", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
)
def test_text_is_text_in_whatever_form(kind):
    plain = table(command=["ls", "git push", None], output=["a\n" * 500, "b", None])
    columns = {name: plain[name].combine_chunks() for name in ("command", "output")}
    other = pa.table({name: column.cast(kind) for name, column in columns.items()})
    rows = judge(other)
    assert rows.select([*JUDGED, "tokens"]).equals(judge(plain).select([*JUDGED, "tokens"]))
    assert rows["shown"].to_pylist() == judge(plain)["shown"].to_pylist()


def test_text_that_is_cut_within_a_character_is_still_text():
    line = "ж" * 3000 + "\n"
    rows = judge(table(command=["./x"], output=[line * 40], status=[0]))
    assert rows["shown_tokens"].to_pylist()[0] < rows["tokens"].to_pylist()[0]


def test_a_table_without_rows_has_all_columns(recorded):
    nothing = judge(recorded.slice(0, 0))
    assert nothing.num_rows == 0
    assert nothing.schema == judge(recorded.slice(0, 1)).schema


@pytest.mark.parametrize("line", lines_of("refused.cases"))
def test_a_mistake_gets_one_clear_line(line):
    asked, _, message = re.split(r"(\s{2,}(?=`|the ))", line)

    def twice(found):
        return found.append_column("command", found["command"])

    with pytest.raises(LaconicError) as raised:
        eval(asked, {"judge": judge, "table": table, "twice": twice})
    assert raised.value.message == message


def test_without_pyarrow_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(LaconicError) as raised:
        judge(None)
    assert raised.value.hint == "pip install 'laconic[arrow]'"


def test_pyarrow_is_loaded_by_who_calls_it():
    program = "import sys, laconic.batch; print('pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"False\n"


# -- the same everywhere ---------------------------------------------------------------------------


@given(data=st.data())
def test_it_does_not_matter_how_rows_are_shared_out(recorded, data):
    """Each row has the same answer in any order, with any neighbours, in a part of any size."""
    order = data.draw(st.permutations(range(recorded.num_rows)))[:20]
    rows = recorded.take(pa.array(order))
    cut = data.draw(st.integers(0, len(order)))
    parts = [judge(rows.slice(0, cut)), judge(rows.slice(cut))]
    assert pa.concat_tables(parts).equals(_all(recorded).take(pa.array(order)))


_known = {}


def _all(recorded):
    if id(recorded) not in _known:
        _known[id(recorded)] = judge(recorded)
    return _known[id(recorded)]


def test_two_processes_say_what_one_says(recorded):
    parts = [recorded.slice(start, 10) for start in range(0, recorded.num_rows, 10)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        rows = pa.concat_tables(pool.map(judge, parts))
    assert rows.equals(judge(recorded))


def test_without_facts_nothing_of_the_machine_is_looked_at(tmp_path):
    """In one directory links, scripts and settings are planted; the other has nothing."""
    bare, planted = tmp_path / "bare", tmp_path / "planted"
    for directory in (bare, planted):
        directory.mkdir()
    _plant(planted)
    installed = [Path(laconic.__file__).parent, sys.prefix, sys.base_prefix]
    said = []
    for directory, variables in ((bare, {}), (planted, {"HOME": str(planted)})):
        done = subprocess.run(
            [sys.executable, "-P", WATCHED, *installed],
            cwd=directory,
            env={
                **os.environ,
                "PYTHONPATH": str(WATCHED.parent),
                "LACONIC_PROFILE": "strict",
                **variables,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        said.append(json.loads(done.stdout))
    assert said[0]["rows"] > 3000
    assert [each["looked"] for each in said] == [[], []]
    assert said[0] == said[1]


def _plant(directory):
    (directory / ".git").mkdir()
    for name in ("link", "src", "build", "dist", "docs", "out"):
        (directory / name).symlink_to("/etc")
    scripts = dict.fromkeys(("test", "build", "lint", "start"), "rm -rf ~")
    (directory / "package.json").write_text(json.dumps({"scripts": scripts}))
    (directory / "Makefile").write_text("all test build:\n\trm -rf ~\n")
    (directory / ".npmrc").write_text("registry = http://evil.example\n")
    (directory / "json.py").write_text("raise SystemExit(3)\n")
    (directory / ".config/laconic").mkdir(parents=True)
    (directory / ".config/laconic/config.toml").write_text('[commands]\ndeny = ["ls", "cat"]\n')

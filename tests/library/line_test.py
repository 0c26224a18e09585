"""What rules see of a line: all that the gate sees run, in whatever spelling."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import laconic
from decide_cases import ALL
from laconic.knowledge.catalog import library, tables
from laconic.library.line import Line
from laconic.policy.rules import Rules
from laconic.reading.decide import read_line
from laconic.reading.places import Facts
from machine import needs

SPELLINGS = Path(__file__).parent.parent / "cases" / "library" / "spellings.txt"
GATE = laconic.Gate(
    custom_rules=[
        laconic.Rule(id="own.rm", when=laconic.When(program=("rm",)), action="deny"),
    ],
    gate=False,
)


def lines():
    """Every line of the cases and of the examples of the knowledge, once."""
    examples = [line for _, _, t in tables() for key in ("yes", "no") for line in t.get(key, ())]
    return list(dict.fromkeys([*(case.command for _, case in ALL), *examples]))


def gap(line):
    """The programs that the gate sees and rules do not."""
    programs = read_line(line, library(), Rules(), Facts())
    seen = {invocation.program for invocation in Line(line, "/project", "/home/user").invocations}
    named = {program.name for program in programs if program.arguments}
    globbed = {program.name for program in programs if any(a.glob for a in program.arguments[:1])}
    return named - globbed - seen - {""}


@pytest.mark.slow
def test_rules_see_every_program_that_the_gate_sees():
    assert {line: names for line in lines() if (names := gap(line))} == {}


@pytest.mark.parametrize("line", lines()[::40])
def test_rules_see_every_program_of_a_line_that_the_gate_sees(line):
    assert gap(line) == set()


# -- spellings -------------------------------------------------------------------------------------


def spellings(*, run):
    """The lines, or those that can be run, each with the programs that it needs."""
    heading, found = 0, []
    for line in SPELLINGS.read_text().splitlines():
        heading += line.startswith("# not run")
        if line and line[0] != "#" and not (run and heading):
            names, _, text = line.partition(" ")
            marks = needs(*names.split(",")) if run and names != "-" else ()
            found.append(pytest.param(text.strip(), marks=marks))
    return found


@pytest.mark.parametrize("line", spellings(run=False))
def test_a_rule_about_rm_is_about_whatever_runs_it(line):
    assert GATE.decide(line).verdict == "deny"


@pytest.mark.parametrize("line", spellings(run=True))
def test_bash_runs_rm_in_each_of_these(line, tmp_path):
    (tmp_path / "x").write_text("")
    (tmp_path / "list").write_text("x\n")
    subprocess.run(["bash", "-c", line], cwd=tmp_path, check=False, capture_output=True, timeout=60)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    "line",
    [
        f"timeout {'-k 1 ' * 300}--frob 5 rm x",
        f"{'ls; ' * 300}sudo rm x; '",
        f"rm x; echo '{'a' * 70_000}'",
        f"sudo {'-n ' * 300}--frob {'-u me ' * 300}rm x",
    ],
    ids=["options", "commands", "length", "doubts"],
)
def test_no_length_hides_a_program(line):
    assert GATE.decide(line).verdict == "deny"


@pytest.mark.parametrize(
    ("line", "rewritten"),
    [
        ("xargs -n1 make < f > g", "xargs -n1 make -j4 < f > g"),
        ("A=1 timeout 5 make all", "A=1 timeout 5 make all -j4"),
        ("parallel make ::: a b", ""),
        ("find . -exec make {} \\;", ""),
        ("bash -c 'make all'", ""),
        ("echo `make`", ""),
        ("x=make; $x", ""),
        ("timeout --frob make", ""),
        ("for d in a b; do make -C $d; done", "for d in a b; do make -C $d -j4; done"),
    ],
)
def test_a_rewrite_is_made_only_where_the_words_stand(line, rewritten):
    when = laconic.When(program=("make",), unless=("-j",))
    rule = laconic.Rule(id="own.make", when=when, rewrite=laconic.Append("-j4"))
    gate = laconic.Gate(custom_rules=[rule], gate=False)
    assert gate.decide(line).command == (rewritten or line)


@pytest.mark.parametrize(
    "line",
    ["echo rm x", "git rm x", "docker rm x", "command -v rm", "man rm", "grep -r 'rm x' .",
     "timeout 5 echo rm", "npm rm x", "bash -c 'echo rm'", "which rm", "git commit -m 'rm x'",
     "sudo -u rm ls", "time ls rm", "find . -name rm", "env rm=1 ls", "sh build.sh rm"],
)  # fmt: skip
def test_a_rule_about_rm_is_not_about_its_name_as_an_argument(line):
    assert GATE.decide(line).verdict == "allow"

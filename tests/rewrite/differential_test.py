"""What is rewritten does what was typed: generated scripts under bash, zsh and make, both ways."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from differential import faults
from differential.compare import KINDS, changed, differences
from differential.world import LACONIC, World, installed_laconic
from laconic.rewrite import plan
from laconic.run.options import FLAGS
from machine import each_of, missing

SEED = 20261115


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="module")
def scripts():
    return [case for case in faults.typed(SEED, 3000) if not missing(case.shell)]


def test_the_stand_in_for_laconic_takes_every_flag_that_a_rewrite_writes():
    modules = Path(plan.__file__).parent.glob("*.py")
    code = "".join(module.read_text() for module in modules)
    written = [flag.name for flag in FLAGS if f"{flag.name} " in code]
    assert "--baseline-pipe" in written
    assert [name for name in written if not re.search(rf"{name}[|)]", LACONIC)] == []


def test_the_name_of_the_directory_makes_no_difference(world):
    script = "pwd; pwd | tr a-z A-Z; pwd >&2; pwd > made.txt"
    assert world.run("bash", script) == world.run("bash", script)


@pytest.mark.parametrize("kind", each_of(*KINDS))
def test_rewritten_scripts_do_what_was_typed(kind, world):
    found = list(differences(changed(SEED, 30, world, kinds=(kind,)), world))
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize("kind", each_of(*KINDS))
def test_so_they_do_with_laconic_itself(kind, tmp_path):
    world = World(tmp_path, installed_laconic())
    found = list(differences(changed(SEED, 4, world, kinds=(kind,)), world))
    assert not found, "\n".join(map(str, found))


# `make differential` plants all of them.
@pytest.mark.parametrize(
    "fault",
    [
        "PIPESTATUS is not looked for",
        "PATH is a variable like any other",
        "any descriptor is a stream",
        "functions are programs",
        "make is given our shell",
    ],
)
def test_a_planted_fault_is_found(fault, scripts, world):
    assert faults.found(fault, scripts, world)

"""What is rewritten does what was typed: generated scripts under bash, zsh and make, both ways."""

from __future__ import annotations

import pytest

from differential import faults
from differential.compare import changed, differences
from differential.world import World, installed_laconic

SEED = 20261115


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="module")
def scripts():
    return faults.typed(SEED, 2000)


def test_rewritten_scripts_do_what_was_typed(world):
    found = list(differences(changed(SEED, 90, world), world))
    assert not found, "\n".join(map(str, found))


def test_so_they_do_with_laconic_itself(tmp_path):
    world = World(tmp_path, installed_laconic())
    found = list(differences(changed(SEED, 12, world), world))
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

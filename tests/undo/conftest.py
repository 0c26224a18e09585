"""What tests of undo share: a small project with files of every kind, and a store."""

from __future__ import annotations

import pytest

from laconic.undo.store import Store
from undo.kills import fill


@pytest.fixture
def project(tmp_path):
    made = tmp_path / "project"
    fill(made)
    return made


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "state")

"""Every test has a home of its own; the real one is out of reach."""

from __future__ import annotations

import os

import pytest

pytest_plugins = ["hook_place", "oracle.plugin"]


def pytest_addoption(parser):
    parser.addoption("--update-cases", action="store_true", help="rewrite what case files expect")


@pytest.fixture(autouse=True)
def home(tmp_path_factory, monkeypatch):
    directory = tmp_path_factory.mktemp("home")
    for name in [name for name in os.environ if name.startswith("LACONIC_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(directory))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(directory / ".config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(directory / ".local/state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(directory / ".cache"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    return directory

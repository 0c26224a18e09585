"""Every test has a home of its own; the real one, and most of the machine, is out of reach."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal

import hypothesis
import pytest

from machine import enclose

_numbers = itertools.count()
_empty_homes = []
# How long an example takes says more of what else runs than of the code.
hypothesis.settings.register_profile(
    "tests", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("tests")

pytest_plugins = ["hook_fixture", "oracle.plugin"]


def pytest_configure(config):
    """Begin as if typed at a terminal: who runs in the background ignores signals."""
    if "PYTEST_XDIST_WORKER" not in os.environ:  # which has the place of the one who started it
        place = enclose()
        config.add_cleanup(lambda: shutil.rmtree(place, ignore_errors=True))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


# A file is run by one process; those that take longest come first, so that none is waited for.
LONGEST = (
    "tests/run/run_test.py",
    "tests/server/",
    "tests/run/",
    "tests/effects_test.py",
    "tests/packaging_test.py",
    "tests/policy/decide_test.py",
    "tests/shell/",
    "tests/rewrite/differential_test.py",
    "tests/record/tokenizer_test.py",
    "tests/compact/compact_test.py",
    "tests/policy/",
    "tests/knowledge/",
    "tests/cli/",
)


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--hook-traffic"):  # there is nothing to compare with
        items[:] = [item for item in items if "row" not in getattr(item, "fixturenames", ())]

    def place(item):
        return next((n for n, path in enumerate(LONGEST) if item.nodeid.startswith(path)), 99)

    items.sort(key=place)


def pytest_addoption(parser):
    parser.addoption("--hook-traffic", help="a file of hook calls and the answers to them")
    parser.addoption("--update-cases", action="store_true", help="rewrite what case files expect")


@pytest.fixture(autouse=True)
def home(tmp_path_factory, monkeypatch):
    directory = _empty_homes.pop() if _empty_homes else _new_home(tmp_path_factory)
    # What a make around the tests tells the makes below it is not for those in the tests.
    for name in [name for name in os.environ if name.startswith(("LACONIC_", "MAKE", "MFLAGS"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(directory))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(directory / ".config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(directory / ".local/state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(directory / ".cache"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    yield directory
    # Most tests leave nothing in it; to remove a directory takes longer than such a test.
    with contextlib.suppress(OSError):
        if not any(directory.iterdir()):
            _empty_homes.append(directory)


def _new_home(factory):
    # Not by mktemp, which looks through all that it made before: there are many tests.
    directory = factory.getbasetemp() / "homes" / str(next(_numbers))
    directory.mkdir(0o700, parents=True)
    return directory

"""Every test has a home of its own; the real one, and most of the machine, is out of reach."""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import shutil
import signal

import hypothesis
import pytest

from machine import enclose
from order import put_in_order

_numbers = itertools.count()
_empty_homes = []
# How long an example takes says more of what else runs than of the code.
hypothesis.settings.register_profile(
    "tests", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("tests")

pytest_plugins = ["hook_fixture", "oracle.plugin"]


def pytest_configure(config):
    """Begin as if typed at a terminal: a job in the background ignores signals."""
    if "PYTEST_XDIST_WORKER" not in os.environ:  # a worker shares the place of its parent
        place = enclose()
        config.add_cleanup(lambda: shutil.rmtree(place, ignore_errors=True))
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False  # or the files with most tests would come first
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def pytest_collection_modifyitems(config, items):
    import warm_server  # looks for a compiler, where the tests would find one

    if not config.getoption("--hook-traffic"):  # there is nothing to compare with
        items[:] = [item for item in items if "row" not in getattr(item, "fixturenames", ())]
    put_in_order(items, has_client=bool(warm_server.COMPILER or warm_server.GIVEN))


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage among half a million objects that stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


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
    # Most tests leave nothing in it, and removing a directory takes longer than such a test.
    with contextlib.suppress(OSError):
        if not any(directory.iterdir()):
            _empty_homes.append(directory)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project, which is the current directory."""
    directory = tmp_path / "project"
    (directory / ".git").mkdir(parents=True)
    monkeypatch.chdir(directory)
    return directory


def _new_home(factory):
    # Not by mktemp, which looks through all that it made before: there are many tests.
    directory = factory.getbasetemp() / "homes" / str(next(_numbers))
    directory.mkdir(0o700, parents=True)
    return directory


@pytest.fixture(autouse=True)
def _no_box_is_tried(monkeypatch):
    """Leave it to tests to say whether a hook in their process finds a machine that makes boxes."""
    from laconic.box import trial

    monkeypatch.setattr(trial, "try_box", lambda _: trial.Trial("nobody tried"))

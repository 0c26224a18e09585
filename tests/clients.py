"""The client in C for tests: as it is installed, and with the sanitizers, so that a fault fails."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest

import warm_server

needs_client = [
    warm_server.needs_compiler,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]
SANITIZED, INSTALLED = "sanitized", "installed"
# For what depends on how the client starts and on what it is linked with; else with sanitizers.
installed = pytest.mark.parametrize("bin_dir", [INSTALLED], indirect=True, scope="module")
both = pytest.mark.parametrize("bin_dir", [SANITIZED, INSTALLED], indirect=True, scope="module")


@pytest.fixture(scope="module")
def bin_dir(request):
    with tempfile.TemporaryDirectory(prefix="lac", ignore_cleanup_errors=True) as directory:
        client = Path(directory, "laconic")
        if getattr(request, "param", SANITIZED) == SANITIZED:
            warm_server.compile_client(client, *warm_server.SANITIZED)
        else:
            warm_server.build_client(client)
        warm_server.write_program(Path(directory))
        yield Path(directory)


@pytest.fixture
def cold(bin_dir):
    """An installation that starts no server unless a test takes this variable away."""
    made = warm_server.Installation(bin_dir, dict(os.environ) | {"LACONIC_NO_SERVER": "1"})
    yield made
    made.close()


@pytest.fixture
def server(cold):
    del cold.environ["LACONIC_NO_SERVER"]
    cold.process = cold.warm_up()
    return cold


SCRIPT = "echo out; echo err >&2; exit 7"


def has_run(done, out=b"out\n", err=b"err\n", status=7):
    assert (done.stdout, done.stderr, done.returncode) == (out, err, status)


def configure(installation, text):
    path = Path(installation.environ["XDG_CONFIG_HOME"], "laconic/config.toml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)

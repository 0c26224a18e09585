"""The client in C for tests: as it is installed, and with the sanitizers, so that a fault fails."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from pathlib import Path
from unittest import mock

import pytest

import macos
import warm_server

needs_client = [
    warm_server.needs_client,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]
SANITIZED, INSTALLED, AS_ON_MACOS = "sanitized", "installed", "as on macOS"
# For what depends on how the client starts and on what it is linked with; else with sanitizers.
installed = pytest.mark.parametrize("bin_dir", [INSTALLED], indirect=True, scope="module")
both = pytest.mark.parametrize("bin_dir", [SANITIZED, INSTALLED], indirect=True, scope="module")
everywhere = pytest.mark.parametrize(
    "bin_dir", [SANITIZED, INSTALLED, AS_ON_MACOS], indirect=True, scope="module"
)


@pytest.fixture(scope="module")
def bin_dir(request):
    with tempfile.TemporaryDirectory(prefix="lac", ignore_cleanup_errors=True) as directory:
        client, kind = Path(directory, "laconic"), getattr(request, "param", SANITIZED)
        if kind == INSTALLED:
            warm_server.build_client(client)
        else:
            extra = macos.COMPILED if kind == AS_ON_MACOS else ()
            warm_server.compile_client(client, *warm_server.SANITIZED, *extra)
        warm_server.write_program(Path(directory))
        # The server of a Mac says nothing of confinement in the name of its socket.
        confined = mock.patch("laconic.server.identity.own_confinement", bytes)
        with confined if kind == AS_ON_MACOS else contextlib.nullcontext():
            if kind == AS_ON_MACOS:
                Path(directory, "sitecustomize.py").write_text(macos.CODE)
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

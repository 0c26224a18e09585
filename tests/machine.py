"""What the tests see of a machine: the programs that are named here, and few of its variables."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

# What else is installed, and what it would do, is explored by `make effects`.
PROGRAMS = """
[ awk b2sum base32 base64 basename basenc bash bunzip2 bzcat bzip2 cat chgrp chmod chown cksum
cmp comm cp csplit cut dash date dd df diff dir dirname du echo egrep env expand expr factor
false fgrep find fish fmt fold getconf git grep groups gunzip gzip head hostid hostname iconv id
install join jq kill ksh ldd link ln locale logname ls make md5sum mkdir mkfifo mknod mktemp
mount mv nice nl nohup nproc numfmt od openssl paste patch pathchk perl pgrep pinky pkill pr
printenv printf ps ptx pwd readlink realpath rev rg rm rmdir script sed seq setpriv setsid sh
sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split sqlite3 stat stdbuf
ssh-keygen stty sum sync tac tail tar tee test time timeout touch tr true truncate tsort tty
umount uname unexpand uniq unshare unxz unzip uptime users vdir wc which who whoami xargs xz
xzcat yes zcat zsh zstd
ash busybox caffeinate choom chronic chrt entr fd flock grc gtimeout hyperfine ionice lckdo
linux32 linux64 ltrace mksh oksh parallel pee perf prlimit rbash rlwrap rzsh setarch strace taskset
yash
dbus-run-session dbus-daemon fakeroot getopt unbuffer tclsh8.6 valgrind valgrind.bin
xvfb-run mcookie xauth Xvfb
ar as cc clang cpp gcc ld nm node objdump pkg-config pyright ranlib size strip
""".split()
_INTERPRETERS = ("python", "python3")
# How a compiler is chosen, packages are fetched and tests are run is not what is tested.
_KEPT = (
    "CC", "CFLAGS", "LDFLAGS", "PIP_", "PYTEST_", "SSL_CERT_", "REQUESTS_CA_BUNDLE", "USER",
    "LACONIC_TEST_",
)  # fmt: skip
_TIDY = {"LANG": "C.UTF-8", "TERM": "dumb", "GIT_CONFIG_NOSYSTEM": "1"}
_MASK = 0o022


def enclose() -> Path:
    """Give this process, and those that it starts, a PATH, a home and variables of the tests' own.

    The directory for it can be read by all users, as programs are run as one without rights.
    """
    path = os.environ.get("PATH", os.defpath)
    kept = {name: value for name, value in os.environ.items() if name.startswith(_KEPT)}
    os.environ.clear()
    tempfile.tempdir = None  # another may have been named
    os.umask(_MASK)
    place = Path(tempfile.mkdtemp(prefix="laconic-tests-"))
    place.chmod(0o755)
    for name in ("bin", "home"):
        (place / name).mkdir()
    _link(place / "bin", path)
    os.environ.update(kept, **_TIDY, PATH=f"{place}/bin", HOME=f"{place}/home")
    os.environ["TESTS_PLACE"] = str(place)  # which all processes of a test run share
    return place


def missing(*programs: str) -> str:
    """Say which of these programs are not here; nothing if all are."""
    lacking = [name for name in programs if shutil.which(name) is None]
    return f"not installed: {', '.join(lacking)}" if lacking else ""


def needs(*programs: str) -> pytest.MarkDecorator:
    """Mark a test, or one of its parameters: where one of these is missing, it says so instead.

    What nobody looks for here is what a fresh Debian has, which `.ci/test-bare` makes sure of.
    """
    never = set(programs) - {*PROGRAMS, *_INTERPRETERS}
    assert not never, f"no test can see {never}: PROGRAMS does not name them"
    lacking = missing(*programs)
    return pytest.mark.skipif(bool(lacking), reason=lacking or "all are there")


def each_of(*programs: str) -> list[object]:
    """Parameters of a test that runs each of these programs."""
    return [pytest.param(name, marks=needs(name)) for name in programs]


def _link(directory: Path, path: str) -> None:
    for name in PROGRAMS:
        found = shutil.which(name, path=path)
        if found:  # perhaps by a link in a home that other users cannot enter
            (directory / name).symlink_to(os.path.realpath(found))
    # A shim of a manager of versions would look for its settings in the home and in directories.
    interpreter = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    for name in _INTERPRETERS:
        (directory / name).symlink_to(interpreter)

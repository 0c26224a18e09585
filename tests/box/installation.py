"""An installation of laconic that a user without rights can start as well."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import hatch_build

ROOT = Path(__file__).parents[2]
NOBODY = 65534
_PYTHONS = ("/usr/bin/python3", "/usr/local/bin/python3", sys.executable)


def as_user(user: int | None) -> list[str]:
    """Return the words that start a program as another user; none for the one that we are."""
    if user is None:
        return []
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]


def users() -> dict[str, int | None]:
    """Return the users that attempts are made as: our own and, if that is root, a plain one."""
    own = "root" if os.geteuid() == 0 else "user"
    return {"root": None, "user": NOBODY} if own == "root" else {"user": None}


def fit_directory() -> Path:
    """Make a directory that a box does not have of its own, as it does have those in /tmp."""
    above = "/var/lib" if os.geteuid() == 0 else str(Path("~").expanduser())
    place = Path(tempfile.mkdtemp(prefix="laconic-escapes-", dir=above))
    place.chmod(0o755)
    return place


ONLY_BUBBLEWRAP = "-DLACONIC_ONLY_BUBBLEWRAP"


def install(place: Path, *options: str) -> list[str]:
    """Install laconic there, and return the words that start it; options: for the C compiler."""
    python = python_for_all()
    subprocess.run([python, "-m", "venv", "--without-pip", place], check=True)
    library = next(place.glob("lib/python3*/site-packages"))
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src/laconic", library / "laconic", ignore=ignored)
    complaint = hatch_build.compile_box(ROOT, place / "bin/laconic-box", *options)
    assert not complaint, complaint
    subprocess.run([place / "bin/python", "-m", "compileall", "-q", library], check=True)
    return [str(place / "bin/python"), "-I", "-m", "laconic"]


def python_for_all() -> str:
    """Return a Python that each of these users can start."""
    return next(path for path in _PYTHONS if _can_start(path))


@functools.cache
def _can_start(python: str) -> bool:
    user = NOBODY if os.geteuid() == 0 else None
    program = "import sys, venv; sys.exit(sys.version_info < (3, 11))"
    if shutil.which(python) is None:
        return False
    done = subprocess.run([*as_user(user), python, "-c", program], check=False, cwd="/")
    return done.returncode == 0


def missing() -> str:
    """Say what boxes need and this machine lacks; nothing if it has all."""
    if sys.platform != "linux":
        return "there are boxes on Linux only"
    tried = ["unshare", "--user", "--map-root-user", "--mount", "--net", "--pid", "--fork", "true"]
    done = subprocess.run(tried, capture_output=True, text=True, check=False)
    return missing_bubblewrap() if done.returncode else ""


def missing_bubblewrap() -> str:
    """Say why bubblewrap makes no boxes here; nothing if it does."""
    bwrap = shutil.which("bwrap", path=f"/usr/bin:/usr/local/bin:{os.environ.get('PATH', '')}")
    if bwrap is None:
        return "bubblewrap is not installed: apt-get install bubblewrap"
    tried = [bwrap, "--unshare-user", "--unshare-net", "--ro-bind", "/", "/", "true"]
    done = subprocess.run(tried, capture_output=True, text=True, check=False)
    return f"bubblewrap cannot make a box here: {done.stderr.strip()}" if done.returncode else ""

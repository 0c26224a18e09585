"""The places that the box hides or guards, by the names that all of laconic goes by."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from glob import glob
from os.path import join, normpath

from laconic.box.look import Names
from laconic.reading.place_names import (
    GUARDED_AT_TOP,
    GUARDED_IN_BOX,
    PRIVATE_NAMES,
    SECRET_NAMES,
)

# In a git directory: what names programs, or where git finds what names programs. A new `commondir`
# makes git take configuration and hooks from wherever it points (man 5 gitrepository-layout).
IN_GIT_DIRECTORY = (
    "hooks", "config", "config.worktree", "commondir", "gitdir", "info/attributes",
    "info/sparse-checkout",
)  # fmt: skip

# Variables that name the place of a secret.
PLACE_VARIABLES = (
    "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AZURE_CONFIG_DIR", "BOTO_CONFIG",
    "CLAUDE_CONFIG_DIR", "CLOUDSDK_CONFIG", "CODEX_HOME", "DOCKER_CONFIG", "GEMINI_DIR",
    "GH_CONFIG_DIR", "GNUPGHOME", "GOOGLE_APPLICATION_CREDENTIALS", "KUBECONFIG", "NETRC",
    "NPM_CONFIG_USERCONFIG", "PASSWORD_STORE_DIR", "PGPASSFILE", "SSH_AUTH_SOCK",
    "TF_CLI_CONFIG_FILE", "VAULT_TOKEN_PATH", "XAUTHORITY",
)  # fmt: skip

# Directories that the box has of its own, so that nothing in them needs to be hidden.
PRIVATE = ("/tmp", "/var/tmp", "/run", "/dev", "/proc")  # noqa: S108 - what they become, not files in them


# The first directory of a name that is one of the machine's; all others are below the home.
_OF_MACHINE = frozenset(("etc", "run", "var", "proc"))


@cache
def hidden_names() -> tuple[str, ...]:
    secrets = (f"/{n}" if n.partition("/")[0] in _OF_MACHINE else n for n in SECRET_NAMES)
    return _without_inner(*secrets, *PRIVATE_NAMES)


@cache
def hidden_below(base: str) -> Names:
    """Return the names to hide below `/`, `~`, `~/.config` or `/proc`, which `/` leaves out."""
    prefix = {"/": "/", "~": "", "~/.config": ".config/", "/proc": "/proc/"}[base]
    names = (name for name in hidden_names() if name.startswith(prefix))
    if base == "/":  # it has thousands of paths that change all the time, and a box has its own
        names = (name for name in names if not name.startswith("/proc/"))
    return Names(name.removeprefix(prefix) for name in names if prefix or name[0] != "/")


@cache
def guarded_names() -> tuple[str, ...]:
    return _without_inner(*GUARDED_IN_BOX)


@cache
def guarded_anywhere() -> frozenset[str]:
    """Return the names that count in any directory: programs that enter or open it obey them.

    Names that begin with a letter are those of plain files in many directories.
    """
    names = (name for name in GUARDED_IN_BOX if "/" not in name and name[0] == ".")
    return frozenset(name for name in names if name not in GUARDED_AT_TOP)


@cache
def guarded_in_repositories() -> tuple[str, ...]:
    """Return the names that count at the top of every repository, those in submodules included."""
    return tuple(name for name in guarded_names() if name not in guarded_anywhere())


def _without_inner(*names: str) -> tuple[str, ...]:
    """Return the names that no other one of them leads to, each once."""
    known = dict.fromkeys(names)
    return tuple(
        name
        for name in known
        if not any(char == "/" and name[:pos] in known for pos, char in enumerate(name))
    )


def matching(project: str, patterns: Iterable[str]) -> list[str]:
    """Return the paths below a project that `[paths]` of the settings names; `**` is any depth."""
    paths = (
        join(project, path)
        for one in patterns
        for path in glob(one, root_dir=project, recursive=True, include_hidden=True)
    )
    return [path for path in map(normpath, paths) if path != project and is_below(path, project)]


def is_below(path: str, directory: str) -> bool:
    """Tell whether a path is a directory or in it; both are absolute and normal."""
    if directory in (path, "/"):
        return True
    return path.startswith(directory) and path[len(directory)] == "/"

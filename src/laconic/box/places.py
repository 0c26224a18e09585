"""The places that the box hides or guards, by name; `data/` has the lists, agents bring theirs."""

from __future__ import annotations

from functools import cache
from glob import glob
from os.path import dirname, join, normpath

from laconic.box.look import Names
from laconic.reading.agent_places import AGENT_HOMES, AGENT_HOOKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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


@cache
def hidden_names() -> tuple[str, ...]:
    return tuple(_words("hidden.txt", AGENT_HOMES))


@cache
def hidden_below(base: str) -> Names:
    """Return the names to hide below `/`, `~` or `~/.config`."""
    prefix = {"/": "/", "~": "", "~/.config": ".config/"}[base]
    return Names(
        name.removeprefix(prefix)
        for name in hidden_names()
        if name.startswith(prefix) and (prefix or name[0] != "/")
    )


@cache
def guarded_names() -> tuple[str, ...]:
    return tuple(name.removeprefix("/") for name in _words("guarded.txt", AGENT_HOOKS))


@cache
def guarded_anywhere() -> frozenset[str]:
    """Return the names that count in any directory: programs that enter or open it obey them.

    Names that begin with a letter are those of plain files in many directories.
    """
    return frozenset(n for n in _words("guarded.txt", AGENT_HOOKS) if "/" not in n and n[0] == ".")


@cache
def guarded_in_repositories() -> tuple[str, ...]:
    """Return the names that count at the top of every repository, those in submodules included."""
    return tuple(name for name in guarded_names() if name not in guarded_anywhere())


def _words(name: str, further: Iterable[str]) -> Iterator[str]:
    """Yield the names of a list, and further ones that none of them leads to."""
    path = join(dirname(__file__), "data", name)
    with open(path, encoding="utf-8") as file:
        listed = [word for line in file for word in line.partition("#")[0].split()]
    yield from listed
    for word in further:
        if not any(f"{word}/".startswith(f"{other}/") for other in listed):
            yield word


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

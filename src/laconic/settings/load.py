"""Loads the settings of one run from configuration files and environment variables.

A hook reads them before every command. The result is cached, in the process and on disk. The cache
key is the files' bytes, so an edit takes effect immediately.
"""

# pathlib and typing take ten milliseconds to load.
# ruff: noqa: PTH112, PTH118
from __future__ import annotations

import contextlib
import os
from binascii import crc32
from functools import cached_property, lru_cache
from os.path import isabs, isdir, join, relpath

from laconic.errors import FileError, Problem
from laconic.files import home, is_there, read_file, upwards, write_private
from laconic.settings.config import DEFAULTS, Config, packed, unpacked
from laconic.settings.disk_cache import cached_on_disk, stamp
from laconic.settings.environ import (
    BASE_VARIABLES,
    CONFIG_FILE,
    DIRECTORY_VARIABLES,
    PROJECT_FOLDER,
    VARIABLES,
    Directories,
    Environment,
    working_directory,
)
from laconic.settings.managed import Managed, read_policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import Any

    from laconic.settings import merge, trust
    from laconic.settings.managed import Read

_MOST_KEPT = 32
_MOST_PARENTS = 2048  # as many as a path has room for (PATH_MAX, limits.h)


class Project:
    """The project around the current directory; filters and rules are read from its snapshot."""

    __slots__ = ("root", "snapshot", "trusted")

    def __init__(self, root: Path, snapshot: trust.Snapshot, *, trusted: bool) -> None:
        self.root, self.snapshot, self.trusted = root, snapshot, trusted

    @property
    def config_path(self) -> Path:
        return self.root / PROJECT_FOLDER / CONFIG_FILE


class Settings:
    """The settings in force in this directory and environment.

    managed: the policy of this machine, if it has one.
    """

    def __init__(
        self,
        config: Config,
        problems: tuple[Problem, ...],
        directories: Directories,
        environment: Environment,
        project: Project | None,
        inputs: tuple[Any, ...],
        *,
        managed: Managed | None = None,
        is_isolated: bool = False,
    ) -> None:
        """is_isolated: agents' rules and allowances are not read either."""
        self.managed = managed
        self.config, self.problems, self.directories = config, problems, directories
        self.environment, self.project, self._inputs = environment, project, inputs
        self.is_isolated = is_isolated

    def with_config(self, config: Config) -> Settings:
        """Return these settings with another configuration."""
        return Settings(
            config,
            self.problems,
            self.directories,
            self.environment,
            self.project,
            self._inputs,
            managed=self.managed,
            is_isolated=self.is_isolated,
        )

    def opened(self) -> Settings:
        """Return these settings for what isolated ones do not do."""
        made = self.with_config(self.config)
        made.is_isolated = False
        return made

    def __getstate__(self) -> dict[str, Any]:
        """What pickle takes along to another process."""
        kept = {name: value for name, value in vars(self).items() if name != "values"}
        return {**kept, "config": packed(self.config)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, config=unpacked(state["config"]))

    @cached_property
    def values(self) -> merge.Values:
        """All values, each with the layer that it comes from."""
        from laconic.settings.layers import Inputs, combine  # noqa: PLC0415 - only `laconic config` asks

        return combine(Inputs(*self._inputs)).values

    @property
    def user_config_path(self) -> Path:
        return self.directories.config / CONFIG_FILE


def read_settings(
    environ: Mapping[str, str] | None = None, cwd: str | Path | None = None
) -> Settings:
    return settings_under(read_policy(), environ, cwd)


def settings_under(
    policy: Read | None,
    environ: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
) -> Settings:
    """Return the settings as they are, or would be, where this is what was read of a policy."""
    environ = os.environ if environ is None else environ
    directories, environment, wrong = _from_environ(*(environ.get(name) for name in _RELEVANT))
    project = find_project(cwd or working_directory(), directories.state_dir)
    user = _read_user(directories)
    inputs = (
        user,
        _of_project(project),
        project.snapshot.refused if project else (),
        environ.get("LACONIC_PROFILE", ""),
        wrong,
        policy,
    )
    config, problems, is_user_good, managed = _combined(inputs)
    if managed:
        environment = environment.under_policy()
        if project and not managed.trust:
            project = Project(project.root, project.snapshot, trusted=False)
    if user and user[1] is not None and is_user_good and user[1] != user[3]:
        keep_copy(user[1], last_good_path(directories.state_dir, user[0]))
    return Settings(config, problems, directories, environment, project, inputs, managed=managed)


_RELEVANT = tuple(v.name for v in VARIABLES) + BASE_VARIABLES


@lru_cache(maxsize=_MOST_KEPT)
def _from_environ(
    *values: str | None,
) -> tuple[Directories, Environment, tuple[tuple[str, str], ...]]:
    """Compute what depends on variables alone; values: those of _RELEVANT, in order."""
    environ = {n: v for n, v in zip(_RELEVANT, values, strict=True) if v is not None}
    wrong = ((n, environ.get(n, "")) for n in DIRECTORY_VARIABLES)
    relative = tuple((name, value) for name, value in wrong if value and not isabs(value))
    return Directories(environ), Environment(environ), relative


_NO_INPUTS: tuple[Any, ...] = (None, None, (), "", (), None)


def defaults() -> Config:
    """Return the configuration of a user who has no file."""
    return _combined(_NO_INPUTS)[0]


def isolated_settings(environ: Mapping[str, str]) -> Settings:
    """Return the built-in settings: no file of the user's or the project's is read.

    Outputs are still kept in the user's state directory, where `laconic recall` looks for them.
    """
    directories = Directories(environ)
    directories.config_dir = "/nonexistent"
    config, nothing = defaults(), Environment({})
    return Settings(config, (), directories, nothing, None, _NO_INPUTS, is_isolated=True)


# -- the files -------------------------------------------------------------------------------------


def _read_user(
    directories: Directories,
) -> tuple[str, bytes | None, tuple[str, str], bytes | None] | None:
    """Read the user's file: its path, its bytes or what is wrong, and the last good copy."""
    path = join(directories.config_dir, CONFIG_FILE)
    if not is_there(path):
        return None
    data = copy = None
    fault = ("", "")
    try:
        data = read_file(path)
    except FileError as error:
        fault = (error.message, error.hint)
    with contextlib.suppress(FileError):
        copy = read_file(last_good_path(directories.state_dir, path))
    return path, data, fault, copy


def find_project(start: str | Path | None, state_dir: str | Path) -> Project | None:
    """Find the nearest directory, from `start` upwards, that has .laconic/config.toml."""
    for root in upwards(str(start), _MOST_PARENTS) if start else ():
        if not is_there(f"{root}/{PROJECT_FOLDER}/{CONFIG_FILE}"):
            continue
        from laconic.letters import spelled  # noqa: PLC0415 - most directories are not in a project
        from laconic.settings import trust  # noqa: PLC0415 - as above

        found, state = _path(spelled(root, around=root)), _path(state_dir)
        snapshot = trust.take_snapshot(found)
        pinned = trust.find_pin(state, found)
        trusted = pinned is not None and not trust.differences(pinned, snapshot)
        return Project(found, snapshot, trusted=trusted)
    return None


def _of_project(project: Project | None) -> tuple[str, bytes, bool] | None:
    if project is None or CONFIG_FILE not in project.snapshot.files:
        return None
    return str(project.config_path), project.snapshot.files[CONFIG_FILE], project.trusted


# -- the files next to a config.toml --------------------------------------------------------------


class File:
    """A TOML file. name: its path in the folder without `.toml`; path: its full path."""

    __slots__ = ("data", "name", "path")

    def __init__(self, name: str, data: bytes, path: str) -> None:
        self.name, self.data, self.path = name, data, path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, File) and self._all == other._all

    def __hash__(self) -> int:
        return hash(self._all)

    @property
    def _all(self) -> tuple[str, bytes, str]:
        return self.name, self.data, self.path


def files_in(folder: str, settings: Settings) -> tuple[tuple[File, ...], tuple[Problem, ...]]:
    """Read the files of `filters` or `rules`, the project's last, and the problems found."""
    if settings.is_isolated:
        return (), ()
    problems: list[Problem] = []
    users = tuple(_users(join(settings.directories.config_dir, folder), problems))
    return users + tuple(_projects(folder, settings, problems)), tuple(problems)


def _users(folder: str, problems: list[Problem]) -> Iterator[File]:
    for path in toml_files(folder) if isdir(folder) else ():
        try:
            yield File(name_in(folder, path), read_file(path), path)
        except FileError as error:
            problems.append(Problem("broken", "", "", error.message, error.hint))


def _projects(folder: str, settings: Settings, problems: list[Problem]) -> Iterator[File]:
    project = settings.project
    for name, data in project.snapshot.files.items() if project else ():
        if project is None or not name.startswith(f"{folder}/"):
            continue
        path = f"{project.config_path.parent}/{name}"
        if project.trusted:
            yield File(name.removeprefix(f"{folder}/").removesuffix(".toml"), data, path)
        else:
            message, hint = "ignored until you trust this project", "read it, then: laconic trust"
            problems.append(Problem("untrusted", path, "", message, hint))


def toml_files(folder: str) -> list[str]:
    paths = [join(at, name) for at, _, names in os.walk(folder) for name in names]
    return sorted(path for path in paths if path.endswith(".toml"))


def name_in(folder: str, path: str) -> str:
    return relpath(path, folder).removesuffix(".toml")


# -- their result ----------------------------------------------------------------------------------


@lru_cache(maxsize=_MOST_KEPT)
def _combined(
    inputs: tuple[Any, ...],
) -> tuple[Config, tuple[Problem, ...], bool, Managed | None]:
    if inputs[-1] is not None:  # what a user can write is not asked what a policy requires
        config, problems, is_user_good, managed = _combine(inputs)
        return unpacked(config), _problems(problems), is_user_good, managed
    paths = [str(file[0]) for file in inputs[:2] if file]
    name = f"settings-{crc32(chr(0).join(paths).encode(errors='surrogateescape')):08x}"
    key = (stamp(DEFAULTS), inputs)
    config, problems, is_user_good = cached_on_disk(
        name, key, lambda: _combine(inputs)[:3], is_private=bool(paths)
    )
    return unpacked(config), _problems(problems), is_user_good, None


def _problems(rows: list[Any]) -> tuple[Problem, ...]:
    return tuple(Problem(*row) for row in rows)


def _combine(inputs: tuple[Any, ...]) -> tuple[Any, list[Any], bool, Managed | None]:
    from laconic.settings import layers  # noqa: PLC0415 - it takes twenty milliseconds

    outcome = layers.combine(layers.Inputs(*inputs))
    rows = [problem.row for problem in outcome.problems]
    config = packed(layers.config_of(outcome.values))
    return config, rows, outcome.is_user_good, outcome.managed


def last_good_path(state_dir: str | Path, path: str | Path) -> str:
    """Return the path of the last good copy of a file, which is used while the file is broken."""
    try:
        from _blake2 import blake2b  # noqa: PLC0415 - hashlib takes three milliseconds to load
    except ImportError:
        from hashlib import blake2b  # noqa: PLC0415

    name = blake2b(os.fsencode(path), digest_size=16).hexdigest()
    return join(state_dir, "last-good", f"{name}{os.path.splitext(path)[1]}")  # noqa: PTH122


def keep_copy(data: bytes, copy: str) -> None:
    """Write the copy if it is missing; a full disk or a read-only home must not stop a command."""
    with contextlib.suppress(FileError):
        if read_file(copy) == data:
            return
    with contextlib.suppress(FileError):
        write_private(copy, data)


# -- the process -----------------------------------------------------------------------------------


def process_environment() -> dict[str, str]:
    return dict(os.environ)


def read_directories(environ: Mapping[str, str] | None = None) -> Directories:
    return Directories(os.environ if environ is None else environ)


def home_directory(environ: Mapping[str, str]) -> Path:
    return _path(home(environ))


def current_directory() -> Path | None:
    directory = working_directory()
    return _path(directory) if directory else None


def _path(text: str | Path) -> Path:
    from pathlib import Path  # noqa: PLC0415 - see above

    return Path(text)

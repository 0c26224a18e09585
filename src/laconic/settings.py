"""The settings of one run; the only module that reads the environment, the home and the cwd.

Layers, the later over the earlier: built-in defaults, the user's file, the project's file, the
environment.  A file with a mistake never stops anything: it becomes a Problem, and the last good
copy of the user's file stays in force.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pwd
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from laconic import overlay, schema, toml, trust
from laconic.config import Config, file_schema
from laconic.errors import FileError
from laconic.files import read_file, write_private

if TYPE_CHECKING:
    from collections.abc import Mapping

BUILT_IN = "built-in"
_MOST_FAULTS = 20
_NO_HOME = Path("/nonexistent")


class Variable(NamedTuple):
    name: str
    meaning: str
    default: str


VARIABLES = (
    Variable("LACONIC_CONFIG_DIR", "where your configuration is", "`$XDG_CONFIG_HOME/laconic`"),
    Variable("LACONIC_STATE_DIR", "where trust and records are kept", "`$XDG_STATE_HOME/laconic`"),
    Variable(
        "LACONIC_CACHE_DIR", "where what can be made again is kept", "`$XDG_CACHE_HOME/laconic`"
    ),
    Variable("LACONIC_DISABLED", "`1`: leave every command alone", "`0`"),
    Variable("LACONIC_NO_FILTER", "`1`: show the output of commands as it is", "`0`"),
    Variable("LACONIC_NO_SERVER", "`1`: start no server, and ask none", "`0`"),
    Variable("LACONIC_VERBOSE", "`1`: say on stderr what is done and why", "`0`"),
    Variable("LACONIC_DEBUG", "parts of laconic that log to stderr, with commas between", "none"),
    Variable(
        "LACONIC_PROFILE", "`strict`, `default` or `relaxed`, over `[settings] profile`", "none"
    ),
    Variable(
        "LACONIC_CODEBUDDY_SHELL", "the shell for commands of CodeBuddy, over `SHELL`", "none"
    ),
    Variable("NO_COLOR", "any text: no colours", "none"),
)


DIRECTORY_VARIABLES = tuple(v.name for v in VARIABLES if v.name.endswith("_DIR"))


class Problem(NamedTuple):
    """Something in a configuration that is not in force as it is written."""

    kind: Literal["broken", "untrusted", "no effect"]
    file: str
    where: str
    message: str
    hint: str = ""

    @property
    def line(self) -> str:
        return ": ".join(part for part in (self.file, self.where, self.message) if part)


class Directories(NamedTuple):
    config: Path
    state: Path
    cache: Path


class Environment(NamedTuple):
    """What the variables ask for."""

    disabled: bool
    no_filter: bool
    verbose: bool
    debug: tuple[str, ...]
    color: bool


class Project(NamedTuple):
    """The project around the current directory; filters and rules are read from its snapshot."""

    root: Path
    snapshot: trust.Snapshot
    trusted: bool

    @property
    def config_path(self) -> Path:
        return self.root / trust.DIRECTORY / trust.CONFIG


class Settings(NamedTuple):
    config: Config
    values: overlay.Values
    problems: tuple[Problem, ...]
    directories: Directories
    environment: Environment
    project: Project | None

    @property
    def user_config_path(self) -> Path:
        return self.directories.config / trust.CONFIG

    @property
    def filter_dirs(self) -> tuple[Path, ...]:
        return self._beside_configs("filters")

    @property
    def rule_dirs(self) -> tuple[Path, ...]:
        return self._beside_configs("rules")

    def _beside_configs(self, name: str) -> tuple[Path, ...]:
        project = (self.project.config_path.with_name(name),) if self.project else ()
        return (self.directories.config / name, *project)


def read_settings(environ: Mapping[str, str] | None = None, cwd: Path | None = None) -> Settings:
    environ = os.environ if environ is None else environ
    directories = read_directories(environ)
    project = find_project(cwd or current_directory(), directories.state)
    stack = _Stack()
    stack.add(overlay.Layer(BUILT_IN, built_in()))
    stack.add_user(directories)
    if project:
        stack.add_project(project)
    stack.add_environment(environ)
    config = overlay.to_config(stack.values)
    stack.check_whole(config)
    return Settings(
        config,
        stack.values,
        tuple(stack.problems),
        directories,
        _read_environment(environ),
        project,
    )


# -- layers --------------------------------------------------------------------------------------


class _Stack:
    """The layers so far, and the problems met on the way."""

    def __init__(self) -> None:
        self.values: overlay.Values = {}
        self.problems: list[Problem] = []

    def add(self, layer: overlay.Layer) -> None:
        self.values, faults = overlay.apply(self.values, layer)
        self.problems += [Problem("no effect", layer.source, *fault) for fault in faults]

    def add_user(self, directories: Directories) -> None:
        path = directories.config / trust.CONFIG
        if not os.path.lexists(path):
            return
        copy = last_good_path(directories.state, path)
        document, problems = check_file(path, copy)
        self.problems += problems
        if is_broken(problems):
            document, faults = check_file(copy)
            is_lost = is_broken(faults)
            kept = "it is not in force" if is_lost else "the last good copy of it is in force"
            self.problems.append(Problem("broken", str(path), "", kept))
            if is_lost:
                return
        self.add(overlay.Layer(str(path), document))

    def add_project(self, project: Project) -> None:
        path = str(project.config_path)
        self.problems += [Problem("broken", "", "", line) for line in project.snapshot.refused]
        if trust.CONFIG not in project.snapshot.files:
            return
        document, problems = check_project(project)
        self.problems += problems
        if is_broken(problems):
            self.problems.append(Problem("broken", path, "", "it is not in force"))
        else:
            self.add(overlay.Layer(path, document))

    def add_environment(self, environ: Mapping[str, str]) -> None:
        for name in DIRECTORY_VARIABLES:
            if environ.get(name) and not os.path.isabs(environ[name]):
                message = f"expected an absolute path, found {toml.brief(environ[name])}"
                self.problems.append(Problem("broken", name, "", message))
        profile = environ.get("LACONIC_PROFILE", "")
        if not profile:
            return
        document = {"settings": {"profile": profile}}
        faults = list(schema.check(document, file_schema()))
        if faults:
            found = [Problem("broken", "LACONIC_PROFILE", "", f.message, f.hint) for f in faults]
            self.problems += found
        else:
            self.add(overlay.Layer("LACONIC_PROFILE", document))

    def check_whole(self, config: Config) -> None:
        """Look for what is wrong only in the sum of the layers."""
        permissions = config.permissions
        if permissions.engine == "external" and not permissions.external.command:
            engine = self.values["permissions.engine"]
            assert isinstance(engine, overlay.Sourced)
            place = overlay.where("permissions.engine")
            message = 'is "external", but [permissions.external] has no command'
            self.problems.append(Problem("broken", engine.source, place, message))


def built_in() -> dict[str, Any]:
    path = Path(__file__).parent / "data" / "defaults.toml"
    return toml.parse(path.read_bytes())


def is_broken(problems: list[Problem]) -> bool:
    return any(problem.kind == "broken" for problem in problems)


def check_file(path: Path, copy: Path | None = None) -> tuple[dict[str, Any], list[Problem]]:
    """Read a configuration file: the document, or what is wrong with it; keep a good one."""
    try:
        data = read_file(path)
    except FileError as error:
        return {}, [Problem("broken", "", "", error.message, error.hint)]
    document, problems = check_bytes(data, str(path))
    if copy and not is_broken(problems):
        keep_copy(data, copy)
    return document, problems


def check_bytes(data: bytes, path: str) -> tuple[dict[str, Any], list[Problem]]:
    try:
        document = toml.parse(data)
    except ValueError as error:
        return {}, [Problem("broken", path, "", str(error))]
    problems = _check_document(document, path)
    return (document, problems) if problems else _without_bad_patterns(document, data, path)


def _without_bad_patterns(
    document: dict[str, Any], data: bytes, path: str
) -> tuple[dict[str, Any], list[Problem]]:
    """Leave out each pattern that does not compile: that rule alone is off, a Problem says so."""
    problems: list[Problem] = []

    def is_good(pattern: str, where: str) -> bool:
        complaint = schema.is_regex(pattern)
        if complaint:
            place = f"{path}{toml.line_of(data, pattern)}"
            problems.append(Problem("no effect", place, where, f"{complaint}; this rule is off"))
        return not complaint

    rules = document.get("rewrite", [])
    good = [rule for rule in rules if is_good(rule["match"], '[[rewrite]]: key "match"')]
    skip = document.get("skip", {})
    patterns = [p for p in skip.get("patterns", []) if is_good(p, '[skip]: key "patterns"')]
    if not problems:
        return document, []
    return {**document, "rewrite": good, "skip": {**skip, "patterns": patterns}}, problems


def _check_document(document: Mapping[str, Any], path: str) -> list[Problem]:
    faults = islice(schema.check(document, file_schema()), _MOST_FAULTS)
    return [Problem("broken", path, *fault) for fault in faults]


def check_project(project: Project) -> tuple[dict[str, Any], list[Problem]]:
    """Check what is in force of a project's file: all of it, or what makes laconic stricter."""
    data, path = project.snapshot.files[trust.CONFIG], str(project.config_path)
    if project.trusted:
        return check_bytes(data, path)
    try:
        document, ignored = overlay.split_by_trust(toml.parse(data))
    except ValueError as error:
        return {}, [Problem("broken", path, "", str(error))]
    problems = _check_document(document, path)
    message, hint = "ignored until you trust this project", "read the file, then: laconic trust"
    names = ignored[:_MOST_FAULTS]
    problems += [Problem("untrusted", path, overlay.where(n), message, hint) for n in names]
    return document, problems


def last_good_path(state_dir: Path, path: Path) -> Path:
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:32]
    return state_dir / "last-good" / f"{name}{path.suffix}"


def keep_copy(data: bytes, copy: Path) -> None:
    """Write what is not there yet; a full disk or a read-only home must not stop the command."""
    with contextlib.suppress(FileError):
        if read_file(copy) == data:
            return
    with contextlib.suppress(FileError):
        write_private(copy, data)


# -- the world around ----------------------------------------------------------------------------


def process_environment() -> dict[str, str]:
    return dict(os.environ)


def read_directories(environ: Mapping[str, str] | None = None) -> Directories:
    environ = os.environ if environ is None else environ
    home = home_directory(environ)

    def directory(own: str, xdg: str, default: str) -> Path:
        # The XDG specification: a path that is not absolute is to be ignored.
        if os.path.isabs(environ.get(own, "")):
            return Path(environ[own])
        base = environ.get(xdg, "")
        return (Path(base) if os.path.isabs(base) else home / default) / "laconic"

    return Directories(
        directory("LACONIC_CONFIG_DIR", "XDG_CONFIG_HOME", ".config"),
        directory("LACONIC_STATE_DIR", "XDG_STATE_HOME", ".local/state"),
        directory("LACONIC_CACHE_DIR", "XDG_CACHE_HOME", ".cache"),
    )


def home_directory(environ: Mapping[str, str]) -> Path:
    """Give the home directory; without one, a path where nothing is, so that nothing is read."""
    home = environ.get("HOME", "")
    if not os.path.isabs(home):
        try:
            home = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            return _NO_HOME
    return Path(home)


def current_directory() -> Path | None:
    try:
        return Path.cwd()
    except OSError:
        return None  # it was removed under us


def find_project(start: Path | None, state_dir: Path) -> Project | None:
    """Find the nearest directory, from `start` upwards, that has .laconic/config.toml."""
    for root in (start, *start.parents) if start else ():
        if os.path.lexists(root / trust.DIRECTORY / trust.CONFIG):
            snapshot = trust.take_snapshot(root)
            pinned = trust.find_pin(state_dir, root)
            trusted = pinned is not None and not trust.differences(pinned, snapshot)
            return Project(root, snapshot, trusted)
    return None


def _read_environment(environ: Mapping[str, str]) -> Environment:
    def is_on(name: str) -> bool:
        return environ.get(name, "").strip().lower() not in {"", "0", "false", "no", "off"}

    channels = environ.get("LACONIC_DEBUG", "").split(",")
    return Environment(
        disabled=is_on("LACONIC_DISABLED"),
        no_filter=is_on("LACONIC_NO_FILTER"),
        verbose=is_on("LACONIC_VERBOSE"),
        debug=tuple(channel.strip() for channel in channels if channel.strip()),
        color=not environ.get("NO_COLOR"),
    )

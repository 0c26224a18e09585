"""Reads the facts about the place that a command would run in: its project, its files, the home."""

from __future__ import annotations

import sys
from os import listdir, lstat, readlink
from os.path import isabs, normpath, realpath

from laconic.errors import FileError
from laconic.files import Existing, RealPaths, home, may_ignore_case, read_file, upwards
from laconic.patterns import pattern
from laconic.reading.places import Facts, holds_everything, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from laconic.git.repository import Repository

NOWHERE = "/nonexistent"
SHELLS = frozenset(("bash", "zsh"))
_MOST_TEXT = 64 * 1024
_HOME = pattern(r"(?:/home/[^/]+|/Users/[^/]+|/root)(?=/|$)")
_TEMPORARY = ("/tmp", "/var/tmp", "/private/tmp")  # noqa: S108 - places to know, not to use
# What importlib.machinery.all_suffixes() ends in, for any version and platform of Python.
_IMPORTED = (".py", ".pyc", ".pyw", ".so", ".pyd", ".dll", ".sl")


def read_facts(cwd: str, environ: Mapping[str, str], shells: frozenset[str] = SHELLS) -> Facts:
    spelled = _spelling() if may_ignore_case(cwd) else None
    paths = RealPaths(spelled)
    here, own = paths[cwd], paths[home(environ)]
    facts = Facts(
        cwd=here,
        home=own,
        project=NOWHERE,
        temporary=_temporary_directories(environ, own),
        environment=environ,
        real_path=paths.__getitem__,
        modules=_modules,
        exists=Existing().__getitem__,
        names=_names,
        text=_text,
        link=_link,
        shells=shells,
        repository=_repository,
        spelled=spelled or str,
    )
    facts.project = _project_root(facts) or NOWHERE
    facts.twins = _Twins(paths, facts).of
    return facts


def told_facts(cwd: str = "", shells: frozenset[str] = SHELLS) -> Facts:
    """The facts that the name of a directory tells; nobody looks whether any of them is true.

    The directory counts as the project, unless it holds more than one. A name of a home tells whose
    it is. A directory that is not known is one that projects are in.
    """
    facts = Facts(shells=shells)
    if isabs(cwd):
        facts.cwd = "/" + normpath(cwd).lstrip("/")
        found = _HOME.match(facts.cwd)
        facts.home = found[0] if found else facts.home
        facts.project = facts.cwd if _may_be_project(facts) else NOWHERE
    facts.environment["HOME"] = facts.home
    return facts


def _may_be_project(where: Facts) -> bool:
    kind = place(where.cwd, "/", where)
    if kind == "root":  # as the /app of a container
        return not holds_everything(where.cwd, where)
    return kind in ("else", "temporary")


def _spelling() -> Callable[[str], str]:
    from laconic.letters import Spelling  # noqa: PLC0415 - most names have one spelling only

    return Spelling().of


class _Twins:
    """By what names of secrets and guarded files other names of the same files are known."""

    __slots__ = ("_facts", "_known", "_looked_in", "_shared")

    def __init__(self, paths: RealPaths, facts: Facts) -> None:
        self._shared, self._facts = paths.shared, facts
        self._known: dict[tuple[int, int], list[str]] = {}
        self._looked_in: set[str] = set()

    def of(self, path: str) -> Iterable[str]:
        if path not in self._shared:
            return ()
        from laconic.reading.known_files import known_files  # noqa: PLC0415 - few files are linked

        for directory in (self._facts.home, self._facts.project, path.rpartition("/")[0]):
            if directory not in self._looked_in:
                self._looked_in.add(directory)
                for key, known in known_files(directory):
                    self._known.setdefault(key, []).append(known)
        try:
            found = lstat(path)
        except OSError:
            return ()
        return self._known.get((found.st_dev, found.st_ino), ())


def _modules(directory: str) -> frozenset[str]:
    """Names that Python finds in a directory; a directory that cannot be read may hold any.

    A name without a dot may be a package; of the others only files that Python imports count.
    """
    try:
        return frozenset(
            name.split(".", 1)[0]
            for name in listdir(directory)  # noqa: PTH208
            if "." not in name or name.lower().endswith(_IMPORTED)
        )
    except OSError:
        return frozenset(sys.stdlib_module_names)


def _names(directory: str) -> list[str]:
    try:
        return listdir(directory)  # noqa: PTH208
    except OSError:
        return []


def _text(path: str) -> str | None:
    try:
        return read_file(path, _MOST_TEXT).decode("utf-8", "replace")
    except (OSError, FileError):
        return None


def _link(path: str) -> str | None:
    try:
        return readlink(path)  # noqa: PTH115
    except OSError:
        return None


def _repository(directory: str) -> Repository | None:
    from laconic.git.repository import find_repository  # noqa: PLC0415 - few commands need it

    return find_repository(directory)


def _project_root(where: Facts) -> str:
    """Return the nearest directory upwards that has .git or .laconic, else the directory itself.

    Empty if there is none: a home, the root and its neighbours, or a place of the system are never
    projects, because everything below them would count as files of the project.
    """
    for directory in upwards(where.cwd):
        if where.exists(f"{directory}/.git") or where.exists(f"{directory}/.laconic"):
            return "" if holds_everything(directory, where) else directory
    is_plain = place(where.cwd, "/", where) in ("else", "temporary")
    return where.cwd if is_plain else ""


def scope(where: Facts) -> str:
    """Return the directory that allowances are for: the project, or without one the directory."""
    return where.cwd if where.project == NOWHERE else where.project


def _temporary_directories(environ: Mapping[str, str], home_dir: str) -> tuple[str, ...]:
    own = environ.get("TMPDIR", "").rstrip("/")
    # One that holds the home directory would make everything in it temporary.
    if not isabs(own) or f"{home_dir}/".startswith((f"{own}/", f"{realpath(own)}/")):
        return _TEMPORARY
    return (*_TEMPORARY, own, realpath(own))

"""Where a path leads: harmless sinks, the project, temporary files, sensitive files, home, root."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache

from laconic.files import folded
from laconic.patterns import pattern
from laconic.reading.globs import WILD, is_meant, overlaps, parts_of
from laconic.reading.place_names import GUARDED_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from laconic.git.repository import Repository
    from laconic.reading.links import Links

SINKS = frozenset(
    "/dev/null /dev/stdin /dev/stdout /dev/stderr /dev/tty /dev/fd/1 /dev/fd/2 /dev/zero".split()
)
# All of a repository's own directory is one of them, because hooks and the programs that its
# configuration names are there (https://git-scm.com/docs/gitrepository-layout), except a lock
# that a git which was killed did not remove.
# Whether a file system tells small letters from capitals is not known here.
_ANY_NAME = "|".join(map(re.escape, GUARDED_NAMES)).replace(r"\*", "[^/]*")
_SENSITIVE = pattern(
    rf"(?:^|/)(?:(?:{_ANY_NAME})(?:/|$)"
    r"|\.git(?:/(?!index\.lock$)|$))",
    re.IGNORECASE,
)
# What such a name leads through: whoever brings, moves or removes it, does so with what is in it.
_PARENTS = frozenset(
    parent
    for name in map(str.lower, GUARDED_NAMES)
    if "*" not in name
    for parent in (name[:pos] for pos, char in enumerate(name) if char == "/")
)
# Directories of this kind are made anew all the time; to remove them changes nothing that runs.
_MADE_ANEW = frozenset(("node_modules", ".venv", "venv", "vendor"))
_GUARDED = [
    name.split("/")
    for name in (*map(str.lower, GUARDED_NAMES), ".git", *_PARENTS)
    if "*" not in name
]
# What a pattern may lead through, by the first of its names: what an agent reads is a file, and
# never a directory.
_INSIDE: dict[str, list[list[str]]] = {}
for _name in _GUARDED:
    if not _name[-1].endswith(".md") and "/".join(_name) not in _PARENTS:
        _INSIDE.setdefault(_name[0], []).append(_name)
_MOST_PARTS = 64  # of a pattern; a deeper one is taken for what it may be
_TRAILING_GLOB = pattern(r"(?:/[.*?]*)+$")
_SYSTEM = pattern(
    r"/(?:etc|usr|bin|sbin|lib|lib64|boot|dev|proc|sys|var|opt|System|Library)(?:/|$)"
)
# https://www.kernel.org/doc/html/latest/admin-guide/devices.html, and disks of macOS
_STORAGE = pattern(
    r"/dev/(?:[shv]d[a-z]|xvd[a-z]|nvme|mmcblk|r?disk|k?mem$|port$|dm-|mapper/|mtd"
    r"|(?:loop|md|nbd|sr)\d)",
    re.IGNORECASE,
)
_DEVICES = pattern(r"/(?:dev|proc|sys)/", re.IGNORECASE)
_STREAM = pattern(r"/dev/(?:std(?:in|out|err)|fd/|tty)|/proc/[^/]+/fd/")
# https://refspecs.linuxfoundation.org/FHS_3.0/fhs/ch03.html and what macOS has beside it
_STANDARD = pattern(
    r"/(?:bin|boot|dev|etc|home|lib[^/]*|media|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var"
    r"|nix|snap|Applications|Library|Network|System|Users|Volumes|cores|private)"
)


class Facts:
    """What the decision needs to know of the place: given by the caller, never looked up here.

    real_path follows symbolic links (or only normalises, when the caller cannot look). spelled:
    the letters that a path has where names in other letters are the same; it follows no links.
    modules: names that Python would import from a directory before its own library. exists: whether
    there is such a file. names: what is in a directory. text: what is in a small file, None if that
    is not known. link: the text of a symbolic link. twins: by what other names a file is known.
    shells: the families of shells (see dialects) that may run the command. links: those that the
    line itself makes, once it has made any; meant: what `meant` has found before. fetched: files
    that earlier commands have fetched, by their real paths, with the addresses; fetching: those
    that this one would fetch.
    """

    __slots__ = (
        "cwd", "environment", "exists", "fetched", "fetching", "home", "link", "links", "meant",
        "modules", "names", "project", "real_path", "repository", "shells", "spelled", "temporary",
        "text", "twins",
    )  # fmt: skip

    def __init__(
        self,
        cwd: str = "/project",
        home: str = "/home/user",
        project: str = "",
        temporary: Iterable[str] = ("/tmp", "/var/tmp", "/private/tmp"),  # noqa: S108
        environment: Mapping[str, str] | None = None,
        real_path: Callable[[str], str] = posixpath.normpath,
        modules: Callable[[str], frozenset[str]] = lambda _: frozenset(),
        exists: Callable[[str], bool] = lambda _: False,
        names: Callable[[str], Iterable[str]] = lambda _: (),
        text: Callable[[str], str | None] = lambda _: None,
        link: Callable[[str], str | None] = lambda _: None,
        twins: Callable[[str], Iterable[str]] = lambda _: (),
        repository: Callable[[str], Repository | None] = lambda _: None,
        shells: Iterable[str] = ("bash", "zsh"),
        spelled: Callable[[str], str] = str,
    ) -> None:
        self.cwd, self.home, self.project = cwd, home, project or cwd
        self.temporary, self.environment = tuple(temporary), dict(environment or {})
        self.real_path, self.modules, self.exists = real_path, modules, exists
        self.names, self.text, self.link, self.twins = names, text, link, twins
        self.repository, self.spelled = repository, spelled
        self.fetched: Callable[[], Mapping[str, str]] = dict
        self.fetching: dict[str, str] = {}
        self.shells = frozenset(shells)
        self.links: Links | None = None
        self.meant: dict[tuple[str, str], tuple[str, ...]] = {}

    def with_links(self, links: Links) -> Facts:
        """The same place for a line that makes links; of several real paths one outside counts."""
        made = self._copy()

        def real_path(path: str) -> str:
            ends = links.ends(path)
            return next((end for end in ends if not is_within(end, made.project)), ends[0])

        made.links, made.real_path = links, real_path
        return made

    def for_next(self) -> Facts:
        """The same place for another line, which knows nothing of what this one fetches."""
        made = self._copy()
        made.fetching, made.meant = {}, {}
        return made

    def _copy(self) -> Facts:
        made = Facts.__new__(Facts)
        for name in self.__slots__:
            setattr(made, name, getattr(self, name))
        return made

    @property
    def own_path(self) -> tuple[str, ...]:
        """The entries of PATH, if one leads into the project or depends on the directory."""
        # All of a temporary directory is nobody's project.
        inside = f"{self.project}/" if self.project not in self.temporary else "//"
        return _own_path(self.environment.get("PATH", "/"), inside)

    def ends(self, path: str) -> list[str]:
        """The real paths that an absolute one may have; an empty one is not known."""
        if not path:
            return [""]
        return [self.real_path(path)] if self.links is None else self.links.ends(path)


@lru_cache(64)
def _own_path(path: str, inside: str) -> tuple[str, ...]:
    entries = tuple(path.split(":"))
    is_own = any(entry[:1] != "/" or f"{entry}/".startswith(inside) for entry in entries)
    return entries if is_own else ()


def place(path: str, cwd: str, facts: Facts) -> str:
    """Classify a path: one of _BY_DELICACY, a `sink`, or the `network`.

    The answer is the most delicate one that the path as written or as resolved gives. An empty cwd
    is a directory that is not known.
    """
    if not cwd and not path.startswith("/"):
        return "else"
    paths = meant(path, cwd, facts)
    if paths[0] in SINKS:
        return "sink"
    if paths[0].startswith(("/dev/tcp/", "/dev/udp/")):
        return "network"
    where = facts.project, facts.home, facts.temporary
    if len(paths) == 1:
        return _place(paths[0], *where)
    return min((_place(one, *where) for one in paths), key=_BY_DELICACY.index)


def joined(cwd: str, target: str) -> str:
    """The absolute path of a target; empty, which is a place unknown, if it depends on such a one.

    `..` stays: only who looks at links can tell where it leads.
    """
    path = posixpath.join(cwd, target)
    if path[:1] != "/":
        return ""
    if "/.." not in path:
        return posixpath.normpath(path) if path[:2] != "//" else posixpath.normpath(path[1:])
    return "/" + "/".join(name for name in path.split("/") if name not in ("", "."))


def meant(path: str, cwd: str, facts: Facts) -> tuple[str, ...]:
    """The normal paths that one may stand for: the first by its text, as some programs read it.

    Then where the kernel goes, the last name a link or followed, and other names of that file. In a
    place that is not known, the path itself.
    """
    paths = facts.meant.get((path, cwd))
    if paths is None or facts.links is not None:
        paths = facts.meant[path, cwd] = _meant(joined(cwd, path) or path, facts)
    return paths


def _meant(whole: str, facts: Facts) -> tuple[str, ...]:
    if whole[:1] != "/":
        return (posixpath.normpath(whole),)
    if facts.links is None and facts.real_path(whole) == whole and not facts.twins(whole):
        return (whole,)
    ends = facts.ends(whole)
    paths = dict.fromkeys((facts.spelled(posixpath.normpath(whole)),))
    parent, name = posixpath.split(whole)
    if name not in ("", ".."):
        lasts = (posixpath.join(one, name) for one in facts.ends(parent))
        paths.update(dict.fromkeys(map(facts.spelled, lasts)))
    paths.update(dict.fromkeys(ends))
    paths.update(dict.fromkeys(twin for end in ends for twin in facts.twins(end)))
    return tuple(paths)


_BY_DELICACY = (
    "root", "device", "home", "sensitive", "system", "else", "project-root", "temporary", "project",
)  # fmt: skip


@lru_cache(512)
def _place(path: str, project: str, home: str, temporary: tuple[str, ...]) -> str:
    """path is absolute and normal."""
    stem = _TRAILING_GLOB.sub("", path) or "/"
    if stem == project and stem not in ("/", home):
        return "project-root"
    if stem.count("/") == 1 and not _inside(stem, temporary):
        return "root"
    if _DEVICES.match(path):
        return "device"
    if _is_home(stem, home):
        return "home"
    if is_guarded(path):
        return "sensitive"
    if _inside(path, temporary):
        return "temporary"
    if _inside(path, (project,)):
        return "project"
    if _SYSTEM.match(path):
        return "system"
    return "else"


def leads_to_guarded(
    path: str, facts: Facts, *, removed: bool = False, whatever: bool = True
) -> bool:
    """Tell whether a directory may hold, or come to hold, a file that decides what programs run.

    path: absolute and normal, perhaps a pattern. removed: it goes away, and nothing comes for it.
    whatever: any file in it may be meant.
    """
    last = folded(path).rsplit("/", 3)
    names = {"/".join(last[-count:]) for count in (1, 2)} & _PARENTS
    if names:
        return not (removed and names <= _MADE_ANEW)
    if WILD.search(path):
        parts = parts_of(path)
        if len(parts) > _MOST_PARTS:
            return True
        if any(_means(parts, len(parts) - len(name), name) for name in _GUARDED):
            return True
        if any(_means(parts, pos, name) for pos, glob in enumerate(parts) for name in _from(glob)):
            return True
    return whatever and any(is_guarded(f"{path}/{name}") for name in facts.names(path))


def _from(glob: str) -> Iterable[list[str]]:
    """What a pattern may lead through whose first name it may be."""
    if WILD.search(glob) is None:
        return _INSIDE.get(glob, ())
    return (name for first, names in _INSIDE.items() if overlaps(glob, first) for name in names)


def _means(parts: list[str], pos: int, name: list[str]) -> bool:
    """Tell whether a part of the pattern may be that name, and is about it."""
    globs = parts[pos : pos + len(name)] if pos >= 0 else []
    return (
        len(globs) == len(name)
        and all(map(overlaps, globs, name))
        and any(map(is_meant, globs, name))
    )


def holds_everything(path: str, facts: Facts) -> bool:
    """Tell whether a real directory is the root, one of the system's, the home, or above that.

    Any other directory next to the root, such as the /app of a container, may be a repository.
    """
    return path == "/" or _STANDARD.fullmatch(path) is not None or _is_home(path, facts.home)


def _is_home(path: str, home: str) -> bool:
    return path in (home, posixpath.dirname(home))


def is_guarded(path: str) -> bool:
    """Tell whether a path is, or leads through, a file that decides what programs run."""
    return _SENSITIVE.search(path if path.isascii() else folded(path)) is not None


def is_stream(path: str) -> bool:
    """Tell whether a path stands for what a program was started with: `/dev/stdin`, `/dev/fd/3`."""
    return _STREAM.match(path) is not None


def is_storage(path: str) -> bool:
    """Tell whether a path stands for a disk, or for the memory of the machine."""
    return _STORAGE.match(path) is not None


def is_within(path: str, directory: str) -> bool:
    """Tell whether a path is a directory or below it; both are absolute and normal."""
    return path == directory or path.startswith(directory.rstrip("/") + "/")


def _inside(path: str, directories: Iterable[str]) -> bool:
    return any(is_within(path, d) for d in directories if d != "/")

"""Plans the box of a project: what is writable, guarded and hidden, and which variables stay.

A plan changes nothing: it is made from the settings, the environment and a look at the file system,
and can be printed. An engine (`bubblewrap`) carries it out.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from glob import escape, glob
from os.path import dirname, isabs, isdir, join, lexists, realpath

from laconic.box import environment, places
from laconic.box.home import LINKED, Overlay, home_of_account, plan_home
from laconic.box.look import Look, matching
from laconic.box.mounts import mount_points
from laconic.box.places import PRIVATE, is_below
from laconic.box.registry import is_out_of_reach
from laconic.box.repository import Repository
from laconic.errors import LaconicError
from laconic.files import home as home_of
from laconic.letters import spelled, spelling_around
from laconic.settings.config import Box
from laconic.settings.load import Settings

# What the box has of its own, and where it keeps that.
TEMPORARY = {"/tmp": "tmp", "/var/tmp": "vartmp"}  # noqa: S108 - places to know, not to use
# What programs need of /run, which is empty in the box otherwise.
_OF_RUN = ("/run/current-system", "/run/opengl-driver", "/run/wrappers")
# For a home of links: cargo builds everything anew if these are at another place than outside.
_SAME_HOMES = {"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"}
_MOST_DOTENV = 60
_DOTENV_S = 5.0
_EXAMPLES = (".example", ".sample", ".template", ".dist", ".defaults", ".schema")


class Plan:
    """The box of one project.

    directory: where laconic keeps what belongs to the box. write: what can be written. pinned:
    directories on the way to something guarded, which cannot be renamed. guarded: what exists and
    can only be read. missing: guarded paths that do not exist, and may not come into being. links:
    guarded symbolic links, and where they lead. never_write: patterns of the settings, guarded as
    well. hidden: directories and files that look empty. shown: what is visible although it lies in
    a directory that the box has of its own. has_network: it has that of this machine; if not,
    has_hosts tells whether it may reach `hosts`, and `ports` of this machine; has_registry: whether
    npm's registry may be among these. variables: the environment in the box. dropped: the names of
    those that are not in it. home_path: where the home is in the box; temporary: where temporary
    files are; own_places: what the box has in place of /tmp and the like. overlays: what has one,
    the home above all; nothing if the home is one of links.
    has_own_top: the home has an overlay for each of its
    directories only, and the rest of it, read_only, can be read. mounts: where something is mounted
    on this machine.
    """

    def __init__(self, project: str, directory: str, home: str) -> None:
        self.project, self.directory, self.user_home = project, directory, home
        self.write: list[str] = [project]
        self.pinned: list[str] = []
        self.guarded: list[str] = []
        self.missing: list[str] = []
        self.links: dict[str, str] = {}
        self.hidden: list[str] = []
        self.shown: list[str] = []
        self.variables: dict[str, str] = {}
        self.dropped: list[str] = []
        self.has_network = self.has_hosts = self.has_registry = False
        self.hosts: list[str] = []
        self.ports: list[int] = []
        self.never_write: tuple[str, ...] = ()
        self.home_path, self.has_own_top = LINKED, False
        self.temporary = "/tmp"  # noqa: S108 - the box's own
        self.own_places = {place: join(directory, name) for place, name in TEMPORARY.items()}
        self.overlays: list[Overlay] = []
        self.read_only: list[str] = []
        self.mounts = mount_points()
        self.repository: Repository


def make_plan(
    project: str, settings: Settings, environ: Mapping[str, str], further: Sequence[str] = ()
) -> Plan:
    """Plan the box of a project; raises LaconicError if there can be none.

    further: what a command needs to read of directories that the box has of its own.
    """
    home = realpath(home_of(environ))
    root = realpath(project)
    root = spelled(root, around=root)
    wanted = settings.config.box
    plan = Plan(root, directory_of(settings.directories.state_dir, root), home)
    _lead_out(plan, settings)
    refuse_unfit(root, home)
    plan.repository = Repository(root, home, environ)
    wider = (realpath(_expanded(path, home)) for path in wanted.write)
    plan.write += [*plan.repository.outside, *(path for path in wider if lexists(path))]
    plan.never_write = tuple(settings.config.paths.never_write)
    look = Look()
    if sys.platform == "darwin":  # where nothing can be mounted
        plan.home_path, plan.temporary = join(plan.directory, "home"), join(plan.directory, "tmp")
    else:
        plan_home(plan, environ)
    _guard(plan, look)
    _show(plan, wanted, environ, further)
    _hide(plan, wanted, settings, environ, look)
    if plan.overlays and not _is_out_of_reach(plan):
        plan.home_path, plan.overlays, plan.has_own_top = LINKED, [], False
    plan.variables = environment.kept(environ, wanted.keep_env)
    if not plan.has_network:  # a proxy of the user's is dialled outside the box
        for name in environment.PROXIES.intersection(plan.variables):
            del plan.variables[name]
    plan.dropped = sorted(set(environ) - set(plan.variables))
    plan.has_registry = plan.has_network or not is_out_of_reach(plan.hosts, root, environ)
    plan.variables |= own_variables(plan)
    return plan


def _lead_out(plan: Plan, settings: Settings) -> None:
    """Say what the box reaches. What a project's file lists does not count, trusted or not."""
    general, wanted = settings.config.settings, settings.config.box
    plan.has_network = wanted.network == "host"
    plan.has_hosts = wanted.network == "listed" and general.profile != "strict"
    if not plan.has_hosts:
        return
    plan.hosts = [str(one) for one in own_items("hosts", settings)]
    plan.ports = [int(one) for one in own_items("ports", settings)]


def own_items(name: str, settings: Settings) -> list[str | int]:
    """Return the items of a list that the user has set, and not a project's file."""
    listed: Sequence[str | int] = getattr(settings.config.box, name)
    if not listed or settings.project is None:
        return list(listed)
    theirs = str(settings.project.config_path)
    entry = settings.values[f"box.{name}"]
    return [one.value for one in getattr(entry, "items", ()) if one.source != theirs]


def _is_out_of_reach(plan: Plan) -> bool:
    """Tell whether no command in the box sees what is below the overlays."""
    if any(is_below(plan.directory, hidden) for hidden in plan.hidden):
        return True
    seen = (*plan.shown, *plan.write, *(one.lower for one in plan.overlays))
    is_private = any(is_below(plan.directory, place) for place in PRIVATE)
    return is_private and not any(is_below(plan.directory, path) for path in seen)


def directory_of(state_dir: str, project: str) -> str:
    """Return where laconic keeps what belongs to the box of a project."""
    from hashlib import sha256  # noqa: PLC0415 - it is not needed by who only imports us

    return join(state_dir, "box", sha256(os.fsencode(project)).hexdigest()[:24])


def refuse_unfit(project: str, home: str) -> None:
    """Refuse projects that hold what must be out of reach, or whose files a box could not use."""
    own = [home, home_of_account() or home]
    if project.count("/") < 2 or any(is_below(one, project) for one in own):  # noqa: PLR2004
        hint = "go to a project, which has a directory .git or .laconic"
        raise LaconicError(f"there is no box for {project}: it is not a project", hint)
    if any(is_below(project, p) for p in ("/proc", "/dev", "/sys", "/run", "/etc", "/usr")):
        raise LaconicError(f"there is no box for {project}: it belongs to the system")
    try:
        owner = os.stat(project).st_uid
    except OSError as error:
        raise LaconicError(f"{project}: {error.strerror}") from error
    if os.geteuid() == 0 and owner != 0:
        message = f"{project} belongs to user {owner}, whose files root could not write in it"
        raise LaconicError(message, "run laconic as that user")


def _expanded(path: str, home: str) -> str:
    return join(home, path[2:]) if path.startswith("~/") else path


# -- what is guarded -------------------------------------------------------------------------------


def _guard(plan: Plan, look: Look) -> None:
    """Sort the guarded paths into those that exist, are links, or do not exist."""
    top = look.names(plan.project)
    # Most names are not there, which one look at the project tells.
    spell = spelling_around(plan.project)
    top = None if spell else top  # in other letters they are there as well
    names = [n for n in places.guarded_names() if top is None or n.partition("/")[0] in top]
    plan.missing = [join(plan.project, n) for n in set(places.guarded_names()).difference(names)]
    todo = [join(plan.project, name) for name in names]
    inner = [join(plan.project, link) for link in plan.repository.gitlinks]
    todo += [join(place, name) for place in inner for name in places.guarded_in_repositories()]
    todo += [*plan.repository.guarded, *_own_installation(plan.project)]
    todo += places.matching(plan.project, plan.never_write)
    pinned = {d for d in plan.repository.directories if d not in plan.write}
    seen = set(plan.missing)
    while todo:
        path = spell(todo.pop()) if spell else todo.pop()
        root = _root_of(plan, path)
        if path in seen or root is None or path == root:
            continue
        seen.add(path)
        if not look.exists(path):
            plan.missing.append(path)
            continue
        ways = list(_between(root, path))
        link = next((way for way in (*ways, path) if os.path.islink(way)), None)
        if link is None:
            plan.guarded.append(path)
            pinned.update(ways)
        else:
            # A mount cannot be put on a link: what it leads to is guarded, and it is compared.
            try:
                plan.links[link] = os.readlink(link)
            except OSError:  # it was removed a moment ago
                plan.missing.append(path)
                continue
            pinned.update(_between(root, link))
            target = realpath(path)
            if lexists(target):
                todo.append(target)
    for directory in list(pinned):
        root = _root_of(plan, directory)
        pinned.update(_between(root, directory) if root else ())
    plan.pinned = sorted(d for d in pinned if isdir(d) and d not in plan.write)
    plan.guarded.sort()
    plan.missing.sort()


def _root_of(plan: Plan, path: str) -> str | None:
    """Return the writable directory that a path is in; None: it cannot be written anyway."""
    return next((root for root in plan.write if is_below(path, root)), None)


def _between(root: str, path: str) -> Iterator[str]:
    """Yield the directories between a writable one and a path in it, from the top."""
    parts = path[len(root) :].strip("/").split("/")[:-1]
    for pos in range(len(parts)):
        yield join(root, *parts[: pos + 1])


def _own_installation(project: str) -> Iterator[str]:
    """Yield the place of laconic itself, if that is in the project: it runs outside the box."""
    package = dirname(dirname(realpath(__file__)))
    for place in (realpath(sys.prefix), sys.prefix, package):
        if is_below(place, project) and place != project:
            yield place


# -- what is shown, and what is hidden -------------------------------------------------------------


def _show(plan: Plan, wanted: Box, environ: Mapping[str, str], further: Sequence[str]) -> None:
    """Find what the command needs of directories that the box has of its own."""
    needed = [*further, realpath("/etc/resolv.conf"), plan.user_home, *_OF_RUN]
    for entry in environ.get("PATH", "").split(":"):
        if isabs(entry) and any(is_below(entry, place) for place in TEMPORARY):
            prefix = dirname(entry.rstrip("/"))
            is_prefix = entry.rstrip("/").endswith(("/bin", "/sbin")) and prefix not in TEMPORARY
            needed.append(prefix if is_prefix else entry)
    needed += [_expanded(path, plan.user_home) for path in wanted.read]
    real = {realpath(path) for path in needed if lexists(path)}
    in_private = (p for p in real if p not in PRIVATE and any(is_below(p, d) for d in PRIVATE))
    own = (*plan.write, *([plan.user_home] if plan.overlays else ()))
    plan.shown = sorted(p for p in in_private if not any(is_below(p, w) for w in own))


def _hide(
    plan: Plan, wanted: Box, settings: Settings, environ: Mapping[str, str], look: Look
) -> None:
    homes = {plan.user_home, home_of_account() or plan.user_home, realpath(home_of(environ))}
    config = environ.get("XDG_CONFIG_HOME", "")
    paths = list(matching("/", places.hidden_below("/")))
    if any(is_below(path, "/proc") for path in plan.shown):
        paths += matching("/proc", places.hidden_below("/proc"))
    paths += [path for home in homes for path in matching(home, places.hidden_below("~"))]
    if isabs(config):
        paths += matching(config, places.hidden_below("~/.config"))
    for name in places.PLACE_VARIABLES:
        paths += [path for path in environ.get(name, "").split(":") if isabs(path)]
    own = settings.directories
    paths += [own.config_dir, own.state_dir, own.cache_dir]
    paths += _dotenv_files(plan.project, homes)
    paths += [_expanded(path, plan.user_home) for path in wanted.hide]
    seen = {realpath(_expanded(path, plan.user_home)) for path in wanted.read}
    # A link: what it leads to is hidden, because no mount can be put on it.
    real = {look.real(path) for path in paths} - seen
    real = {path for path in real if not is_below(path, plan.project)} | _sockets(look)
    real |= {realpath(p) for p in places.matching(plan.project, settings.config.paths.secret)}
    spell = spelling_around(plan.user_home)
    real = set(map(spell, real)) if spell else real
    for path in sorted(path for path in real if _needs_hiding(path, plan, look)):
        # What is in a hidden directory is not there, so nothing can be put over it.
        if not any(is_below(path, hidden) for hidden in plan.hidden):
            plan.hidden.append(path)


_known_dotenv: dict[tuple[str, ...], tuple[float, list[str]]] = {}


def _dotenv_files(project: str, homes: Iterable[str]) -> list[str]:
    """Return files with secrets of other projects: beside this one, and below the home.

    A server looks for new ones every few seconds: a home can have thousands of directories.
    """
    key = (dirname(project), *sorted(homes))
    known = _known_dotenv.get(key)
    if known is None or not 0 <= time.monotonic() - known[0] < _DOTENV_S:
        known = _known_dotenv[key] = (time.monotonic(), _found_dotenv(project, homes))
    return known[1]


def _found_dotenv(project: str, homes: Iterable[str]) -> list[str]:
    patterns = [f"{escape(dirname(project))}/*/.env*"]
    patterns += [f"{escape(home)}/{deep}.env*" for home in homes for deep in ("", "*/", "*/*/")]
    paths = (path for one in patterns for path in glob(one))
    return [path for path in paths if not path.endswith(_EXAMPLES)][:_MOST_DOTENV]


def _sockets(look: Look) -> set[str]:
    """Return the sockets of others: a read-only mount does not keep anybody from connecting."""
    try:
        with open("/proc/net/unix", encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().split("\n")
    except OSError:
        return set()
    # A path is the last field; other names begin with an @.
    paths = {line[line.index(" /") + 1 :] for line in lines if " /" in line}
    return {look.real(path) for path in paths if is_socket(path)}


def is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        return False


def _needs_hiding(path: str, plan: Plan, look: Look) -> bool:
    if path == "/" or not lexists(path) or not look.can_enter(dirname(path)):
        return False
    if any(is_below(w, path) for w in plan.write):
        return False
    if not os.access(path, os.R_OK) and not is_socket(path):
        return False  # in the box we have no more rights than here
    is_private = sys.platform != "darwin" and any(is_below(path, place) for place in PRIVATE)
    seen = (*plan.shown, *plan.write, *(one.lower for one in plan.overlays))
    return not is_private or any(is_below(path, p) for p in seen)


# -- variables -------------------------------------------------------------------------------------


def own_variables(plan: Plan) -> dict[str, str]:
    """Return the variables that the box sets itself."""
    variables = {"TMPDIR": plan.temporary}
    if not plan.has_registry and "npm_config_fetch_retries" not in plan.variables:
        # npm tries again for more than a minute: https://docs.npmjs.com/cli/using-npm/config#fetch-retries
        variables["npm_config_fetch_retries"] = "0"
    if plan.overlays:
        # A link from a cache of the home into the project is one between two mounts, of which uv
        # would warn: https://docs.astral.sh/uv/reference/settings/#link-mode
        if "UV_LINK_MODE" not in plan.variables:
            variables["UV_LINK_MODE"] = "copy"
        return variables
    variables |= {
        "HOME": plan.home_path,
        "npm_config_cache": f"{plan.home_path}/.cache/npm",
        "XDG_CACHE_HOME": f"{plan.home_path}/.cache",
    }
    for name, directory in _SAME_HOMES.items():
        if name not in plan.variables and isdir(join(plan.user_home, directory)):
            variables[name] = join(plan.user_home, directory)
    if isdir(join(plan.user_home, ".gradle/caches")):
        # Gradle's user guide, "Dependency caching": it reads there, and writes elsewhere.
        variables["GRADLE_RO_DEP_CACHE"] = join(plan.user_home, ".gradle/caches")
        variables["GRADLE_USER_HOME"] = f"{plan.home_path}/.cache/gradle"
    return variables

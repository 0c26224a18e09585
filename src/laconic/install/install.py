"""Installs laconic in agents and takes it out again, so that a user's files stay the user's.

First a plan is made: which files would hold what. Nothing is written if one of them is broken. Then
each file is replaced in one step, after its first content was saved.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from laconic.agents.load import load
from laconic.errors import LaconicError
from laconic.install import blocks, jsonc, merge, originals
from laconic.install.recipe import File, HookEntry, Recipe, Scope, directory, expand
from laconic.record.kept import APART
from laconic.run import launcher
from laconic.settings import toml
from laconic.shell.words import as_typed

_TEMPLATES = Path(__file__).parent / "templates"
_SHARED = "@ask.ts@\n"
MARK = "Written by `laconic install "
SCOPES: tuple[Scope, ...] = ("user", "project")  # of a user's; root's is "managed"
# What the configuration says of hooks that run when a command has run: `when` of an entry. The
# first are of agents that were seen to take what such a hook says (`make e2e`).
REPLACE_OUTPUT, REPLACE_ALWAYS = "hooks.replace_output", "hooks.replace_output=always"
ASKED_FOR = {
    "seen": frozenset((REPLACE_OUTPUT,)),
    "always": frozenset((REPLACE_OUTPUT, REPLACE_ALWAYS)),
    "never": frozenset[str](),
}
INTRODUCE = frozenset(("hooks.introduce",))


class Site(NamedTuple):
    """The machine: environment, project, where laconic is, where it keeps records.

    asked_for: the keys of the configuration that are on and need a hook of their own.
    """

    variables: Mapping[str, str]
    project: Path
    executable: str
    state_dir: Path
    asked_for: frozenset[str] = frozenset()
    platform: str = sys.platform


class Change(NamedTuple):
    """A change of one file; after None: it is removed. path: as the agent names it."""

    path: Path
    target: Path
    before: bytes | None
    after: bytes | None
    mode: int = 0o644

    @property
    def verb(self) -> str:
        if self.after is None:
            return "removed"
        return "created" if self.before is None else "changed"


def find_executable(environ: Mapping[str, str], started_as: str = "") -> str:
    """Return the absolute path of the `laconic` that belongs to this installation.

    Of two paths to the same file, that on PATH is better: it outlives an upgrade.
    """
    own = [Path(sys.executable).parent / "laconic"]
    if os.path.isabs(started_as) and Path(started_as).name == "laconic":
        own.append(Path(started_as))
    own = [path for path in own if os.access(path, os.X_OK)]
    on_path = shutil.which("laconic", path=environ.get("PATH", ""))
    if on_path and (not own or any(path.samefile(on_path) for path in own)):
        return str(Path(on_path).absolute())
    if not own:
        raise LaconicError("the program laconic is not on your PATH", "pipx install laconic")
    return str(own[0])


def is_present(recipe: Recipe, environ: Mapping[str, str]) -> bool:
    """Tell whether an agent is on this machine: its program, or files that it made."""
    path = environ.get("PATH", "")
    if any(shutil.which(program, path=path) for program in recipe.programs):
        return True
    return any(found.exists() for mark in recipe.marks if (found := expand(mark, environ)))


# -- plans -----------------------------------------------------------------------------------------


def plan_install(recipe: Recipe, scope: Scope, site: Site) -> list[Change]:
    """Return the changes that installing makes; none if everything is up to date."""
    changes = []
    for file in recipe.files:
        path = path_of(file, recipe, scope, site)
        if path is None:
            continue
        target = target_of(path, scope, site)
        before = originals.current(target)
        after = _installed(file, recipe, path, before, site)
        if after != before:
            mode = 0o755 if file.executable else 0o644
            changes.append(Change(path, target, before, after, mode))
    return changes


def plan_place(recipe: Recipe, site: Site) -> list[Change]:
    """Return the change that lets an agent's sandbox write the directory for its outputs.

    There is none unless the user has switched the sandbox on in the settings that hooks are in.
    """
    at = _writable(recipe)
    path = path_of(recipe.files[0], recipe, "user", site) if at else None
    if path is None:
        return []
    target = target_of(path, "user", site)
    before = originals.current(target)
    text = _decode(before or b"{}", path)
    try:
        root = jsonc.parse(text)
        sandbox = jsonc.find(root, at[:1])
        settings = jsonc.load(sandbox) if sandbox else None
        if not isinstance(settings, dict) or settings.get("enabled") is not True:
            return []
        listed = jsonc.find(root, at)
        place = str(place_apart(site))
        if listed and place in (jsonc.load(listed) or ()):
            return []
        return [Change(path, target, before, jsonc.append(text, at, place).encode())]
    except ValueError as error:
        raise _broken(path, error) from error


def place_apart(site: Site) -> Path:
    return site.state_dir / APART


def _writable(recipe: Recipe) -> tuple[str, ...]:
    """Return where an agent's settings list what its sandbox may write, if that is known."""
    return tuple(load(recipe.name).sandbox.get("writable", ())) if recipe.sample else ()


def _without_place(text: str, recipe: Recipe, site: Site) -> str:
    at = _writable(recipe)
    listed = jsonc.find(jsonc.parse(text), at) if at and not merge.is_blank(text) else None
    values = jsonc.load(listed) if listed else None
    place = str(place_apart(site))
    if not isinstance(values, list) or place not in values:
        return text
    return jsonc.remove(text, (*at, values.index(place)))


def plan_uninstall(recipe: Recipe, site: Site, scopes: tuple[Scope, ...] = SCOPES) -> list[Change]:
    """Return the changes that remove laconic everywhere in these scopes."""
    changes: dict[Path, Change] = {}
    for path, file in _places(recipe, site, scopes):
        target = Path(os.path.realpath(path))
        before = originals.current(target)
        if before is None or target in changes:
            continue
        after = _uninstalled(file, recipe, path, before, site)
        if after != before:
            changes[target] = Change(path, target, before, after)
    return list(changes.values())


def _places(recipe: Recipe, site: Site, scopes: tuple[Scope, ...]) -> list[tuple[Path, File]]:
    """Return where laconic may be: the usual places, and those that were written elsewhere."""
    places = [
        (path, file)
        for file in recipe.files
        for scope in scopes
        if (path := path_of(file, recipe, scope, site)) and not _leads_out(path, scope, site)
    ]
    for original in originals.find_all(site.state_dir, recipe.name):
        file = next((f for f in recipe.files if _is_at(original.path, f)), recipe.files[0])
        places.append((original.path, file))
    return places


def _is_at(path: Path, file: File) -> bool:
    names = (file.user, file.project, *(place[1:] for place in file.managed.values()))
    return any(name and str(path).endswith(f"/{name}") for name in names)


def path_of(file: File, recipe: Recipe, scope: Scope, site: Site) -> Path | None:
    if scope == "project":
        return site.project / file.project if file.project else None
    if scope == "managed":
        place = file.managed.get(site.platform)
        return Path(place) if place else None
    return directory(recipe, site.variables) / file.user if file.user else None


def target_of(path: Path, scope: Scope, site: Site) -> Path:
    """Follow links; a project's must not lead out of it, because anybody may have made them."""
    target = Path(os.path.realpath(path))
    if _leads_out(path, scope, site):
        raise LaconicError(f"{path}: leads out of the project, to {target}; left as it is")
    return target


def _leads_out(path: Path, scope: Scope, site: Site) -> bool:
    root = os.path.realpath(site.project)
    return scope == "project" and not Path(os.path.realpath(path)).is_relative_to(root)


# -- what a file holds afterwards ------------------------------------------------------------------


def _installed(file: File, recipe: Recipe, path: Path, before: bytes | None, site: Site) -> bytes:
    text = _decode(before or b"", path)
    if file.mechanism == "file":
        if before is not None and MARK not in text:
            message = f"{path}: is a file of yours; left as it is"
            raise LaconicError(message, f"call `{hook_command(recipe, site)}` from it yourself")
        return template(file, recipe, site).encode()
    try:
        if file.mechanism == "json":
            return merge.install(text, hooks(file, recipe, site, text), file.seed).encode()
        after = blocks.put(text, template(file, recipe, site), marks(file))
        _check_toml(file, text, after)
        return after.encode()
    except ValueError as error:
        raise _broken(path, error) from error


def _uninstalled(file: File, recipe: Recipe, path: Path, before: bytes, site: Site) -> bytes | None:
    original = originals.find(site.state_dir, Path(os.path.realpath(path)))
    others = [name for name in original.agents if name != recipe.name] if original else []
    if others:
        return before
    if original and not original.mixed and originals.digest(before) == original.written:
        found = original.data
        return found if found is None else _without(file, recipe, path, found, found, site)
    first = original.data if original else None
    after = _without(file, recipe, path, before, first, site)
    is_new = original is not None and original.data is None
    return None if after is None or (is_new and _is_bare(file, after)) else after


def _without(
    file: File, recipe: Recipe, path: Path, data: bytes, first: bytes | None, site: Site
) -> bytes | None:
    """Return a file without what is laconic's."""
    text = _decode(data, path)
    if file.mechanism == "file":
        return None if MARK in text else data
    if file.mechanism == "block":
        return blocks.remove(text, marks(file)).encode()
    try:
        kept = None if first is None else _decode(first, path)
        text = merge.remove(text, hooks(file, recipe, site, text), kept)
        return _without_place(text, recipe, site).encode()
    except ValueError as error:
        raise _broken(path, error) from error


def _is_bare(file: File, data: bytes) -> bool:
    """Tell whether nothing is left in a file that laconic made."""
    text = data.decode()
    if file.mechanism != "json":
        return not text.strip()
    document = jsonc.load(jsonc.parse(text))
    return isinstance(document, dict) and document.items() <= dict(file.seed).items()


def hooks(file: File, recipe: Recipe, site: Site, text: str) -> merge.Hooks:
    """Return the entries of a file that holds a text; optional ones only if the configuration asks.

    ValueError if the text is not JSON.
    """
    wanted = [entry for entry in file.entries if not entry.when or entry.when in site.asked_for]
    return [(_place(entry, text), _filled(entry, recipe, site)) for entry in wanted]


def _place(entry: HookEntry, text: str) -> tuple[str, ...]:
    """Return the list an entry belongs to: one that is there, else one whose table is there."""
    if not entry.or_at or not text.strip():
        return entry.at
    root, choices = jsonc.parse(text), (*entry.or_at, entry.at)
    there = [at for at in choices if jsonc.find(root, at)]
    inside = [at for at in choices if len(at) > 1 and jsonc.find(root, at[:-1])]
    return (*there, *inside, entry.at)[0]


def _filled(entry: HookEntry, recipe: Recipe, site: Site) -> Mapping[str, Any]:
    def fill(value: Any) -> Any:
        if isinstance(value, str):
            return _fill(value, recipe, site)
        if isinstance(value, list):
            return [fill(item) for item in value]
        if isinstance(value, Mapping):
            return {key: fill(item) for key, item in value.items()}
        return value

    filled: Mapping[str, Any] = fill(entry.value)
    return filled


def template(file: File, recipe: Recipe, site: Site) -> str:
    text = (_TEMPLATES / file.template).read_text("utf-8")
    if text.startswith(_SHARED):  # what all plugins begin with
        text = (_TEMPLATES / _SHARED.strip("@\n")).read_text("utf-8") + text.removeprefix(_SHARED)
    return _fill(text, recipe, site)


def _fill(text: str, recipe: Recipe, site: Site) -> str:
    values = {
        "@command@": hook_command(recipe, site),
        "@command-toml@": toml.quote(hook_command(recipe, site)),
        "@executable-json@": json.dumps(site.executable),
        "@run-toml@": json.dumps([f"{path} run" for path in dict.fromkeys(_launchers(site))]),
        "@replace-output@": "true" if REPLACE_ALWAYS in site.asked_for else "false",
        "@agent@": recipe.name,
    }
    return re.sub(r"@[a-z-]+@", lambda found: values.get(found.group(), found.group()), text)


def _launchers(site: Site) -> tuple[str, ...]:
    """Return all that a rewritten command may begin with."""
    return launcher.NAME, site.executable, launcher.own_path()


def hook_command(recipe: Recipe, site: Site) -> str:
    """Return what a shell is to run; the path is quoted where it must be."""
    path = site.executable
    return f"{as_typed(path)} hook {recipe.name}"


def marks(file: File) -> blocks.Marks:
    return blocks.TOML if file.template.endswith(".toml") else blocks.MARKDOWN


def _check_toml(file: File, before: str, after: str) -> None:
    """Check that the file, with the block in it, still says what the block says."""
    if marks(file) is not blocks.TOML:
        return
    toml.parse(before.encode())
    try:
        toml.parse(after.encode())
    except ValueError as error:
        raise ValueError(f"has hooks in another form than [[hooks]] ({error})") from error


def _decode(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _broken(path, ValueError(f"is not UTF-8 at byte {error.start}")) from error


def _broken(path: Path, error: ValueError) -> LaconicError:
    return LaconicError(f"{path}: {error}; left as it is", "mend the file, then try again")


# -- carrying it out -------------------------------------------------------------------------------


def carry_out(changes: list[Change], recipe: Recipe, site: Site) -> None:
    for change in changes:
        original = originals.find(site.state_dir, change.target)
        if original is None:
            original = originals.Original(change.target, change.before)
        elif originals.digest(change.before or b"") != original.written:
            original = original._replace(mixed=True)
        made = originals.make_directories(change.target.parent)
        assert change.after is not None
        original = original._replace(
            written=originals.digest(change.after),
            agents=tuple(dict.fromkeys((*original.agents, recipe.name))),
            made=(*original.made, *made),
        )
        # First the copy, then the file: whatever happens between, nothing is lost.
        originals.save(site.state_dir, original)
        originals.write(change.target, change.before, change.after, change.mode)


def carry_out_removal(changes: list[Change], recipe: Recipe, site: Site) -> None:
    for change in changes:
        if change.after is None:
            originals.remove(change.target)
        else:
            originals.write(change.target, change.before, change.after, change.mode)
    records = list(originals.find_all(site.state_dir, recipe.name))
    for original in records:
        _leave(original, recipe, site)
    originals.remove_directories({path for original in records for path in original.made})


def _leave(original: originals.Original, recipe: Recipe, site: Site) -> None:
    """Remove an agent from a file's record, and the record with the last agent."""
    agents = tuple(name for name in original.agents if name != recipe.name)
    if agents:
        originals.save(site.state_dir, original._replace(agents=agents))
    else:
        originals.forget(site.state_dir, original.path)

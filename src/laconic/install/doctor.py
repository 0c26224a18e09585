"""Examines whether laconic works in an agent: what is installed is run, not only looked at."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from laconic import engine
from laconic.agents.load import hooked, load
from laconic.errors import LaconicError
from laconic.hooks import call_log
from laconic.install import jsonc, originals, sandboxes
from laconic.install.install import SCOPES, Site, path_of
from laconic.install.installed import Installed, find_installed
from laconic.install.other_tools import find_rivals
from laconic.install.recipe import Recipe, directory
from laconic.record import decisions
from laconic.settings import toml
from laconic.settings.load import Settings
from laconic.settings.schema import closest
from laconic.types import Outcome

State = Literal["ok", "note", "warn", "broken", "disabled"]
HARMLESS, FORBIDDEN = "git status", "shutdown now"
_LIMIT_S = 20
_OF_LATE_S = 7 * 86400
_DENIED = 2
_IN_PYTHON = "the Python client, which starts more slowly"
_NATIVE = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")


class Finding(NamedTuple):
    """The state of one thing about an agent, and what to do about it."""

    agent: str
    check: str
    state: State
    message: str
    fix: str = ""


def examine(recipe: Recipe, site: Site, settings: Settings) -> list[Finding]:
    """Return all findings on one agent."""
    return list(_examine(recipe, site, settings))


def _examine(recipe: Recipe, site: Site, settings: Settings) -> Iterator[Finding]:
    name, again = recipe.name, f"laconic install {recipe.name}"
    installed = list(find_installed(recipe, site))
    if fix := recipe.unsupported.get(site.platform):
        state: State = "broken" if installed else "disabled"
        yield Finding(name, "platform", state, f"it cannot work on {site.platform}", fix)
        return
    if not installed:
        yield _missing(recipe, site)
        return
    for each in installed:
        yield _integrity(each, recipe, site)
    if twice := _judged_twice(installed, recipe):
        yield twice
    safe = (each.command for each in installed if each.command and each.is_safe)
    for command in dict.fromkeys(safe):
        yield answers(command, recipe, site, settings)
    if recipe.sample:
        yield from _calls(recipe, site)
    if recipe.sample and (said := sandboxes.of_agent(recipe, site)):
        yield Finding(name, "sandbox", "ok", said)
    yield from _version(recipe, site)
    yield from _switches(recipe, site)
    if recipe.trust:
        yield _trust(recipe, installed, site)
    for rival in find_rivals(recipe, site):
        message = f"{rival.path}: calls {rival.name}, too; rewrites of two tools do not compose"
        fix = f"remove {rival.path}" if rival.is_file else f"{again} --import"
        yield Finding(name, "rival", "warn", message, fix)


def _judged_twice(installed: list[Installed], recipe: Recipe) -> Finding | None:
    """Say if an agent calls the machine's hook and one of the user's: it runs all that it finds."""
    own = [each for each in installed if not each.is_managed]
    if not own or len(own) == len(installed):
        return None
    message = f"{own[0].path}: the machine has a hook of its own, so each command is judged twice"
    return Finding(recipe.name, "twice", "warn", message, f"laconic uninstall {recipe.name}")


def _missing(recipe: Recipe, site: Site) -> Finding:
    """Say whether laconic was never in an agent, was lost, or is in a broken file."""
    again = f"laconic install {recipe.name}"
    places = [path_of(file, recipe, scope, site) for file in recipe.files for scope in SCOPES]
    targets = {path.resolve() for path in places if path}
    for record in originals.find_all(site.state_dir, recipe.name):
        if record.path in targets:
            message = f"{record.path}: laconic was installed there, and cannot be found in it"
            return Finding(recipe.name, "install", "broken", message, again)
    return Finding(recipe.name, "install", "disabled", "laconic is not installed in it", again)


def is_native(executable: str) -> bool:
    """Tell whether a program is the client in C; raises OSError if it cannot be read."""
    with Path(executable).open("rb") as stream:
        return stream.read(4) in _NATIVE


def client(executable: str) -> Finding:
    """Say which program the agents start."""
    try:
        kind = "the native client" if is_native(executable) else _IN_PYTHON
    except OSError as error:
        message = f"{executable}: cannot be read: {error.strerror}"
        return Finding("", "client", "broken", message, "pipx reinstall laconic")
    return Finding("", "client", "ok", f"{executable}: {kind}")


def unanswered(state_dir: Path) -> Iterator[Finding]:
    """Say if hooks were not answered lately, so that commands were not checked."""
    found = call_log.last_unanswered(str(state_dir))
    if found is None or time.time() - found[0] > _OF_LATE_S:
        return
    call = call_log.last_seen(str(state_dir), found[1])
    is_over = call is not None and call[0] > found[0]
    message = f"a hook of {found[1]} was not answered {_ago(found[0])}: laconic could not start"
    state: State = "warn" if is_over else "broken"
    yield Finding("", "client", state, message, "pipx reinstall laconic")


def unchecked(state_dir: Path) -> Iterator[Finding]:
    """Count what ran unchecked lately: hooks were switched off, or could not start."""
    found = [
        row
        for row in decisions.read(state_dir, time.time() - _OF_LATE_S)
        if decisions.outcome(row) == decisions.UNCHECKED
    ]
    if found:
        why = Counter(str(row.get("reason", "")) for row in found).most_common()
        reasons = "; ".join(f"{reason} ({count:,})" for reason, count in why)
        last = _ago(max(map(decisions.moment, found)))
        message = f"what ran unchecked in the last 7 days, the last {last}: {reasons}"
        yield Finding("", "unchecked", "warn", message, "laconic log --verdict unchecked")


def misnamed(state_dir: Path) -> Iterator[Finding]:
    """Say if a hook is called by a name that does not exist: then its commands are not checked."""
    call = call_log.last_unknown(str(state_dir))
    if call is None or time.time() - call[0] > _OF_LATE_S:
        return
    agent, _, event = call[1].partition(" ")
    if event and agent in hooked():
        what = f"{agent} has no event {event}"
        known = {each.name.lower(): each.name for each in load(agent).events}
        best = known.get(closest(event, known), "")
        meant = f"laconic hook {agent} {best}"
    else:
        what = f"there is no agent {call[1]!r}"
        best = closest(call[1], hooked())
        meant = f"laconic hook {best}"
    fix = f"in the settings of the agent, write: {meant}" if best else "laconic help hook"
    message = f"`laconic hook {call[1]}` was called {_ago(call[0])}, and {what}"
    yield Finding("", "hook", "warn", message, fix)


# -- the hook --------------------------------------------------------------------------------------


def _integrity(installed: Installed, recipe: Recipe, site: Site) -> Finding:
    """Compare a file with what this laconic writes, and with the hash of what it wrote."""

    def finding(state: State, message: str, fix: str = "") -> Finding:
        return Finding(recipe.name, "hook", state, f"{installed.path}: {message}", fix)

    if not installed.is_current:
        fix = f"laconic install {recipe.name}"
        return finding("warn", "differs from what this laconic writes", fix)
    if installed.is_managed:
        return finding("ok", "the hook of this machine, which only root can change")
    record = originals.find(site.state_dir, installed.path.resolve())
    if record is None:
        return finding("ok", "as this laconic writes it, though not by it")
    if originals.digest(originals.current(installed.path) or b"") == record.written:
        return finding("ok", f"as laconic wrote it (sha256 {record.written[:12]})")
    return finding("ok", "the hook is as laconic wrote it; the rest was changed since")


def answers(command: str, recipe: Recipe, site: Site, settings: Settings) -> Finding:
    """Run what is installed on two samples; where laconic would deny, it must not be silent."""
    for text in (HARMLESS, FORBIDDEN):
        fault, answer = _answer_to(command, recipe.sample.replace("@sample@", text), site)
        is_silent = answer == load(recipe.name).neutral or _only_warns(answer)
        if text == FORBIDDEN and not fault and is_silent and _would_deny(site, settings):
            fault = "says nothing about a command that is denied"
        if fault:
            fix = f"laconic install {recipe.name}"
            return Finding(recipe.name, "run", "broken", f"`{command}` {fault}", fix)
    return Finding(recipe.name, "run", "ok", f"`{command}` answers")


def _only_warns(answer: str) -> bool:
    """Tell whether an answer decides nothing: the client's own, without a server or Python."""
    return answer.startswith("{") and json.loads(answer).keys() == {"systemMessage"}


def _answer_to(command: str, sample: str, site: Site) -> tuple[str, str]:
    """Return what is wrong with the answer to a sample, or the answer."""
    try:
        done = _call(command, sample, site)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"fails: {error}", ""
    if done.returncode == _DENIED:  # this denies in some agents; the reason is on stderr
        return ("" if done.stderr.strip() else "denies without a reason"), done.stderr.strip()
    if done.returncode:
        line = done.stderr.strip().partition("\n")[0]
        return f"ends with status {done.returncode}: {line}", ""
    answer = done.stdout.strip()
    try:
        json.loads(answer or "{}")
    except ValueError:
        return f"prints what is not JSON: {answer[:60]!r}", ""
    return "", answer


def _call(command: str, sample: str, site: Site) -> subprocess.CompletedProcess[str]:
    # The server of a sample call may still write here; the directory must be removed all the same.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        # The samples are not calls of an agent, so they are kept out of the records.
        environ = {**site.variables, "LACONIC_STATE_DIR": scratch}
        return subprocess.run(  # noqa: S603 - what the agent runs, the way it does
            ["/bin/sh", "-c", command],
            input=sample,
            env=environ,
            cwd="/",
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LIMIT_S,
            check=False,
        )


def _would_deny(site: Site, settings: Settings) -> bool:
    request = engine.Request(FORBIDDEN, "/", site.variables)
    decision = engine.decide_request(request, settings, use_allowances=False)
    return engine.outcome(decision, settings) is Outcome.DENIED


def _calls(recipe: Recipe, site: Site) -> Iterator[Finding]:
    """Say when the agent itself last called, and what last went wrong then."""
    name = recipe.name
    call = call_log.last_seen(str(site.state_dir), name)
    if call is None:
        fix = f"run a command in {recipe.title}"
        yield Finding(name, "called", "note", "it has not called laconic yet", fix)
    else:
        yield Finding(name, "called", "ok", f"it last called laconic {_ago(call[0])} ({call[1]})")
    fault = call_log.last_fault(str(site.state_dir), name)
    if fault:
        fix = "please report it"
        yield Finding(name, "fault", "warn", f"laconic failed {_ago(fault[0])}: {fault[1]}", fix)


def _ago(moment: float) -> str:
    past_s = max(0, int(time.time() - moment))
    for size_s, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if past_s >= size_s:
            number = past_s // size_s
            return f"{number} {unit}{'s' if number > 1 else ''} ago"
    return "just now"


# -- the agent -------------------------------------------------------------------------------------


def _version(recipe: Recipe, site: Site) -> Iterator[Finding]:
    """Compare the agent's version with the first one that has what laconic needs."""
    path = site.variables.get("PATH", "")
    program = next((p for p in recipe.programs if shutil.which(p, path=path)), "")
    if not program:
        return
    text = _version_text(program, site)
    match = re.search(r"\d+(?:\.\d+)+", text)
    known = f"known to work: {recipe.verified}"
    if not match:
        message = f"`{program} --version` gives no version; {known}"
        yield Finding(recipe.name, "version", "warn", message, f"{program} --version")
    elif recipe.since and _numbers(match.group()) < _numbers(recipe.since):
        message = f"{program} {match.group()} is too old: laconic needs {recipe.since}"
        yield Finding(recipe.name, "version", "broken", message, f"update {recipe.title}")
    else:
        yield Finding(recipe.name, "version", "ok", f"{program} {match.group()}; {known}")


def _version_text(program: str, site: Site) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - the agent that the user asks about
            [program, "--version"],
            env=dict(site.variables),
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout or done.stderr


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _switches(recipe: Recipe, site: Site) -> Iterator[Finding]:
    """Name settings of the agent that turn its hooks off."""
    for switch in recipe.switches:
        path = directory(recipe, site.variables) / switch.file
        value: Any = _document(path)
        for key in switch.at:
            value = value.get(key) if isinstance(value, dict) else None
        if value is switch.value:
            message = f"{path}: {'.'.join(switch.at)} turns all hooks off"
            fix = f"take {switch.at[-1]} out of {path}"
            yield Finding(recipe.name, "switch", "disabled", message, fix)


def _document(path: Path) -> Any:
    """Return what a settings file says; nothing if it is missing or broken."""
    try:
        data = originals.current(path) or b"{}"
        if path.suffix == ".toml":
            return toml.parse(data)
        return jsonc.load(jsonc.parse(data.decode()))
    except (LaconicError, ValueError):
        return {}


def _trust(recipe: Recipe, installed: list[Installed], site: Site) -> Finding:
    """Say whether Codex was told to trust a hook; which one exactly, only Codex knows."""
    table = _document(directory(recipe, site.variables) / "config.toml").get("hooks", {})
    states = table.get("state", {}) if isinstance(table, dict) else {}
    places = {str(path) for each in installed for path in (each.path, each.path.resolve())}
    if any(str(key).startswith(f"{place}:pre_tool_use:") for key in states for place in places):
        return Finding(recipe.name, "trust", "ok", "you have approved the hook in Codex")
    fix = "start codex, type /hooks, approve the hook"
    return Finding(recipe.name, "trust", "warn", "Codex skips the hook until you trust it", fix)

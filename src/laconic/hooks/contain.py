"""Contains what a command line does, so that it need not be asked about: in the box, or by an undo.

The decision says what would be asked about; here is found out whether a box and an undo settle it
on this machine, and what has to be written on the line for that. Where that is not possible, the
decision stays as it is.
"""

from __future__ import annotations

import contextlib
from functools import partial

from laconic.errors import LaconicError
from laconic.hooks.wrap import usable_shell
from laconic.knowledge.catalog import library
from laconic.policy import contained as policy
from laconic.policy.contained import NEVER, UNDONE
from laconic.policy.from_config import build_rules
from laconic.reading.facts import NOWHERE
from laconic.reading.places import is_within
from laconic.rewrite.boxing import (
    Surroundings,
    box_starts,
    changes_its_shell,
    is_meant_outside,
    names_hidden,
    owners,
    stays_inside,
    writes_by_itself,
)
from laconic.rewrite.configured import Options, options
from laconic.rewrite.edits import Note, Rewriting, quoted
from laconic.rewrite.plan import rewrite
from laconic.run.launcher import find_genuine
from laconic.settings.environ import SWITCHES
from laconic.shell import ParseError, parse
from laconic.types import Decision, Effect, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Protocol

    from laconic.engine import Request
    from laconic.policy.profiles import Cells
    from laconic.reading.places import Facts
    from laconic.settings.config import Box
    from laconic.settings.load import Settings
    from laconic.shell.ast import Script
    from laconic.undo.hold import Holding

    class Abilities(Protocol):
        """What a machine can do: Machine asks this one."""

        def has_box(self, facts: Facts) -> bool: ...

        def hold(self, command: str, facts: Facts) -> Holding | None: ...


BOX, UNDO = "--box ", "--undo "
_HIDDEN = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - what the box has of its own


class Containment:
    """What makes a line harmless.

    decision: the one that holds then. flags: what single commands need of `laconic run`, by their
    start; needed: those without which the decision does not hold. whole: the shell that runs all of
    the line in the box. kept: what the hook itself has to keep before the line runs; holding: what
    would be kept of the line, where its commands keep it.
    """

    __slots__ = ("decision", "flags", "holding", "kept", "needed", "project", "whole")

    def __init__(self, decision: Decision, project: str) -> None:
        self.decision, self.project = decision, project
        self.flags: dict[int, str] = {}
        self.needed: set[int] = set()
        self.whole = ""
        self.kept: Holding | None = None
        self.holding: Holding | None = None

    def add(self, starts: frozenset[int] | set[int], flag: str) -> None:
        for start in starts:
            self.flags[start] = self.flags.get(start, "") + flag

    def is_placed(self, rewriting: Rewriting) -> bool:
        """Tell whether a rewrite has all that the decision depends on."""
        return self.needed <= rewriting.flagged

    def whole_line(self, launcher: str, command: str) -> str:
        return f"{launcher} run {BOX}-- {self.whole} -c {quoted(command)}"


class Contained:
    """A line that is contained: the decision that holds for it, and what to run in its place."""

    __slots__ = ("_kept", "decision", "rewriting")

    def __init__(self, made: Containment, rewriting: Rewriting) -> None:
        self.decision, self.rewriting, self._kept = made.decision, rewriting, made.kept

    def keep(self, request: Request, settings: Settings) -> None:
        """Keep what the shell itself is about to write; a fault means that there is no undo."""
        if self._kept is None:
            return
        from laconic.hooks.shell_writes import keep_now  # noqa: PLC0415 - few lines write so
        from laconic.undo.around import about_run  # noqa: PLC0415

        with contextlib.suppress(OSError, LaconicError):
            about = about_run(request.command, request.cwd, request.environ)
            about.agent = about.agent or request.agent
            keep_now(self._kept, about, settings)


def contained(
    request: Request,
    decision: Decision,
    settings: Settings,
    *,
    shell: object = "",
    login_shell: bool = False,
    machine: Abilities | None = None,
) -> Contained | None:
    """Contain a line: None if nothing has to be done about it, or nothing can be."""
    machine = machine or Machine(settings, request.environ)
    made = contain(request, decision, settings, machine, shell)
    if made is None:
        return None
    words = find_genuine(request.environ, made.project, login_shell=login_shell)
    rewriting = rewritten(made, request, settings, *words) if words[0] else None
    if rewriting is None:
        return None
    keeping = {start for start, flags in made.flags.items() if UNDO in flags}
    if keeping and not keeping & rewriting.flagged and made.holding is not None:
        made.kept = made.holding  # in the body of a function, no command can keep it
    return Contained(made, rewriting)


def look(request: Request, decision: Decision, settings: Settings) -> tuple[Decision, str]:
    """Say what an agent is told that runs other commands than it sent, and what it would run."""
    made = contained(request, decision, settings)
    if made is None or made.rewriting.text == request.command:
        return decision, ""
    return made.decision, made.rewriting.text if made.decision is not decision else ""


def rewritten(
    made: Containment, request: Request, settings: Settings, launcher: str, full: str = ""
) -> Rewriting | None:
    """Write on the line what contains it; None if a part of that has no place."""
    command = request.command
    if made.whole:
        text = made.whole_line(launcher, command)
        return Rewriting(text, (), (Note(0, len(command), "run", "with --box, as a whole"),))
    how = options(settings) if settings.config.compact.enabled else Options(lambda _: None)
    how.launcher, how.full_path, how.directory = launcher, full, request.cwd
    how.flags = made.flags
    rewriting = rewrite(command, how, library())
    if not made.is_placed(rewriting) or any(note.action == "rule" for note in rewriting.notes):
        return None
    return rewriting


class Machine:
    """This machine."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self._settings, self._environ = settings, environ

    def has_box(self, facts: Facts) -> bool:
        """Tell whether the project has a box; what is not known is not there.

        Codex runs commands in a box of its own, and says so.
        """
        if facts.project == NOWHERE or any(n.startswith("CODEX_SANDBOX") for n in self._environ):
            return False
        from laconic.box.usable import is_usable  # noqa: PLC0415 - few lines need a box

        if not is_usable(self._environ):
            return False
        from laconic.box.plan import refuse_unfit  # noqa: PLC0415 - not every machine has one

        try:
            refuse_unfit(facts.project, facts.home)
        except LaconicError:
            return False
        state_dir = facts.real_path(self._settings.directories.state_dir)
        return not is_within(state_dir, facts.project)

    def hold(self, command: str, facts: Facts) -> Holding | None:
        """Say what an undo would hold of a line."""
        from laconic.undo.hold import hold_line  # noqa: PLC0415 - not where nothing is changed

        return hold_line(command, facts.cwd, self._environ)


def contain(
    request: Request, decision: Decision, settings: Settings, machine: Abilities, shell: object = ""
) -> Containment | None:
    """Say how a line can be contained; None if nothing is to be done, or nothing can be.

    shell: the one that the agent names, if it does.
    """
    config = settings.config
    general = config.settings
    if general.gate != "enforce" or request.mode == "plan" or settings.is_isolated:
        return None
    if not decision.effects or decision.verdict is Verdict.DENY:
        return None
    rules = build_rules(settings, library(), request.environ, accepts_edits=request.mode == "edits")
    cells = rules.cells
    if not general.box or general.unknown == "ask":
        cells = cells.without_box(Effect.UNKNOWN if general.box else ~Effect.READS)
    if not decision.effects & (cells.box | cells.undo | UNDONE | Effect.INSTALLS):
        return None
    host = partial(usable_shell, shell, request.environ)
    return place(request.command, decision, cells, request.facts, machine, host, config.box)


def place(
    command: str,
    decision: Decision,
    cells: Cells,
    facts: Facts,
    machine: Abilities,
    shell: Callable[[], str],
    box: Box | None = None,
) -> Containment | None:
    """Find what has to be written on a line so that it is contained.

    shell: finds the one that may run all of it. box: what the user says about the box.
    """
    if decision.verdict is Verdict.DENY or decision.effects & NEVER:
        return None
    is_offline = box is None or box.network == "none"
    effects = (policy.in_box_effects(leaf, is_offline) for leaf in decision.leaves())
    has_box = any(one & cells.box for one in effects) and machine.has_box(facts)
    parts = policy.find_contained(decision, cells, has_box=has_box, is_offline=is_offline)
    if parts is None and decision.verdict is not Verdict.ALLOW:
        return None
    try:
        script = parse(command)
    except ParseError:
        return None
    made = Containment(policy.allowed(decision, parts) if parts else decision, facts.project)
    if parts and parts.boxed:
        around = _surroundings(facts, box)
        if not _put_in_box(made, parts, decision, script, facts, around, shell):
            if decision.verdict is not Verdict.ALLOW:
                return None
            made = Containment(decision, facts.project)  # what the profile allows without a box
    is_changing = decision.effects & UNDONE and not made.whole
    if is_changing and not _hold(made, parts, decision, script, facts, machine):
        return None
    return made if made.flags or made.whole or made.kept else None


# -- the box ---------------------------------------------------------------------------------------


def _put_in_box(
    made: Containment,
    parts: policy.Contained,
    decision: Decision,
    script: Script,
    facts: Facts,
    around: Surroundings,
    shell: Callable[[], str],
) -> bool:
    """Put commands in the box, one by one or all of them; False if neither is possible."""
    needed = [leaf.start for leaf in parts.boxed]
    source = script.source.decode("utf-8", "surrogateescape")
    if is_meant_outside(script) or any(name in source for name in SWITCHES):
        return False
    if names_hidden(script, needed, around):
        return False
    fetching = [leaf.start for leaf in decision.leaves() if leaf.effects & Effect.DOWNLOADS]
    starts = box_starts(script, needed, around)
    if starts is not None and not starts & owners(script, fetching):
        project = "" if stays_inside(script, around) else f"--project {quoted(facts.project)} "
        made.add(starts, BOX + project)
        made.needed |= starts
        return True
    if fetching or parts.held or changes_its_shell(script):
        return False
    made.whole = shell()
    return bool(made.whole)


def _surroundings(facts: Facts, box: Box | None) -> Surroundings:
    from laconic.box.places import PLACE_VARIABLES  # noqa: PLC0415 - few lines need a box
    from laconic.box.temporary import can_be_read  # noqa: PLC0415

    def expanded(paths: Sequence[str]) -> list[str]:
        return [facts.real_path(f"{facts.home}/{p[2:]}" if p[:2] == "~/" else p) for p in paths]

    further = expanded(box.write if box else ())
    shown = [facts.project, facts.home, *further, *expanded(box.read if box else ())]

    def is_inside(path: str) -> bool:
        return is_within(facts.real_path(path), facts.project)

    def is_reached(path: str) -> bool:
        real = facts.real_path(path)
        return "/.git" in real or any(is_within(real, one) for one in (facts.project, *further))

    def is_hidden(path: str) -> bool:
        return any(is_within(path, one) for one in _HIDDEN) and not is_inside(path)

    def is_absent(path: str, is_made: bool) -> bool:
        return is_hidden(path) and not can_be_read(path, shown, is_made=is_made)

    return Surroundings(facts.cwd, PLACE_VARIABLES, is_inside, is_reached, is_hidden, is_absent)


# -- undo ------------------------------------------------------------------------------------------


def _hold(
    made: Containment,
    parts: policy.Contained | None,
    decision: Decision,
    script: Script,
    facts: Facts,
    machine: Abilities,
) -> bool:
    """Have kept what the line destroys; False if it has to be asked about because of that."""
    is_needed = bool(parts and parts.held)
    command = script.source.decode("utf-8", "surrogateescape")
    holding = machine.hold(command, facts)
    if holding is None or (is_needed and not (holding.is_complete and holding.is_exact)):
        return not is_needed
    if not is_needed and not destroys(holding):
        return True
    if writes_by_itself(script):
        # Whether the hook can keep it is known too late to ask about what would be lost.
        made.kept = holding if holding.is_exact else None
        return not is_needed
    made.holding = holding if holding.is_exact else None
    made.add(owners(script, [one.start for one in decision.leaves() if one.effects & UNDONE]), UNDO)
    if parts:
        made.needed |= owners(script, [one.start for one in parts.held])
    return True


def destroys(holding: Holding) -> bool:
    """Tell whether files are changed or removed that are there now; git's own do not count."""
    if holding.survey is None:
        return False
    return any(
        entry is not None and entry.kind in ("file", "link") and "/.git/" not in path
        for path, entry in holding.survey.before.items()
    )

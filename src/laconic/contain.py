"""Contains what a command line does, so that it need not be asked about: in the box, or by an undo.

The decision says what would be asked about; here is found out whether a box and an undo settle it
on this machine, and what has to be written on the line for that. Where that is not possible, the
decision stays as it is.
"""

from __future__ import annotations

from functools import partial

from laconic.errors import LaconicError
from laconic.knowledge.catalog import library
from laconic.policy import contained as policy
from laconic.policy.contained import NEVER, UNDONE
from laconic.policy.from_config import build_rules
from laconic.reading.facts import NOWHERE
from laconic.reading.places import is_within
from laconic.rewrite.boxing import (
    Surroundings,
    after_move,
    asks_own_servers,
    box_starts,
    changes_its_shell,
    goes_where_hidden,
    is_meant_outside,
    names_hidden,
    owners,
    stays_inside,
    writes_by_itself,
)
from laconic.rewrite.edits import Note, Rewriting
from laconic.rewrite.from_config import Options, options
from laconic.rewrite.plan import rewrite
from laconic.run.launcher import find_genuine
from laconic.run.shells import usable_shell
from laconic.settings.environ import SWITCHES
from laconic.shell import ParseError, parse
from laconic.shell.walk import commands
from laconic.shell.words import quoted
from laconic.types import Decision, Effect, Kind, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Protocol

    from laconic.engine import Request
    from laconic.policy.profiles import Answers
    from laconic.reading.places import Facts
    from laconic.settings.config import Box
    from laconic.settings.load import Settings
    from laconic.shell.ast import Script
    from laconic.undo.hold import Holding

    class Abilities(Protocol):
        """What a machine can do: Machine asks this one."""

        def has_box(self, facts: Facts) -> bool: ...

        def hold(self, command: str, facts: Facts, parts: Sequence[int] = ()) -> Holding | None: ...


BOX, UNDO = "--box ", "--undo "
# Agents whose lines run in one shell, as in a terminal: what a line sets is there for the next.
_LASTING_SHELLS = frozenset("cline cline-cli copilot cursor kilo openhands roo vscode".split())
_HIDDEN = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - what the box has of its own


class Containment:
    """What makes a line harmless.

    decision: the one that holds then. flags: what single commands need of `laconic run`, by their
    start; needed: those without which the decision does not hold. whole: the shell that runs all of
    the line in the box. kept: what the hook itself has to keep before the line runs; must_be_kept:
    the decision depends on it. holding: what would be kept of the line, where its commands keep it.
    begin: what is before it stays outside `whole`, which is the box of the project by `named`.
    """

    def __init__(self, decision: Decision, project: str) -> None:
        self.decision, self.project = decision, project
        self.flags: dict[int, str] = {}
        self.needed: set[int] = set()
        self.whole, self.begin, self.named = "", 0, ""
        self.kept: Holding | None = None
        self.must_be_kept = False
        self.holding: Holding | None = None

    def add(self, starts: frozenset[int] | set[int], flag: str) -> None:
        for start in starts:
            self.flags[start] = self.flags.get(start, "") + flag

    def is_placed(self, rewriting: Rewriting) -> bool:
        """Tell whether a rewrite has all that the decision depends on."""
        return self.needed <= rewriting.flagged

    def whole_line(self, launcher: str, command: str) -> str:
        data = command.encode("utf-8", "surrogateescape")
        before, rest = (
            part.decode("utf-8", "surrogateescape")
            for part in (data[: self.begin], data[self.begin :])
        )
        return f"{before}{launcher} run {BOX}{self.named}-- {self.whole} -c {quoted(rest)}"


class ContainedLine:
    """A line that is contained: the decision that holds for it, and what to run in its place.

    kept: what no command of the line keeps; must_be_kept: the decision does not hold without that.
    """

    def __init__(self, made: Containment, rewriting: Rewriting) -> None:
        self.decision, self.rewriting, self.kept = made.decision, rewriting, made.kept
        self.must_be_kept = made.must_be_kept


def contained(
    request: Request,
    decision: Decision,
    settings: Settings,
    *,
    shell: object = "",
    login_shell: bool = False,
    machine: Abilities | None = None,
    in_sandbox: bool = False,
) -> ContainedLine | None:
    """Contain a line: None if nothing has to be done about it, or nothing can be.

    in_sandbox: it runs where no box can be made and nothing be kept.
    """
    machine = machine or Machine(settings, request.environ)
    made = contain(request, decision, settings, machine, shell, in_sandbox=in_sandbox)
    if made is None:
        return None
    if made.decision.verdict is Verdict.ASK:
        return ContainedLine(made, Rewriting(request.command, ()))
    words = find_genuine(request.environ, made.project, login_shell=login_shell)
    rewriting = rewritten(made, request, settings, *words) if words[0] else None
    if rewriting is None:
        return None
    keeping = {start for start, flags in made.flags.items() if UNDO in flags}
    if keeping and not keeping & rewriting.flagged and made.holding is not None:
        made.kept = made.holding  # in the body of a function, no command can keep it
    return ContainedLine(made, rewriting)


def look(request: Request, decision: Decision, settings: Settings) -> tuple[Decision, str]:
    """Say what an agent is told that runs other commands than it sent, and what it would run."""
    made = contained(request, decision, settings)
    if made is None:
        return decision, ""
    if made.rewriting.text == request.command:
        return made.decision if made.decision.verdict is Verdict.ASK else decision, ""
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
        """Tell whether the project has a box; it is tried where nobody knows."""
        if facts.project == NOWHERE:
            return False
        from laconic.box.usable import is_usable  # noqa: PLC0415 - few lines need a box

        is_good = is_usable(self._environ)
        if is_good is None:
            from laconic.box.trial import try_box  # noqa: PLC0415 - once for a machine

            is_good = try_box(self._environ).is_good
        if not is_good:
            return False
        from laconic.box.plan import refuse_unfit  # noqa: PLC0415 - not every machine has one

        try:
            refuse_unfit(facts.project, facts.home)
        except LaconicError:
            return False
        state_dir = facts.real_path(self._settings.directories.state_dir)
        return not is_within(state_dir, facts.project)

    def hold(self, command: str, facts: Facts, parts: Sequence[int] = ()) -> Holding | None:
        """Say what an undo would hold of a line, or of the commands at these offsets."""
        from laconic.undo.hold import hold_line  # noqa: PLC0415 - not where nothing is changed

        return hold_line(command, facts.cwd, self._environ, parts)


def contain(
    request: Request,
    decision: Decision,
    settings: Settings,
    machine: Abilities,
    shell: object = "",
    *,
    in_sandbox: bool = False,
) -> Containment | None:
    """Say how a line can be contained; None if nothing is to be done, or nothing can be.

    shell: the one that the agent names, if it does. in_sandbox: see `contained`.
    """
    config = settings.config
    general = config.settings
    if general.gate != "enforce" or request.mode == "plan" or settings.is_isolated:
        return None
    if not decision.effects or decision.verdict is Verdict.DENY:
        return None
    rules = build_rules(settings, library(), request.environ, accepts_edits=request.mode == "edits")
    answers = rules.answers.unasked() if request.mode == "open" else rules.answers
    if not general.box or general.unknown == "ask":
        answers = answers.without_box(Effect.UNKNOWN if general.box else ~Effect.READS)
    if not decision.effects & (answers.box | answers.undo | UNDONE | Effect.INSTALLS):
        return None
    host = partial(usable_shell, shell, request.environ)
    box = None if in_sandbox else config.box
    is_lasting = request.agent in _LASTING_SHELLS
    is_asked = request.mode != "open"
    return place(
        request.command, decision, answers, request.facts, machine, host, box,
        in_sandbox, is_lasting, is_asked,
    )  # fmt: skip


def place(
    command: str,
    decision: Decision,
    answers: Answers,
    facts: Facts,
    machine: Abilities,
    shell: Callable[[], str],
    box: Box | None = None,
    in_sandbox: bool = False,
    is_lasting: bool = False,
    is_asked: bool = True,
) -> Containment | None:
    """Find what has to be written on a line so that it is contained.

    shell: finds the one that may run all of it. box: what the user says about the box. in_sandbox:
    see `contained`. is_lasting: the agent's later lines run in the same shell. is_asked: somebody
    is there to be asked about what cannot be put in the box.
    """
    if decision.verdict is Verdict.DENY or decision.effects & NEVER:
        return None
    is_offline = box is None or (box.network != "host" and not leads_out(box))
    effects = (policy.in_box_effects(leaf, is_offline) for leaf in decision.leaves())
    is_boxable = not in_sandbox and any(one & answers.box for one in effects)
    has_box = is_boxable and machine.has_box(facts)
    parts = policy.find_contained(decision, answers, has_box=has_box, is_offline=is_offline)
    if parts is None and decision.verdict is not Verdict.ALLOW:
        return None
    try:
        script = parse(command)
    except ParseError:
        return None
    made = Containment(policy.allowed(decision, parts) if parts else decision, facts.project)
    if parts and parts.boxed:
        around = _surroundings(facts, box, command)
        if way := _put_in_box(made, parts, decision, script, facts, around, shell, is_lasting):
            is_free = decision.verdict is Verdict.ALLOW
            if is_asked and (is_free or is_meant_outside(script)):
                return Containment(policy.asked(decision, parts, way), facts.project)
            if not is_free:
                return None
            made = Containment(decision, facts.project)  # what the profile allows without a box
    is_changing = decision.effects & UNDONE and not made.whole
    if is_changing and not _hold(made, parts, decision, script, facts, machine, in_sandbox):
        return None
    return made if made.flags or made.whole or made.kept else None


def leads_out(box: Box) -> bool:
    """Tell whether the box has a network, and a host in it."""
    return box.network == "listed" and bool(box.hosts)


# -- the box ---------------------------------------------------------------------------------------


def _put_in_box(
    made: Containment,
    parts: policy.Contained,
    decision: Decision,
    script: Script,
    facts: Facts,
    around: Surroundings,
    shell: Callable[[], str],
    is_lasting: bool,
) -> str:
    """Put commands in the box, one by one or all of them; else say what is in the way."""
    needed = [leaf.start for leaf in parts.boxed]
    source = script.source.decode("utf-8", "surrogateescape")
    if is_meant_outside(script):
        return "it is meant to run without the box"
    if any(name in source for name in SWITCHES):
        return "the line sets variables of laconic's own"
    if hidden := names_hidden(script, needed, around):
        return f"{hidden} is not there in the box"
    # Code that may fetch is boxed as well; what the network refuses there is said.
    code = {(leaf.start, leaf.end) for leaf in parts.boxed if leaf.kind is Kind.CODE}
    loading = [leaf for leaf in decision.leaves() if leaf.effects & Effect.DOWNLOADS]
    fetching = [leaf.start for leaf in loading if (leaf.start, leaf.end) not in code]
    starts = box_starts(script, needed, around)
    project = "" if stays_inside(script, around) else f"--project {quoted(facts.project)} "
    if starts is not None and not starts & owners(script, fetching):
        made.add(starts, BOX + project)
        made.needed |= starts
        return ""
    if fetching and not asks_own_servers(script, fetching):
        return f"{_text_of(script, fetching)} has to run outside; run it as a command of its own"
    if parts.held:
        held = _text_of(script, [leaf.start for leaf in parts.held])
        return f"laconic undo keeps outside what {held} destroys; run that as a command of its own"
    if hidden := goes_where_hidden(script, around):
        return f"a cd of the line may lead to {hidden}, and the box has a {hidden} of its own"
    begin = after_move(script)
    if changes_its_shell(script, begin, is_lasting=is_lasting):
        return "a part of it changes the shell that runs it; run that as a command of its own"
    made.whole, made.begin, made.named = shell(), begin, project if begin else ""
    return "" if made.whole else "there is no shell for it"


def _text_of(script: Script, offsets: Sequence[int]) -> str:
    """Return the first command at one of these offsets, as it is written."""
    one = next(
        one.command for one in commands(script) if one.command.start in owners(script, offsets)
    )
    return script.source[one.start : one.end].decode("utf-8", "replace")


def _surroundings(facts: Facts, box: Box | None, command: str) -> Surroundings:
    from laconic.box.places import PLACE_VARIABLES  # noqa: PLC0415 - few lines need a box
    from laconic.box.temporary import environments, is_shared, named  # noqa: PLC0415

    def expanded(paths: Sequence[str]) -> list[str]:
        return [facts.real_path(f"{facts.home}/{p[2:]}" if p[:2] == "~/" else p) for p in paths]

    further = expanded(box.write if box else ())
    parts = environments(named([command]))
    shown = [facts.project, facts.home, *further, *expanded(box.read if box else ()), *parts]

    def is_inside(path: str) -> bool:
        return is_within(facts.real_path(path), facts.project)

    def is_reached(path: str) -> bool:
        real = facts.real_path(path)
        return "/.git" in real or any(is_within(real, one) for one in (facts.project, *further))

    def is_hidden(path: str) -> bool:
        return any(is_within(path, one) for one in _HIDDEN) and not is_inside(path)

    def is_absent(path: str) -> bool:
        is_part = any(is_within(path, one) for one in parts)
        return is_hidden(path) and not is_part and not is_shared(path, shown)

    return Surroundings(facts.cwd, PLACE_VARIABLES, is_inside, is_reached, is_hidden, is_absent)


# -- undo ------------------------------------------------------------------------------------------


def _hold(
    made: Containment,
    parts: policy.Contained | None,
    decision: Decision,
    script: Script,
    facts: Facts,
    machine: Abilities,
    in_sandbox: bool,
) -> bool:
    """Have kept what the line destroys; False if it has to be asked about because of that."""
    is_needed = bool(parts and parts.held)
    command = script.source.decode("utf-8", "surrogateescape")
    holding = machine.hold(command, facts)
    if parts and is_needed and not (holding and holding.is_complete and holding.is_exact):
        # What the other commands change is allowed, and nobody has to take it back.
        holding = machine.hold(command, facts, [one.start for one in parts.held])
    if holding is None or (is_needed and not (holding.is_complete and holding.is_exact)):
        return not is_needed
    if not is_needed and not destroys(holding):
        return True
    if in_sandbox:
        made.kept, made.must_be_kept = holding if holding.is_exact else None, is_needed
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
    """Tell whether what is there now is changed or removed; git's own files do not count.

    An empty directory counts if it is named with all that is in it.
    """
    if holding.survey is None:
        return False
    reach = holding.reach
    wholes = {place.path for place in reach.places.values() if place.deep} - reach.around
    return any(
        entry is not None
        and (entry.kind in ("file", "link") or (entry.kind == "dir" and path in wholes))
        and "/.git/" not in f"{path}/"
        for path, entry in holding.survey.before.items()
    )

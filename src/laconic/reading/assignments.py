"""Judges variables that a command line sets, for the shell or for the environment of a program."""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading import environment as variables
from laconic.reading.exports import exports, value_of
from laconic.reading.places import place
from laconic.shell.words import literal
from laconic.types import HARD, Decision, Effect, Kind, Verdict, strictest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.reading.judge import Judge
    from laconic.reading.places import Facts
    from laconic.reading.situation import Situation
    from laconic.shell.ast import Assignment, Command, Script
    from laconic.shell.walk import Occurrence

RUNS_CODE = Effect.PROJECT_CODE | Effect.UNKNOWN | Effect.INSTALLS
# Builtins that no variable of one's own changes.
_HEED_NOTHING = frozenset("cd export echo printf set test [ true : wait kill sleep".split())
# Where interpreters look for code: that of the project is the project's.
_CODE_PATHS = frozenset("PYTHONPATH NODE_PATH RUBYLIB PERL5LIB".split())
# https://www.gnu.org/software/make/manual/make.html#Options_002fRecursion: may hold --eval
_MAKE_OPTIONS = frozenset("MAKEFLAGS GNUMAKEFLAGS MFLAGS MAKEFILES".split())
# Names that say that they are for data, for output, or for what is kept between runs.
_HOLDS_DATA = pattern(
    r"TMP|TEMP|CACHE|OUT|LOG|DATA|DB|STORE|STATE|STORAGE|REPORT|COVER|RESULT|TARGET_DIR|URL|URI"
    r"|INPUT|FIXTURE|SNAPSHOT|DUMP|UPLOAD|SOCKET|(?<!GEM)FILE|DEST|WORK|TEST"
)
# Options of a runtime, of which the harmless ones are listed.
_TAKES_OPTIONS = pattern(
    r"(?:NODE|BUN|DENO)_OPTIONS|_?JAVA_(?:TOOL_)?OPTIONS|\w+_(?:JAVA_)?OPTS"
).fullmatch
_PATHS = pattern(r"(?:^|(?<=[=:,\s]))(?:/|\.\.?(?=/|$|[=:,\s])|~/)[^\s=:,]*")


def assignment_findings(command: Command, judge: Judge, situation: Situation) -> list[Decision]:
    """What the assignments of a simple command do: one decision for each of them."""
    findings = []
    for assignment in command.assignments:
        if command.words:
            finding = _before_program(assignment, command, judge, situation)
        else:
            finding = _in_shell(assignment, judge, situation)
        harmless = f"sets {assignment.name}"
        span = assignment.start, assignment.end
        findings.append(finding or Decision(Verdict.ALLOW, "assignment", harmless, *span))
    return findings


def is_for_code_only(
    finding: Decision, command: Command, facts: Facts, situation: Situation
) -> bool:
    """Tell whether a variable only matters to code that is asked about anyway: `DB=x ./run`.

    Not where it gives make options, or any program a path that leads out of the project, or tells
    a tool what to run or which server to ask.
    """
    name = next((a.name for a in command.assignments if a.start == finding.start), "")
    if finding.effects & HARD or finding.verdict is Verdict.ALLOW:
        return False
    given = [value_of(a, situation.values) for a in command.assignments if a.name == name]
    values = [value for value in given if value is not None]
    return len(values) == len(given) and _is_for_code(name, values, facts, situation)


def heeded_by_code_only(
    script: Script,
    occurrences: list[Occurrence],
    parts: list[Decision],
    facts: Facts,
    situation: Situation,
) -> set[tuple[int, int]]:
    """The places of exports that only matter to such code: `export DB=x && ./run; echo done`.

    parts: what each of the occurrences does.
    """
    fine = set()
    for export in exports(script, situation.values, facts):
        later = [
            (tuple(map(literal, one.command.words[:2])), part)
            for one, part in zip(occurrences, parts, strict=True)
            if one.command.start >= export.start and one.command.words
        ]
        runs_code = [bool(part.effects & RUNS_CODE) for _, part in later]
        if any(runs_code) and all(
            is_code
            or words[0] in _HEED_NOTHING
            or variables.is_harmless(export.name, export.value, words)
            for (words, _), is_code in zip(later, runs_code, strict=True)
        ):
            if not _is_for_code(export.name, [export.value], facts, situation):
                continue
            fine.add((export.assignment.start, export.assignment.end))
    return fine


def _is_for_code(name: str, values: list[str], facts: Facts, situation: Situation) -> bool:
    is_plain = name in _CODE_PATHS or variables.is_private(name, {})
    if not is_plain or name in _MAKE_OPTIONS:
        return False
    from laconic.reading import tool_variables as tools  # noqa: PLC0415 - seldom

    if not tools.is_read_by_tools(name):
        is_data = _HOLDS_DATA.search(name) is not None
        return all(_stays_inside(value, facts, situation, is_data=is_data) for value in values)
    is_data = tools.holds_files_of_tools(name)
    return all(
        tools.is_plain_setting(name, value)
        or (
            (is_data or tools.is_path(value))
            and _stays_inside(value, facts, situation, is_data=is_data)
        )
        for value in values
    )


def _stays_inside(value: str, facts: Facts, situation: Situation, *, is_data: bool) -> bool:
    """Tell whether no path leads out; one to temporary files is for data, and not for code."""
    paths = [path for path in _PATHS.findall(value) if not path.startswith("//")]
    allowed = ("project", "project-root", "sink", *(("temporary",) if is_data else ()))
    return all(
        place(path, cwd, facts) in allowed for path in paths for cwd in situation.directories
    )


def _before_program(
    assignment: Assignment, command: Command, judge: Judge, situation: Situation
) -> Decision | None:
    words = tuple(map(literal, command.words[:2]))
    if words[0] in situation.functions:
        words = ()  # the variable is for whatever the function runs
    value, span = value_of(assignment, situation.values), (assignment.start, assignment.end)
    return environment_finding(assignment.name, value, span, judge, situation, words)


def _in_shell(assignment: Assignment, judge: Judge, situation: Situation) -> Decision | None:
    name, value = assignment.name, value_of(assignment, situation.values)
    is_private = variables.is_private(name, judge.facts.environment, value)
    if is_private or judge.say.is_gate(name, value):
        return None
    span = assignment.start, assignment.end
    reason = f"{name} changes how the shell runs programs"
    return _by_role(name, value, span, reason, judge, situation)


def environment_finding(
    name: str,
    value: str | None,
    span: tuple[int, int],
    judge: Judge,
    situation: Situation,
    words: tuple[str | None, ...] = (),
) -> Decision | None:
    """A variable for the environment of a program: None if it does no harm.

    words: the program and its first argument, as far as they are known.
    """
    if variables.is_harmless(name, value, words) or judge.say.is_gate(name, value):
        return None
    if value is not None and variables.is_tool_home(name):
        from laconic.reading.tool_places import is_tool_place  # noqa: PLC0415 - seldom

        if is_tool_place(value, judge.facts):
            return None
    reason = f"{name} in the environment may change what the program does"
    return _by_role(name, value, span, reason, judge, situation)


def _names_tools(name: str, span: tuple[int, int], judge: Judge, situation: Situation) -> bool:
    """Tell whether it only says where tools are installed, before what was said already."""
    if situation.script is None or not (name == "PATH" or variables.is_tool_home(name)):
        return False
    from laconic.reading.tool_places import names_tools  # noqa: PLC0415 - seldom

    written = situation.script.source[span[0] : span[1]].decode("utf-8", "surrogateescape")
    return names_tools(written, judge.facts)


def _by_role(
    name: str,
    value: str | None,
    span: tuple[int, int],
    reason: str,
    judge: Judge,
    situation: Situation,
) -> Decision | None:
    """A variable that is not harmless, by what its value is to programs."""
    if _names_tools(name, span, judge, situation):
        return None
    from laconic.knowledge.roles import role_of  # noqa: PLC0415 - seldom
    from laconic.reading.given_values import value_findings  # noqa: PLC0415

    role = role_of("variables", name)
    if role is not None and role.spares(value) and (role.name == "SHELL" or _TAKES_OPTIONS(name)):
        return None
    if (
        role is not None
        and role.name == "SERVER"
        and (role.spares(value) or (value is not None and variables.is_on_this_machine(value)))
    ):
        return None
    found = [judge.finding(Effect.UNCLEAR, variables.rule_of(name), reason, span)]
    if value is None and _is_for_code(name, [], judge.facts, situation):
        found[0] = found[0].but(kind=Kind.VALUE)
    if role is not None:
        found += value_findings(role, name, value, span, judge, situation)
    elif value is not None:
        found += judge.hard_of(Argument(value, *span), situation)
    return strictest(found, *span)

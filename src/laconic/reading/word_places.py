"""Where words without a role in a table lead: to code of another place, or to guarded files.

A directory for temporary files is a place for what is built and written, but code that lies there
is not known to be the project's. So a word that leads there is taken for code, unless it is known
to be written, its name says that something is put there, or it is an argument for that code. And
what changes files is taken to change those that its words name.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator, Sequence

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.fetched import is_fetched, is_within_fetched
from laconic.reading.other_shells import SYSTEM
from laconic.reading.places import is_stream, is_within, joined, place
from laconic.types import HARD, Decision, Effect, Kind

# What options and variables are called by which build and test tools are told where to write.
PUTS_THERE = pattern(
    r"-o|O|(?i:[\w.-]*(?:out|log|report|result|dest|dist-?dir|target-dir|te?mp|cover|junit|"
    r"artifact|cache|snapshot|profile).*)|(?:-D\w*)?PREFIX|prefix"
)
# The same for what a person is to find there: not what is kept between runs.
_OUTPUT = pattern(
    r"-o|--?(?i:[\w.-]*(?:out(?:put)?|logs?|reports?|results?|dest|dist|prof|diagnostic)"
    r"(?:[-_]?(?:file|dir|path|directory|folder))?)|--redirect-warnings"
)
_DIRECTORY = pattern(r"-d|-D|--?(?i:[\w-]*dir(?:ectory)?|to|target)")
_INSIDE = pattern(r"(?:^|[:@,\s])((?:/(?!/)|\.\.?/)[^\s:,]*)")
# Options whose value is a command: `-exec x`, `--post-run-command x`.
_RUNS_VALUE = pattern(
    r"--?(?:[\w-]+-)?(?:exec|toolexec|command|cmd|run-under|shell|runner|wrapper)"
)
# Options whose value is code in the language of the program: `elixir -e x`, `pylint --init-hook x`.
_CODE_VALUE = pattern(r"-e|-E|-c|--eval|--exec(?:ute)?|--init-hook|--expr(?:ession)?")
# An address of code; a package as deno, bun and npm write it, which only a runner runs at once:
# https://docs.deno.com/runtime/fundamentals/modules/ https://docs.npmjs.com/cli/commands/npm-exec
_REMOTE = pattern(r"(?!https?://(?:localhost|127\.))(?:[a-z][a-z+]+://|(?:github|data):)")
_PACKAGE = pattern(r"(?:npm|jsr):")
# `owner/name` for those that install from GitHub: https://docs.npmjs.com/cli/configuring-npm/package-json
_ON_GITHUB = pattern(r"[\w-][\w.-]*/[\w.-]+(?:#.*)?")
_KNOW_GITHUB = frozenset("npm pnpm yarn bun".split())
_SAVES = pattern(r"-[DSOEPBgd]|--(?:save[\w-]*|global|dev|exact|peer|optional|no-[\w-]+)")
# Options whose value is a file of code, or says where modules are.
_LOADS_CODE = pattern(r"--(?:import-map|preload|require|import|loader|eval-file)")
_RUN_ADDRESSES = frozenset("deno bun bunx node npx nix tsx uv uvx".split())
# Options whose value is an address of something else: of an index, of a service that is used.
_ELSEWHERE = pattern(
    r"-[if]|--?[\w-]*(?:url|index|registry|proxy|links|host|server|source|endpoint|base|origin)[\w-]*"
)
# What an expression of nix fetches: https://nix.dev/manual/nix/latest/language/builtins
_FETCHES = pattern(r"\b(?:fetch\w+|getFlake)[\s{(\"a-z=]*([a-z+]+:[^\s\";)]+)")
_SHOWN = 80  # letters of an address
_JUDGED = frozenset((Kind.WRITE, Kind.CODE, Kind.STARTS))
_READ_CODE = frozenset("python snippet shells".split())
_TO_OTHERS = HARD | Effect.INSTALLS | Effect.DISCARDS
# Their words are revisions, and files whose state is recorded.
_HISTORIES = frozenset("git hg chg svn jj gh glab".split())
# `go run . ARGS`, `npm run NAME ARGS`, `cargo run -- ARGS`: what follows is for the code.
_RUN = frozenset("run run-script exec".split())
# Whose `run` hands the words on to a program of the project.
_RUN_OWN = frozenset("bun cargo dart deno dotnet flutter go npm pnpm stack swift yarn zig".split())


def foreign_code(call: Call) -> str:
    """The first place outside the project from which code would run; empty if there is none."""
    return next((path for path in _around(call) if not _is_of_project(path, call)), "")


def fetched_code(call: Call) -> str:
    """The first place that the line fetches from which code would run; empty if there is none."""
    situation = call.situation
    if not situation.seen.fetched:
        return ""
    words = (name_and_path(argument.text or "")[1] for argument in _own_arguments(call))
    for path in (*_around(call), *filter(None, words)):
        if any(is_within_fetched(one, situation) for one in _real_paths(path, call)):
            return path
    return ""


def _around(call: Call) -> Iterator[str]:
    if call.code_start == sys.maxsize:  # else a file of code is judged by itself
        yield "."
    yield from _places_of_code(call)


def told_outputs(arguments: Sequence[Argument]) -> Iterator[Argument]:
    """The paths behind options that say by their names that something is put there."""
    before = ""
    for argument in arguments:
        word = argument.text or ""
        name, path = name_and_path(word)
        if path[:1] in ("/", ".") and _OUTPUT.fullmatch(name or before):
            yield Argument(path, argument.start, argument.end)
        before = word if word[:1] == "-" and "=" not in word else ""


def outputs_outside(call: Call) -> list[Argument]:
    """What code of the project is told to write outside of it."""
    if not any("/" in (argument.text or "") for argument in call.arguments):
        return []
    told = told_outputs(_own_arguments(call))
    return [a for a in told if a.start not in call.placed and call.is_outside(a.text or "")]


def guarded_word(call: Call, effects: Effect) -> str:
    """The first word that names a guarded file which the call may write; empty if there is none."""
    is_any = bool(effects & Effect.PROJECT_WRITE) and call.path[0] not in _HISTORIES
    is_any = is_any and call.is_parsed  # else its own code has read the words
    written, before = _written(call), ""
    for argument in (a for a in call.arguments if a.start < call.code_start):
        word = argument.text or ""
        name, path = name_and_path(word)
        is_named = PUTS_THERE.fullmatch(name or before) or _DIRECTORY.fullmatch(name or before)
        is_new = argument.start not in (written if is_named else call.placed)
        may_write = is_named or (is_any and (word[:1] != "-" or bool(name)))
        if may_write and is_new and path and _is_guarded(path, call):
            return path
        before = word if word[:1] == "-" and "=" not in word else ""
    return ""


def _written(call: Call) -> set[int]:
    """Where the arguments start that are judged already, as what is written or as code."""
    return {finding.start for finding in call.findings if finding.kind in _JUDGED}


def _is_guarded(path: str, call: Call) -> bool:
    facts = call.judge.facts
    return any(place(path, cwd, facts) == "sensitive" for cwd in call.situation.directories)


def reads_code(call: Call) -> bool:
    """Tell whether a word says that the code comes from standard input: `make -f -`."""
    is_judged = any(finding.kind is Kind.INPUT for finding in call.findings)
    return not is_judged and any(
        name_and_path(a.text or "")[1] == "-" for a in _own_arguments(call)
    )


def _is_of_project(path: str, call: Call) -> bool:
    facts = call.judge.facts
    if is_stream(path) or posixpath.normpath(path) == "/dev/null":
        return True  # judged elsewhere
    real = _real_paths(path, call)
    if call.situation.seen.fetched and any(is_fetched(one, call.situation) for one in real):
        return False
    return all(is_within(one, facts.project) for one in real)


def _real_paths(path: str, call: Call) -> list[str]:
    where = call.situation.directories
    return [end for cwd in where for end in call.judge.facts.ends(joined(cwd, path))]


def _places_of_code(call: Call) -> Iterator[str]:
    written, before = _written(call), ""
    for argument in _own_arguments(call):
        word = argument.text or ""
        name, path = name_and_path(word)
        is_path = path[:1] in ("/", ".") and argument.start not in written
        if is_path and not PUTS_THERE.fullmatch(name or before):
            yield path
        before = word if word[:1] == "-" and "=" not in word else ""


def _own_arguments(call: Call) -> list[Argument]:
    """Those of the program itself, with the values of options before its subcommand."""
    early = [o.value for _, parsed in call.match.before for o in parsed.options]
    early += [argument for _, parsed in call.match.before for argument, _ in parsed.problems]
    own = [a for a in call.arguments if a.start < _end(call)]
    parsed = call.parsed
    if call.path[-1] in _RUN:
        end = next((pos for pos, a in enumerate(own) if a.text == "--"), len(own))
        own = own[:end]
        if parsed.operands and not parsed.problems:
            own = [a for a in own if a.start <= parsed.operands[0].start]
    return [*filter(None, early), *own]


def _end(call: Call) -> int:
    """Where the arguments of the code begin; its file may be the value of an unknown option.

    A known program behind a wrapper reads its own.
    """
    parsed = call.parsed
    if parsed.operands and call.entry.operands == ("COMMAND",):
        inner = parsed.operands[0]
        if inner.text is not None and call.judge.library.knows(inner.text.rpartition("/")[2]):
            return min(inner.start, call.code_start)
    is_certain = not parsed.problems
    return call.code_start if is_certain else call.code_start + 1


def name_and_path(word: str) -> tuple[str, str]:
    """`--out=/x`, `-r/x`, `-agent:/x` and `html:/x` as a name and a path; either may be empty."""
    name, equals, value = word.rpartition("=")
    value = value.strip("\"'")
    if not equals and word[:1] == "-" and word[2:3] in tuple("/.-~") and word[1:2] != "-":
        return word[:2], word[2:]
    if value[:1] not in ("/", ".") and (inside := _INSIDE.search(value)):
        return name or value[: inside.start()], inside[1]
    return name, value


def follow_addresses(call: Call) -> None:
    """Addresses and packages that a program is told to install, or to run as code."""
    is_run = bool(call.effects & Effect.PROJECT_CODE) and not call.match.effect & Effect.INSTALLS
    is_first, before = True, ""
    own = {word.start for word in _own_arguments(call)} if is_run else set()
    for word in call.arguments:
        if is_run and word.start not in own:
            return  # the rest is for the code that runs
        text = word.text or ""
        name, equals, value = text.partition("=")
        if equals and _LOADS_CODE.fullmatch(name) and _REMOTE.match(value):
            text, before = value, name
        is_remote = _REMOTE.match(text.partition(" @ ")[2] or text) is not None or (
            call.path[0] in _KNOW_GITHUB
            and bool(call.match.effect & Effect.INSTALLS)
            and _ON_GITHUB.fullmatch(text) is not None
            and (before[:1] != "-" or _SAVES.fullmatch(before) is not None)
        )
        if is_remote or (is_run and _PACKAGE.match(text)):
            is_code = is_first and call.path[0] in _RUN_ADDRESSES
            is_code = is_code or _LOADS_CODE.fullmatch(before) is not None
            is_own = (is_code or not is_run) and not _ELSEWHERE.fullmatch(before)
            effects = Effect.INSTALLS | (Effect.RUNS_FETCHED if is_own else Effect.INSTALLS)
            is_elsewhere = before[:2] == "--" and _ELSEWHERE.fullmatch(before) is not None
            if is_own or (is_run and not is_elsewhere):
                call.does(effects, "fetched", f"fetches code from {text[:_SHOWN]}", word)
                call.findings.insert(0, call.findings.pop())  # the reason that is given first
        elif call.path[0].startswith("nix") and (found := _FETCHES.search(text)):
            why = f"fetches code from {found[1][:_SHOWN]}"
            call.does(Effect.INSTALLS | Effect.RUNS_FETCHED, "fetched", why, word)
        # a word behind an option may be its value
        is_first = is_first and (text.startswith("-") or before.startswith("-"))
        before = text


def command_findings(call: Call) -> list[Decision]:
    """What a command does to others that a program of the project is told to run.

    As the words after `run`, `exec` or `--`, or as the value of an option that says so.
    """
    judge, situation = call.judge, call.situation
    known = [words for words in _commands(call) if judge.library.knows(words[0].text or "")]
    if call.path[0] in _RUN_OWN and "exec" not in call.path:  # `cargo run -- format`, `go run . x`
        names = [words[0].text or "" for words in known]
        pairs = zip(known, names, strict=True)
        known = [w for w, name in pairs if name != "." and not judge.is_always_denied(name)]
    found = [judge.command(words, call.span, situation) for words in known]
    shells = situation.shells | {SYSTEM}
    found += [judge.nested(code, shells, situation) for code in _values(call, _RUNS_VALUE)]
    return [leaf for one in found for leaf in one.leaves() if leaf.effects & _TO_OTHERS]


def follow_code(call: Call) -> None:
    """Judge what code in an argument visibly does, of a program that has no reader of its own."""
    if call.entry.code in _READ_CODE:
        return
    for code in _values(call, _CODE_VALUE):
        from laconic.reading.commands.snippet_effects import follow_visible  # noqa: PLC0415 - seldom

        follow_visible(call, code.text or "", code)


def _values(call: Call, names: re.Pattern[str]) -> Iterator[Argument]:
    """The values of options with such names, of those before the code that runs."""
    before = ""
    for argument in (a for a in call.arguments if a.start < _end(call)):
        name, equals, value = (argument.text or "").partition("=")
        if equals and names.fullmatch(name):
            yield Argument(value, argument.start, argument.end)
        elif names.fullmatch(before) and argument.text:
            yield argument
        before = argument.text or ""


def _commands(call: Call) -> Iterator[list[Argument]]:
    words = [a.text for a in call.arguments]
    starts = [pos + 1 for pos, word in enumerate(words) if word in _RUN or word == "--"]
    if call.path[-1] in _RUN:
        starts.append(0)
    for start in starts:
        rest = call.arguments[start:]
        while rest and rest[0].leading.startswith("-"):
            rest = rest[1:]
        if rest:
            yield rest

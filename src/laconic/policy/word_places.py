"""Where words lead that a table gives no role to: to code of another place, or to guarded files.

A directory for temporary files is a place for what is built and written, but code that lies there
is not known to be the project's. So a word that leads there is taken for code, unless it is known
to be written, its name says that something is put there, or it is an argument for that code. And
what changes files is taken to change those that its words name.
"""

from __future__ import annotations

import posixpath

from laconic.patterns import pattern
from laconic.policy.places import is_stream, is_within, place
from laconic.types import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.knowledge.arguments import Argument
    from laconic.policy.call import Call

# What options and variables are called by which build and test tools are told where to write.
_PUTS_THERE = pattern(
    r"-o|O|(?i:[\w.-]*(?:out|log|report|result|dest|dist-?dir|target-dir|te?mp|cover|junit|"
    r"artifact|cache|snapshot|profile).*|--?prefix|prefix)"
)
_DIRECTORY = pattern(r"-d|-D|--?(?i:[\w-]*dir(?:ectory)?|to|target)")
# Their words are revisions, and files whose state is recorded.
_HISTORIES = frozenset("git hg chg svn jj gh glab".split())
# `go run . ARGS`, `npm run NAME ARGS`, `cargo run -- ARGS`: what follows is for the code.
_RUN = frozenset("run run-script exec".split())


def foreign_code(call: Call) -> str:
    """The first place outside the project from which code would run; empty if there is none."""
    for path in (".", *_places_of_code(call)):
        if not _is_of_project(path, call):
            return path
    return ""


def guarded_word(call: Call, effects: Effect) -> str:
    """The first word that names a guarded file which the call may write; empty if there is none."""
    is_any = bool(effects & Effect.PROJECT_WRITE) and call.path[0] not in _HISTORIES
    is_any = is_any and call.parsed is not None  # else its own code has read the words
    written, before = _written(call), ""
    for argument in (a for a in call.arguments if a.start < call.code_start):
        word = argument.text or ""
        name, path = _name_and_path(word)
        is_named = _PUTS_THERE.fullmatch(name or before) or _DIRECTORY.fullmatch(name or before)
        is_new = argument.start not in (written if is_named else call.placed)
        may_write = is_named or (is_any and (word[:1] != "-" or bool(name)))
        if may_write and is_new and path and _is_guarded(path, call):
            return path
        before = word if word[:1] == "-" and "=" not in word else ""
    return ""


def _written(call: Call) -> set[int]:
    """Where the arguments start that are judged as written already."""
    return {finding.start for finding in call.findings if finding.rule.endswith("/write")}


def _is_guarded(path: str, call: Call) -> bool:
    facts = call.judge.facts
    return any(place(path, cwd, facts) == "sensitive" for cwd in call.situation.directories)


def reads_code(call: Call) -> bool:
    """Tell whether a word says that the code comes from standard input: `make -f -`."""
    is_judged = any(finding.rule.endswith("/input") for finding in call.findings)
    return not is_judged and any(
        _name_and_path(a.text or "")[1] == "-" for a in _own_arguments(call)
    )


def _is_of_project(path: str, call: Call) -> bool:
    facts = call.judge.facts
    if is_stream(path) or posixpath.normpath(path) == "/dev/null":
        return True  # judged elsewhere
    paths = [posixpath.normpath(posixpath.join(cwd, path)) for cwd in call.situation.directories]
    return all(is_within(facts.real_path(one), facts.project) for one in paths)


def _places_of_code(call: Call) -> Iterator[str]:
    written, before = _written(call), ""
    for argument in _own_arguments(call):
        word = argument.text or ""
        name, path = _name_and_path(word)
        is_path = path[:1] in ("/", ".") and argument.start not in written
        if is_path and not _PUTS_THERE.fullmatch(name or before):
            yield path
        before = word if word[:1] == "-" and "=" not in word else ""


def _own_arguments(call: Call) -> list[Argument]:
    """Those of the program itself, with the values of options before its subcommand."""
    early = [o.value for _, parsed in call.match.before for o in parsed.options]
    own = [a for a in call.arguments if a.start < call.code_start]
    parsed = call.parsed
    if call.path[-1] in _RUN:
        end = next((pos for pos, a in enumerate(own) if a.text == "--"), len(own))
        own = own[:end]
        if parsed is not None and parsed.operands and not parsed.problems:
            own = [a for a in own if a.start <= parsed.operands[0].start]
    return [*filter(None, early), *own]


def _name_and_path(word: str) -> tuple[str, str]:
    """`--out=/x`, `-r/x` and `O=/x` as a name and a path; a path alone has no name."""
    name, equals, value = word.rpartition("=")
    value = value.strip("\"'")
    if not equals and word[:1] == "-" and word[2:3] in tuple("/.-") and word[1:2] != "-":
        return word[:2], word[2:]
    return name, value

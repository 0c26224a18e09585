"""Whether a program that runs the project's code would run other code, by its directory or a word.

A directory for temporary files is a place for what is built and written, but code that lies there
is not known to be the project's. So a word that leads there is taken for code, unless it is known
to be written, its name says that something is put there, or it is an argument for that code.
"""

from __future__ import annotations

import posixpath

from laconic.patterns import pattern
from laconic.policy.places import is_stream, is_within

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
# `go run . ARGS`, `npm run NAME ARGS`, `cargo run -- ARGS`: what follows is for the code.
_RUN = frozenset("run run-script exec".split())


def foreign_code(call: Call) -> str:
    """The first place outside the project from which code would run; empty if there is none."""
    for path in (".", *_places_of_code(call)):
        if not _is_of_project(path, call):
            return path
    return ""


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
    written = {f.start for f in call.findings if f.rule.endswith("/write")}
    before = ""
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

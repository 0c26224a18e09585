"""patch, git apply and git am: the paths that a patch names are what is written.

Unsafe: those paths, wherever the text of the patch can be read: in the line itself, or in a file
that is there; text that comes from somewhere else; files for rejects and backups; ed scripts.
https://www.gnu.org/software/diffutils/manual/html_node/Multiple-Patches.html
https://git-scm.com/docs/git-apply, https://git-scm.com/docs/diff-format
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.places import joined
from laconic.types import Effect, Kind

# With these it changes nothing, or goes on with what was begun.
_ONLY_LOOKS = {
    "patch": ("--dry-run", "-C", "--check", "-v", "--version", "--help"),
    "apply": ("--check", "--stat", "--numstat", "--summary"),
    "am": ("--abort", "--quit", "--skip", "--continue", "-r", "--resolved", "--show-current-patch"),
}
_APPLIES = ("--apply", "--index", "--reject")
_HEADER = pattern(
    r"(?m)^[ \t>X-]*?(?:(?:---|\+\+\+|\*\*\*|Index:|rename to|rename from|copy to)[ \t]+(.+)"
    r"|diff --git (.+))$"
)
_QUOTED = pattern(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = pattern(r"\\([0-7]{1,3}|.)")
_PAIR = pattern(r"(\S+) (\S+)|(.+) (b/.+)")
_ED = pattern(r"(?m)^\d+(?:,\d+)?[acd]$")
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_MOST_PATHS = 200
# What these print names files that git has, and no others.
_PRINT_OWN = frozenset(("git diff", "git format-patch", "git stash"))


def judge(call: Call) -> None:
    parsed, program = call.parsed, call.path[-1]
    if parsed.has(*_ONLY_LOOKS[program]) and not parsed.has(*_APPLIES):
        return
    files: list[Argument | None] = [*parsed.operands]
    if program == "patch":
        for target in parsed.operands[:1]:
            call.writes(target)
        files = [*parsed.values("-i", "--input"), *parsed.operands[1:2]]
    for file in files or [None]:
        _judge_patch(call, file if file is not None and file.text != "-" else None)


def _judge_patch(call: Call, file: Argument | None) -> None:
    """Judge what one patch would write; file: None for standard input."""
    situation = call.situation
    text = situation.input_text if file is None else None
    file = situation.input_file if file is None else file
    if file is not None:
        paths = [joined(cwd, file.text or "") for cwd in situation.directories]
        found = [_text_of(call, path) for path in paths]
        text = next((one for one in found if one is not None), None)
        is_lost = any(_is_lost(call, path, text) for path in paths)
    else:
        is_fed = text is None and situation.is_fed()
        is_lost = is_fed and not (situation.fed_by() and _PRINT_OWN.issuperset(situation.fed_by()))
    if text is not None:
        _judge_text(call, text)
    if is_lost:
        call.does(
            Effect.UNCLEAR, Kind.INPUT, "changes the files that a patch names, which is not read"
        )


def _text_of(call: Call, path: str) -> str | None:
    """The text of a file, if the line itself writes it or it is there and small."""
    facts, seen = call.judge.facts, call.situation.seen
    real = facts.real_path(path)
    if real in seen.texts:
        return seen.texts[real]
    seen.ran.add(real)  # what the same line fetches is not applied unseen
    return None if real in seen.unread else facts.text(real)


def _is_lost(call: Call, path: str, text: str | None) -> bool:
    """Tell whether nobody has read the patch that is or will be there; text: what is known."""
    facts = call.judge.facts
    program = call.situation.seen.unread.get(facts.real_path(path))
    if program is not None:
        return program not in _PRINT_OWN
    return text is None and facts.exists(path)


def _judge_text(call: Call, text: str) -> None:
    names = list(dict.fromkeys(_names(text)))
    is_patch = call.path[-1] == "patch"
    if is_patch and (_ED.search(text) or (call.parsed.has("-e"))):
        call.does(Effect.UNCLEAR, Kind.SCRIPT, "may run an editor on what it reads")
    has_target = is_patch and bool(call.parsed.operands)
    if (not names and not has_target) or len(names) > _MOST_PATHS:
        call.does(
            Effect.UNCLEAR, Kind.INPUT, "changes files that laconic does not find in the patch"
        )
    start, end = call.span
    paths = {path for name in names for path in _stripped(call, name)}
    for path in sorted(paths)[:_MOST_PATHS]:
        is_known = "\N{REPLACEMENT CHARACTER}" not in path  # else it stands for bytes of no text
        call.writes(Argument(path if is_known else None, start, end))


def _names(text: str) -> Iterator[str]:
    for match in _HEADER.finditer(text):
        if match[1] is not None:
            yield from _one_name(match[1])
        elif '"' in match[2]:
            yield from map(_unescaped, _QUOTED.findall(match[2]))
            yield from _QUOTED.sub("", match[2]).split()
        elif pair := _PAIR.fullmatch(match[2]):
            yield from filter(None, pair.groups())


def _one_name(rest: str) -> Iterator[str]:
    """The name before a time: with a tab between them, or as an old diff has it, with a blank."""
    quoted = _QUOTED.match(rest)
    name = _unescaped(quoted[1]) if quoted else rest.rstrip("\r").partition("\t")[0]
    if name == "/dev/null" or re.fullmatch(r"[\d,]+ (?:-{4}|\*{4})", name):
        return  # nothing, or the head of a hunk in a context diff
    yield name.strip()
    if " " in name.strip():
        yield name.split()[0]


def _unescaped(text: str) -> str:
    def byte(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code, 8) & 255) if code.isdigit() else _NAMED.get(code, code)

    return _ESCAPE.sub(byte, text).encode("latin-1", "replace").decode("utf-8", "surrogateescape")


def _stripped(call: Call, name: str) -> Iterator[str]:
    """The paths that a name in a patch may stand for: with -p as many parts of it less."""
    parsed = call.parsed
    is_patch = call.path[-1] == "patch"
    given = parsed.values("-p", "--strip")
    counts = [int(v.text) for v in given if v.text is not None and v.text.isdigit()]
    parts = re.split("/+", name)
    if len(counts) < len(given) or (is_patch and not given):
        wanted = list(range(len(parts)))  # any of them: patch takes what it finds
    else:
        wanted = [counts[-1] if counts else 1]
    below = [v.text or "" for v in parsed.values("--directory", "-d")]
    for count in wanted:
        path = "/".join(parts[count:]) if count < len(parts) else parts[-1]
        yield posixpath.join(*below, path) if below else path

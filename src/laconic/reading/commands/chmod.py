"""chmod: a mode, and the files that get it.

Unsafe: the bits that lend a program the rights of its owner or group (setuid, setgid); a mode that
is not known; files outside the project.
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.types import Effect, Kind

# https://www.gnu.org/software/coreutils/manual/html_node/Symbolic-Modes.html
_PLAIN = pattern(r"0?[0-7]{1,3}|(?:[ugoa]*[-+=](?:[rwxX]*|[ugo]),?)+")


def judge(call: Call) -> None:
    words = [a for a in call.arguments if not _is_option(a.leading)]
    reference = call.parsed.has("--reference")
    mode, files = (None, words) if reference else (words[0] if words else None, words[1:])
    if not reference and (mode is None or not _PLAIN.fullmatch(mode.text or "")):
        call.does(Effect.SYSTEM, Kind.MODE, "sets a mode that lends rights, or is not known", mode)
    for file in files:
        call.changes_metadata(file)
    if not files:
        call.does(Effect.PROJECT_WRITE, "", "changes who may do what with files")


def _is_option(word: str) -> bool:
    """`-R` is an option, and `-x` a mode."""
    return word.startswith("--") or (word[:1] == "-" and not set(word[1:]) <= set("rwxXst"))

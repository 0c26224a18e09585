"""The one line that says what is hidden and how to see it; it is counted in the savings."""

from __future__ import annotations

from functools import lru_cache

from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.lines import Lines
    from laconic.compact.result import Compacted

MARK = "[laconic: "
_SAMPLE_ID = "k3f9ab"
LARGE = 32_000  # characters: about as much as is recalled at once
PICKING = "add --grep RE or --lines A:B"
_NOTICE = pattern(
    r"\n\[\d[^\]\n]*(?:hidden|condensed|shortened|regrouped|masked)[^\]\n]*: [^\]\n]+ recall \w+\]"
)


def notice(
    compacted: Compacted, identifier: str = _SAMPLE_ID, program: str = "laconic", secrets: int = 0
) -> str:
    """The notice, such as `[412/430 lines hidden: laconic recall k3f9ab]`; "" if all is shown.

    program: what the reader can type to start us. secrets: how many were hidden in the lines.
    Without an identifier it names no way to see them.
    """
    parts = [compacted.again] if compacted.again else []
    total = len(compacted.lines)
    if compacted.hidden == total and not compacted.again:  # and yet there is something to read
        parts.append(f"{total} lines condensed to {len(compacted.shown)}")
    elif compacted.hidden:
        parts.append(f"{compacted.hidden}/{total} lines hidden")
    elif compacted.regrouped:
        parts.append(f"{compacted.regrouped} lines regrouped")
    if compacted.shortened:
        parts.append(f"{compacted.shortened} shortened")
    if secrets:
        parts.append(masked(secrets))
    if compacted.hidden and compacted.lines.size > LARGE and identifier:
        parts.append(PICKING)
    line = [said(", ".join(parts), program, identifier)] if parts else []
    return "\n".join([*compacted.gone, *line])


def said(what: str, program: str, identifier: str) -> str:
    """The line that says what is not shown, and what shows it."""
    return f"[{what}: {program} recall {identifier}]" if identifier else f"[{what}]"


def masked(count: int) -> str:
    """How many secrets were hidden in lines that are shown."""
    return f"{count} secret{'s' if count > 1 else ''} masked"


@lru_cache(maxsize=256)
def gap(count: int, pinned: int = 0, *, is_exact: bool = True) -> str:
    """The mark where neighbouring lines were cut; pinned: how many of them say what is wrong."""
    number = f"{pinned}" if is_exact else f"{pinned} or more"
    which = f", {number} of them with errors, failures or places" if pinned else ""
    return f"[... {count} line{'s' if count > 1 else ''} hidden{which}]"


def so_far(line: str) -> str:
    """The mark for a command that still runs, with the last line that it has written."""
    return f"[... still running, the last line so far: {line}]"


def has_notice(lines: Lines) -> bool:
    """Tell whether an output was compacted before: then it stays as it is."""
    return any(
        f"\n{MARK}" in chunk or (" recall " in chunk and _NOTICE.search(chunk) is not None)
        for chunk in lines.chunks
        if "[" in chunk  # one character is found much faster
    )

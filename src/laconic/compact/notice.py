"""The one line that says what is hidden and how to see it; it is counted in the savings."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.lines import Lines
    from laconic.compact.result import Compacted

MARK = "[laconic: "
_SAMPLE_ID = "k3f9ab"


def notice(
    compacted: Compacted, identifier: str = _SAMPLE_ID, program: str = "laconic", secrets: int = 0
) -> str:
    """`[laconic: 412 of 430 lines hidden, see them: laconic recall k3f9ab]`, or nothing.

    program: what the reader can type to start us. secrets: how many were hidden in the lines.
    Without an identifier it names no way to see them.
    """
    parts = []
    if compacted.hidden:
        parts.append(f"{compacted.hidden} of {len(compacted.lines)} lines hidden")
    if compacted.shortened:
        parts.append(f"{compacted.shortened} shortened")
    if secrets:
        parts.append(masked(secrets))
    where = f", see them: {program} recall {identifier}" if identifier else ""
    return f"{MARK}{', '.join(parts)}{where}]" if parts else ""


def masked(count: int) -> str:
    """How many secrets were hidden in lines that are shown."""
    return f"{count} secret{'s' if count > 1 else ''} masked"


def gap(count: int, pinned: int = 0, *, is_exact: bool = True) -> str:
    """The mark where neighbouring lines were cut; pinned: how many of them say what is wrong."""
    number = f"{pinned}" if is_exact else f"{pinned} or more"
    which = f", {number} of them with errors, failures or places" if pinned else ""
    return f"[... {count} line{'s' if count > 1 else ''} hidden{which}]"


def has_notice(lines: Lines) -> bool:
    """Tell whether an output was compacted before: then it stays as it is."""
    return any(f"\n{MARK}" in chunk for chunk in lines.chunks)

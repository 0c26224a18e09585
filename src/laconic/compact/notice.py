"""The one line that says what is hidden and how to see it; it is counted in the savings."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Compacted

MARK = "[laconic: "
_SAMPLE_ID = "k3f9ab"


def notice(compacted: Compacted, identifier: str = _SAMPLE_ID) -> str:
    """`[laconic: 412 of 430 lines hidden, see them: laconic recall k3f9ab]`, or nothing."""
    parts = []
    if compacted.hidden:
        parts.append(f"{compacted.hidden} of {len(compacted.lines)} lines hidden")
    if compacted.shortened:
        parts.append(f"{compacted.shortened} shortened")
    if not parts:
        return ""
    return f"{MARK}{', '.join(parts)}, see them: laconic recall {identifier}]"


def gap(count: int) -> str:
    """The mark where neighbouring lines were cut."""
    return f"[... {count} line{'s' if count > 1 else ''} hidden]"


def has_notice(text: str) -> bool:
    """Tell whether an output was compacted before: then it stays as it is."""
    return text.startswith(MARK) or f"\n{MARK}" in text

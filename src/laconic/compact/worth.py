"""Whether a result is worth being shown in place of the output."""

from __future__ import annotations

from laconic.compact.notice import notice
from laconic.compact.tokens import estimate, estimate_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.lines import Lines
    from laconic.compact.result import Compacted

# A result with its notice must cost this share of the raw output at most, and so many tokens less.
_WORTH, _FEWEST_TOKENS = 0.9, 20


def is_blank(lines: Lines) -> bool:
    return not any(map(str.strip, lines.chunks))


def is_cheaper(compacted: Compacted) -> bool:
    """Compare with raw, the notice included; the numbers stay in the result."""
    compacted.tokens_raw = estimate_lines(compacted.lines)
    compacted.tokens = estimate(compacted.text() + notice(compacted))
    most = min(compacted.tokens_raw * _WORTH, compacted.tokens_raw - _FEWEST_TOKENS)
    return compacted.tokens <= most

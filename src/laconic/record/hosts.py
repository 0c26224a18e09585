"""How much of a command's output each agent would have read without laconic.

Output beyond the limit at which the agent itself truncates was not saved by laconic, so no count of
tokens goes beyond it. This is a Python table because it is read on every run.
"""

from __future__ import annotations

# agent: characters of one command's output that reach the model, and the source of that number
LIMITS: dict[str, tuple[int, str]] = {
    "claude-code": (30_000, "documentation: `BASH_MAX_OUTPUT_LENGTH`, default of the Bash tool"),
    "codex": (10_240, "source: `MODEL_FORMAT_MAX_BYTES` in codex-rs/core/src/truncate.rs"),
    "gemini": (40_000, "source: `DEFAULT_TRUNCATE_TOOL_OUTPUT_THRESHOLD` of gemini-cli"),
    "qwen": (25_000, "source: `DEFAULT_TRUNCATE_TOOL_OUTPUT_THRESHOLD` of qwen-code"),
    "crush": (30_000, "source: `MaxOutputLength` in internal/agent/tools/bash.go"),
}
DEFAULT_LIMIT = 30_000


def limit_of(agent: str) -> int:
    """Return the limit of an agent in characters; for an unknown agent, that of Claude Code."""
    return LIMITS[agent][0] if agent in LIMITS else DEFAULT_LIMIT


def capped(tokens: int, raw_tokens: int, raw_chars: int, limit: int) -> int:
    """Return how many of `tokens` the agent reads of an output with these tokens and characters."""
    if raw_chars <= limit:
        return tokens
    return min(tokens, raw_tokens * limit // raw_chars)

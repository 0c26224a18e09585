"""Compact output: raw lines to what an agent must read of them, and nothing lost on the way."""

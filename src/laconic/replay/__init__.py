"""Replays past sessions: what laconic would have said and shown, and which rules would help."""

"""Past sessions once more: what laconic would have said and shown, and which rules would help."""

"""A secret that stands for all others: where it turns up, a real one would have."""

from __future__ import annotations

import base64

CANARY = "canary7f3a9c51e2d84b60"


def _spellings() -> tuple[bytes, ...]:
    """As it is, backwards, in hexadecimal, and in base64 from each of its three positions."""
    plain = CANARY.encode()
    encoded = []
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + plain)
        encoded.append(text[shift + 1 : len(text) - 4])
    return plain, plain[::-1], plain.hex().encode(), *encoded


_SPELLINGS = _spellings()


def is_in(data: bytes) -> bool:
    """Tell whether data gives the secret away, whole or in an encoding that one command makes."""
    return any(spelling in data for spelling in _SPELLINGS)

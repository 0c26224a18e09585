"""Writes the page: one HTML file that needs no other, and lets nothing but its own script run.

The data is JSON inside the page. The script makes text nodes of it and never markup, the JSON
has no `<`, and the policy of the page (https://www.w3.org/TR/CSP3/) forbids every other script,
every style, every address and, in browsers that know Trusted Types, markup made from text.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from laconic.patterns import pattern

_DATA = Path(__file__).parent / "data"
_PLACE = pattern(r"@([a-z]+)@")
# In a script element only `<` could end it, or hide its end; JSON has `<` only in texts.
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def page(data: dict[str, Any], *, is_live: bool = False) -> str:
    """Return the page. is_live: it asks for newer data, from where it came from."""
    parts = {
        "policy": policy(is_live=is_live),
        "live": " data-live" if is_live else "",
        "style": _read("page.css"),
        "script": _read("page.js"),
        "data": embedded(data),
    }
    return _PLACE.sub(lambda found: parts[found[1]], _read("page.html"))


def policy(*, is_live: bool = False) -> str:
    """Return the Content-Security-Policy: our own style and script, by their hashes."""
    directives = [
        "default-src 'none'",
        f"script-src '{_hash('page.js')}'",
        f"style-src '{_hash('page.css')}'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
    return "; ".join([*directives, "connect-src 'self'"] if is_live else directives)


def embedded(data: dict[str, Any]) -> str:
    """Return JSON in ASCII that can be put into a script element."""
    text = json.dumps(data, separators=(",", ":"))
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return text


@cache
def _read(name: str) -> str:
    return (_DATA / name).read_text(encoding="utf-8")


def _hash(name: str) -> str:
    digest = hashlib.sha256(_read(name).encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"

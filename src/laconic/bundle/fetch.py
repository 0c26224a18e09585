"""Fetches the files of a bundle: from a directory, a file:// or an https:// address."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from laconic import __version__
from laconic.bundle.manifest import MANIFEST, POLICY, SIGNATURES
from laconic.errors import LaconicError
from laconic.files import read_file
from laconic.settings.managed import LIMIT

_LIMIT_S = 30


class Bundle(NamedTuple):
    """The bytes of its three files, as they were fetched."""

    policy: bytes
    manifest: bytes
    signatures: bytes


def fetch(source: str) -> Bundle:
    """Return the files there; LaconicError if they cannot be had."""
    if source.startswith("https://"):
        return _all(lambda name: _download(f"{source.rstrip('/')}/{name}"))
    scheme, sign, rest = source.partition("://")
    if sign and scheme != "file":
        message = f"{source}: policies are fetched by https, from a file:// address or a directory"
        raise LaconicError(message, "laconic policy pull https://…")
    directory = Path(rest if sign else source)
    return _all(lambda name: read_file(directory / name, LIMIT))


def _all(get: Callable[[str], bytes]) -> Bundle:
    return Bundle(get(POLICY), get(MANIFEST), get(SIGNATURES))


def _download(address: str) -> bytes:
    import urllib.error  # noqa: PLC0415 - slow to load
    import urllib.request  # noqa: PLC0415

    class Stay(urllib.request.HTTPRedirectHandler):
        """Follow no address that is not https."""

        def redirect_request(self, *given: Any, **named: Any) -> urllib.request.Request | None:
            made = super().redirect_request(*given, **named)
            if made is not None and not made.full_url.startswith("https://"):
                raise LaconicError(f"{address}: leads to {made.full_url}, which is not https")
            return made

    headers = {"User-Agent": f"laconic/{__version__}"}
    request = urllib.request.Request(address, headers=headers)  # noqa: S310 - https alone comes here
    try:
        with urllib.request.build_opener(Stay).open(request, timeout=_LIMIT_S) as answer:
            data: bytes = answer.read(LIMIT + 1)
    except (OSError, ValueError) as error:  # URLError is an OSError
        reason = getattr(error, "reason", None) or error
        raise LaconicError(
            f"{address}: {reason}", "try again later; what is in force stays"
        ) from error
    if len(data) > LIMIT:
        raise LaconicError(f"{address}: is larger than {LIMIT >> 10} KB")
    return data

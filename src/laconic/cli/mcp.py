"""laconic mcp: serve a guarded shell over stdio, for clients that speak MCP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from laconic.errors import LaconicError
from laconic.hooks.catalogues import named_catalogues
from laconic.library.gate import Gate
from laconic.settings.load import current_directory, read_settings

if TYPE_CHECKING:
    import argparse


def add_arguments(_: argparse.ArgumentParser) -> None:
    """There are none: the configuration says all."""


def main(_: argparse.Namespace) -> int:
    try:
        from laconic.adapters.mcp import server  # noqa: PLC0415 - the package may be missing
    except ModuleNotFoundError as error:
        hint = "pip install 'laconic[mcp]'"
        missing = (error.name or "mcp").partition(".")[0]
        raise LaconicError(f"the Python package {missing} is not installed", hint) from error
    settings = read_settings()
    catalogues = named_catalogues(settings, str(current_directory() or "/"))
    stacks = [catalogue.stack for catalogue in catalogues if catalogue.stack]
    server(Gate(settings=settings, registry=catalogues, stacks=stacks)).run("stdio")
    return 0

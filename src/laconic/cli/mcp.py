"""laconic mcp: serve a guarded shell over stdio, for clients that speak MCP."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from typing import Any

from laconic.errors import LaconicError
from laconic.hooks.catalogues import named_catalogues
from laconic.library.gate import Gate
from laconic.settings.load import current_directory, read_settings


def add_arguments(_: argparse.ArgumentParser) -> None:
    """There are none: the configuration says all."""


def main(_: argparse.Namespace) -> int:
    server = _server()
    settings = read_settings()
    catalogues = named_catalogues(settings, str(current_directory() or "/"))
    stacks = [catalogue.stack for catalogue in catalogues if catalogue.stack]
    general = settings.config.settings
    is_boxed = general.box and general.gate == "enforce"
    server(Gate(settings=settings, registry=catalogues, stacks=stacks, box=is_boxed)).run("stdio")
    if sys.stdout and sys.stdout.closed:  # by version 1 of mcp, when its client is gone
        sys.stdout = None
    return 0


def _server() -> Any:
    """The server for the version of mcp that is here: 1 has no module mcp.server.mcpserver."""
    try:
        if find_spec("mcp.server.mcpserver"):
            from laconic.adapters.mcp import server  # noqa: PLC0415 - the package may be missing

            return server
        from laconic.adapters.mcp_1 import server as server_1  # noqa: PLC0415
    except ImportError as error:
        hint = "pip install 'laconic[mcp]'"
        missing = f"the Python package {(error.name or 'mcp').partition('.')[0]}"
        raise LaconicError(f"{missing} is not installed, or is too old", hint) from error
    return server_1

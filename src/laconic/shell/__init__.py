"""The bash language: text to a tree with exact byte spans, and questions about the tree."""

from laconic.shell.parser import parse, parse_pieces
from laconic.shell.scanner import ParseError

__all__ = ["ParseError", "parse", "parse_pieces"]

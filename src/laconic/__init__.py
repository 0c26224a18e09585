"""laconic stands between coding agents and the shell."""

__version__ = "0.1.0"

"""Let `python -m laconic` be the command line."""

from laconic.cli.entry import answer_here

answer_here()

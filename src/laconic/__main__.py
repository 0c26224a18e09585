"""Let `python -m laconic` be the command line."""

from laconic.cli.main import main_entry

main_entry()

"""The manual page has every command and option, and nothing that roff would take for its own."""

from __future__ import annotations

import re
from pathlib import Path

from laconic.cli.completions import levels
from laconic.cli.main import COMMANDS, GROUPS, build_parser
from laconic.settings.environ import VARIABLES

PAGE = (Path(__file__).parent.parent / "docs/laconic.1").read_text()
TEXT = re.sub(r"\\f[BIR]", "", PAGE).replace("\\-", "-").replace("\\&", "")
HIDDEN = {"server serve"}  # which laconic itself calls


def test_it_has_every_command_option_and_variable():
    for title in GROUPS:
        assert f'.SH "{title.upper()}"\n' in TEXT
    for command in COMMANDS:
        assert re.search(rf'^\.SS "laconic {command.name}[ "]', TEXT, re.MULTILINE), command.name
    for level in levels(build_parser()):
        for word in level.words:
            if word.text not in {"-h", "--help"} and level.path not in HIDDEN:
                assert re.search(rf"(?<![\w-]){re.escape(word.text)}(?![\w-])", TEXT), word.text
    for variable in VARIABLES:
        assert f"\n{variable.name}\n" in TEXT


def test_every_line_that_begins_with_a_dot_is_a_macro():
    macros = {line.split()[0] for line in PAGE.splitlines() if line.startswith((".", "'"))}
    assert macros <= {'.\\"', ".TH", ".SH", ".SS", ".TP", ".RS", ".RE", ".B"}


def test_what_is_typed_has_signs_that_can_be_copied():
    """A bare `-` is a hyphen in roff (groff_char(7)), which no shell takes for an option."""
    for line in PAGE.splitlines():
        if not line.startswith("."):
            assert not re.search(r"(?<!\\)-", line), line

"""The pages of the stacks: every stack has one, and what it shows is what happens."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from laconic.library.registry import shipped_stacks

ROOT = Path(__file__).parents[2]
PAGES = sorted(ROOT.glob("docs/stacks/*.md"))


def test_every_stack_has_a_page_that_is_linked():
    assert {page.stem for page in PAGES} == set(shipped_stacks())
    library = (ROOT / "docs/library.md").read_text()
    assert all(f"](stacks/{page.name})" in library for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_are_true(page):
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert tried >= 4
    assert failed == 0

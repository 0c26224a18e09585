"""The pages are put together so that their links are right in the site; make site builds it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    target = tmp_path_factory.mktemp("site") / "pages"
    subprocess.run([sys.executable, ROOT / "scripts/site.py", target], check=True)
    return target


def test_every_page_is_in_the_site_once(pages):
    sources = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    assert len(list(pages.rglob("*.md"))) == len(sources)


def test_every_page_is_in_the_navigation(pages):
    named = set(re.findall(r"\w[\w/-]*\.md", (ROOT / "mkdocs.yml").read_text()))
    assert named == {str(path.relative_to(pages)) for path in pages.rglob("*.md")}


def test_links_lead_to_pages_of_the_site(pages):
    checked = 0
    for page in pages.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
            if "://" not in target:
                checked += 1
                assert (page.parent / target).is_file(), f"{page.name} links to {target}"
    assert checked


def test_what_is_no_page_stays_as_its_text(pages):
    assert "(LICENSE)" not in (pages / "index.md").read_text()
    assert "LICENSE (MIT)" in (pages / "index.md").read_text()


def test_what_belongs_to_an_item_of_a_list_is_indented_as_mkdocs_wants_it(pages):
    """Four blanks: https://python-markdown.github.io/#differences, GitHub takes two."""
    text = re.sub(r"(?ms)^```.*?^```$", "", (pages / "sandboxes.md").read_text())
    assert "\n\n    Without that process" in text
    assert "\n\n- **Nothing is skipped" in text
    assert not re.search(r"(?m)^ {1,3}\S", text)

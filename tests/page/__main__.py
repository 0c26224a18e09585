"""`make page-test`: finds a Chromium, and looks at the page with it; fails where there is none."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from page.browser import find_browser


def main() -> int:
    program = find_browser()
    if not program:
        print(
            "page-test: not run, there is no Chromium or Chrome on the PATH\n"
            "hint: apt-get install chromium",
            file=sys.stderr,
        )
        return 1
    print(f"page-test: with {program}")
    os.environ["LACONIC_TEST_BROWSER"] = program
    tests = str(Path(__file__).with_name("in_browser.py"))
    return pytest.main([tests, "-p", "no:cacheprovider", "--tb=short", "-q", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())

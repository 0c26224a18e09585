"""Texts that are made to take long are judged in time: a hook that is late says nothing."""

from __future__ import annotations

import time

import pytest

from laconic.engine import decide

MOST_CPU_S = (
    3  # each takes a tenth of that on a quiet machine; what grows with the square, ten times
)
TEXTS = {
    "loops over the environment": "import os\n" + "for a in os.environ:pass\n" * 1500,
    "texts that lead on": "import json\n" + '"{0.a}";' * 6000,
    "uses of a copy": "import os\nx=os.environ.copy()\n" + "x;" * 12000,
    "names that are put together": "import os\n" + "getattr(os,chr(1))()\n" * 2500,
    "files": "import os\n" + 'a="b"\nopen(a+a)\n' * 2500,
}
SNIPPETS = {
    "addresses in one word": "https://a" * 6000,
    "all variables": "process.env " * 4500,
    "sums": '"a"+' * 12000 + '"b"',
    "open texts": "<~" * 25000,
    "calls": "$a (b) " * 8000,
}


def cpu_s(command: str) -> float:
    started = time.thread_time()
    assert decide(command, "/tmp").verdict != "allow"
    return time.thread_time() - started


@pytest.mark.parametrize("name", TEXTS)
def test_long_python_code_is_judged_in_time(name: str) -> None:
    assert cpu_s(f"python3 -c '{TEXTS[name]}'") < MOST_CPU_S


@pytest.mark.parametrize("name", SNIPPETS)
def test_long_code_in_other_languages_is_judged_in_time(name: str) -> None:
    assert cpu_s(f"node -e '{SNIPPETS[name]}'") < MOST_CPU_S


def test_a_deep_pattern_is_judged_in_time() -> None:
    assert cpu_s("rm -rf " + "/".join("*" * 3000)) < MOST_CPU_S

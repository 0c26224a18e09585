"""What an agent is told, by its mode, the user's settings and rules: cases in a plain file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hook_fixture import PATHS, is_before, read_case, said

CASES = Path(__file__).parents[1] / "cases/told"


def cases():
    for path in sorted(CASES.glob("*.cases")):
        agent = settings = rules = ""
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.startswith("== "):
                agent, settings, rules = line[3:], "", ""
            elif line.startswith("settings:"):
                settings = line.removeprefix("settings:").strip()
            elif line.startswith("rules:"):
                rules = line.removeprefix("rules:").strip()
            elif line and not line.startswith("#"):
                mode, expected, command = line.split(None, 2)
                row = (agent, settings, rules, mode, expected, command)
                yield pytest.param(*row, id=f"{path.stem}:{number}")


def claude_rules(text):
    pairs = [rule.split(" ", 1) for rule in filter(None, text.split(" ;; "))]
    words = ("allow", "ask", "deny")
    return {"permissions": {w: [f"Bash({r})" for v, r in pairs if v == w] for w in words}}


@pytest.mark.parametrize(
    ("agent", "settings", "rules", "mode", "expected", "command"), list(cases())
)
def test_what_an_agent_is_told(agent, settings, rules, mode, expected, command, place):
    place.configure(f"[settings]\n{settings}\n")
    if rules:
        path = place.home / ".claude/settings.json"
        path.parent.mkdir()
        path.write_text(json.dumps(claude_rules(rules)))
    case = next(p for p in PATHS if p.parent.name == agent and is_before(p))
    stdin, _ = read_case(case, place, command)
    if mode != "-":
        stdin["permission_mode"] = mode
    given = place.answer(agent, stdin)
    assert given.fault == ""
    assert told(said(given)) == expected, said(given)


def told(document):
    """`allow+`: the decision, wherever an agent wants it, and whether the command is rewritten."""
    text = json.dumps(document)
    words = [word for word in ("allow", "ask", "deny") if f'"{word}"' in text]
    words += ["ask"] if '"ask": true' in text else []
    words += ["deny"] if '"block"' in text or '"throw"' in text or '"status": 2' in text else []
    rewritten = "+" if "laconic run" in text else ""
    return (words[0] if words else "") + rewritten or "-"

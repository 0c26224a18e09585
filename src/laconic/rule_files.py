"""The forms in which coding agents write rules about shell commands: a file's bytes to rules."""

from __future__ import annotations

import ast
import itertools
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from laconic.policy.permissions import bash_pattern, pattern_in, shell_pattern
from laconic.types import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Written(NamedTuple):
    """One rule as a file has it; see Permission."""

    verdict: Verdict
    pattern: str
    rest: bool
    text: str


def _document(data: bytes) -> dict[str, Any]:
    if not data.strip():
        return {}
    document = json.loads(_without_comments(data.decode("utf-8-sig")))
    if not isinstance(document, dict):
        raise TypeError("expected a JSON object")
    return document


def _without_comments(text: str) -> str:
    """JSON with comments and trailing commas, as most agents accept it, to plain JSON."""
    kept: list[str] = []
    pos = 0
    while pos < len(text):
        if text[pos] == '"':
            end = pos + 1
            while end < len(text) and text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            kept.append(text[pos : end + 1])
            pos = end + 1
        elif text.startswith("//", pos):
            pos = _index(text, "\n", pos)
        elif text.startswith("/*", pos):
            pos = _index(text, "*/", pos) + 2
        else:
            if text[pos] in "]}":
                _drop_comma(kept)
            kept.append(text[pos])
            pos += 1
    return "".join(kept)


def _drop_comma(kept: list[str]) -> None:
    while kept and kept[-1].isspace():
        kept.pop()
    if kept and kept[-1] == ",":
        kept.pop()


def _index(text: str, what: str, start: int) -> int:
    found = text.find(what, start)
    return len(text) if found < 0 else found


def _strings(document: object, *keys: str) -> Iterator[str]:
    """The texts in a list somewhere in a document; whatever else stands there is no rule."""
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    if isinstance(document, list):
        yield from (item for item in document if isinstance(item, str))


def read_claude(data: bytes) -> Iterator[Written]:
    document = _document(data)
    for verdict in Verdict:
        for rule in _strings(document, "permissions", verdict.word):
            pattern = pattern_in(rule, frozenset(("Bash",)))
            if pattern is not None:
                yield Written(verdict, *bash_pattern(pattern, verdict), rule)


def read_cursor(data: bytes) -> Iterator[Written]:
    document = _document(data)
    for verdict in (Verdict.ALLOW, Verdict.DENY):
        for rule in _strings(document, "permissions", verdict.word):
            pattern = pattern_in(rule, frozenset(("Shell",)))
            if pattern is not None:
                yield Written(verdict, *shell_pattern(pattern), rule)
    for rule in _strings(document, "terminalAllowlist"):
        yield Written(Verdict.ALLOW, *shell_pattern(rule), rule)


_GEMINI_KEYS = (
    (("tools", "allowed"), Verdict.ALLOW),
    (("allowedTools",), Verdict.ALLOW),
    (("tools", "confirmationRequired"), Verdict.ASK),
    (("tools", "exclude"), Verdict.DENY),
    (("excludeTools",), Verdict.DENY),
)
_GEMINI_TOOLS = frozenset(("run_shell_command", "ShellTool"))


def read_gemini(data: bytes) -> Iterator[Written]:
    document = _document(data)
    for keys, verdict in _GEMINI_KEYS:
        for rule in _strings(document, *keys):
            pattern = pattern_in(rule, _GEMINI_TOOLS)
            if pattern is not None:
                yield Written(verdict, pattern, True, rule)


_DROID_KEYS = {
    "commandAllowlist": Verdict.ALLOW,
    "commandDenylist": Verdict.ASK,  # "always needs a confirmation"
    "commandBlocklist": Verdict.DENY,
}


def read_droid(data: bytes) -> Iterator[Written]:
    document = _document(data)
    for key, verdict in _DROID_KEYS.items():
        for rule in _strings(document, key):
            yield Written(verdict, *bash_pattern(rule, verdict), rule)


_CODEX_DECISIONS = {"allow": Verdict.ALLOW, "prompt": Verdict.ASK, "forbidden": Verdict.DENY}
_MOST_ALTERNATIVES = 256


def read_codex(data: bytes) -> Iterator[Written]:
    """`prefix_rule(pattern=["git", ["push", "pull"]], decision="prompt")`, in Starlark."""
    for statement in ast.parse(data.decode("utf-8-sig")).body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or getattr(call.func, "id", "") != "prefix_rule":
            continue
        given = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
        verdict = _CODEX_DECISIONS.get(str(given.get("decision", "allow")))
        words = given.get("pattern")
        if verdict is None or not isinstance(words, list | tuple) or not words:
            raise ValueError(f"line {call.lineno} is not a rule that laconic knows")
        yield from _codex_prefixes(words, verdict, ast.unparse(call))


def _codex_prefixes(words: Iterable[object], verdict: Verdict, text: str) -> Iterator[Written]:
    choices = [word if isinstance(word, list | tuple) else [word] for word in words]
    for prefix in itertools.islice(itertools.product(*choices), _MOST_ALTERNATIVES):
        yield Written(verdict, " ".join(map(str, prefix)), True, text)

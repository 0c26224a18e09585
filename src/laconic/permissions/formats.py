"""The forms in which coding agents write rules about shell commands: a file's bytes to rules.

https://code.claude.com/docs/en/permissions, https://opencode.ai/docs/permissions,
https://geminicli.com/docs/reference/policy-engine/, https://developers.openai.com/codex/rules
"""

from __future__ import annotations

import itertools
import json

from laconic.policy.permissions import bash_pattern, pattern_in, shell_pattern
from laconic.policy.rule_patterns import globs_of
from laconic.types import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any


class WrittenRule:
    """One rule as a file has it; see Permission. pattern None: we cannot read it."""

    __slots__ = ("pattern", "rest", "text", "unless", "verdict")

    def __init__(
        self,
        verdict: Verdict,
        pattern: str | None,
        rest: bool,
        text: str,
        unless: Iterable[tuple[str, bool]] = (),
    ) -> None:
        self.verdict, self.pattern, self.rest, self.text = verdict, pattern, rest, text
        self.unless = tuple((str(pattern), bool(rest)) for pattern, rest in unless)

    def row(self) -> list[object]:
        """Return it as JSON can hold it; WrittenRule(Verdict(row[0]), *row[1:]) is it again."""
        return [self.verdict, self.pattern, self.rest, self.text, self.unless]


# -- JSON with comments ----------------------------------------------------------------------------


def json_object(data: bytes) -> dict[str, Any]:
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
    position = text.find(what, start)
    return len(text) if position < 0 else position


def _strings(document: object, *keys: str) -> Iterator[str]:
    """Return the texts in a list somewhere in a document; anything else there is not a rule."""
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    if isinstance(document, list):
        yield from (item for item in document if isinstance(item, str))


# -- lists by verdict ------------------------------------------------------------------------------


def read_claude(data: bytes, tools: frozenset[str] = frozenset(("Bash",))) -> Iterator[WrittenRule]:
    """`permissions.deny = ["Bash(git push:*)"]`; CodeBuddy, Qoder and Qwen Code write the same."""
    document = json_object(data)
    for verdict in Verdict:
        for rule in _strings(document, "permissions", verdict):
            pattern = pattern_in(rule, tools)
            if pattern is not None:
                yield WrittenRule(verdict, *bash_pattern(pattern, verdict), rule)


def read_cursor(data: bytes) -> Iterator[WrittenRule]:
    document = json_object(data)
    for verdict in (Verdict.ALLOW, Verdict.DENY):
        for rule in _strings(document, "permissions", verdict):
            pattern = pattern_in(rule, frozenset(("Shell",)))
            if pattern is not None:
                yield WrittenRule(verdict, *shell_pattern(pattern), rule)
    for rule in _strings(document, "terminalAllowlist"):
        yield WrittenRule(Verdict.ALLOW, *shell_pattern(rule), rule)


_GEMINI_KEYS = (
    (("tools", "allowed"), Verdict.ALLOW),
    (("allowedTools",), Verdict.ALLOW),
    (("tools", "confirmationRequired"), Verdict.ASK),
    (("tools", "exclude"), Verdict.DENY),
    (("excludeTools",), Verdict.DENY),
)
_GEMINI_TOOLS = frozenset(("run_shell_command", "ShellTool"))


def read_gemini(data: bytes) -> Iterator[WrittenRule]:
    document = json_object(data)
    for keys, verdict in _GEMINI_KEYS:
        for rule in _strings(document, *keys):
            pattern = pattern_in(rule, _GEMINI_TOOLS)
            if pattern is not None:
                yield WrittenRule(verdict, pattern, True, rule)


def read_qwen(data: bytes) -> Iterator[WrittenRule]:
    """Read the current lists, and the old ones, which are still in force."""
    yield from read_claude(data, _GEMINI_TOOLS | {"Bash", "Shell"})
    yield from read_gemini(data)


_DROID_KEYS = {
    "commandAllowlist": Verdict.ALLOW,
    "commandDenylist": Verdict.ASK,  # "always needs a confirmation"
    "commandBlocklist": Verdict.DENY,
}


def read_droid(data: bytes) -> Iterator[WrittenRule]:
    document = json_object(data)
    for key, verdict in _DROID_KEYS.items():
        for rule in _strings(document, key):
            yield WrittenRule(verdict, *bash_pattern(rule, verdict), rule)


_VIBE_KEYS = {"allowlist": Verdict.ALLOW, "denylist": Verdict.DENY}


def read_vibe(data: bytes) -> Iterator[WrittenRule]:
    """`allowlist = ["git log"]` in the table `tools.bash`: each is how a command begins."""
    import tomllib  # noqa: PLC0415 - few have such files

    document = tomllib.loads(data.decode("utf-8-sig"))
    for key, verdict in _VIBE_KEYS.items():
        for prefix in _strings(document, "tools", "bash", key):
            yield WrittenRule(verdict, prefix, True, prefix)


# -- lists in which one rule overrides another -----------------------------------------------------

Ranked = tuple[Verdict, str, bool, str]
_MOST_RANKED = 200


def _overridden(rules: list[Ranked]) -> Iterator[WrittenRule]:
    """Yield rules of which the last match counts: a looser one is an exception to those before."""
    if len(rules) > _MOST_RANKED:
        raise ValueError(f"it has more than {_MOST_RANKED} rules")
    for number, (verdict, pattern, rest, text) in enumerate(rules):
        later = ((p, r) for v, p, r, _ in rules[number + 1 :] if v < verdict)
        yield WrittenRule(verdict, pattern, rest, text, later)


_OPENCODE_WORDS = {"allow": Verdict.ALLOW, "ask": Verdict.ASK, "deny": Verdict.DENY}


def read_opencode(data: bytes) -> Iterator[WrittenRule]:
    """`permission.bash = {"*": "ask", "git status*": "allow"}`: the last that matches counts.

    A rule that asks about every command is left to the agent, which applies it to any text.
    """
    permission = json_object(data).get("permission")
    given = permission.get("bash") if isinstance(permission, dict) else None
    table = given if isinstance(given, dict) else {"*": given}
    rules: list[Ranked] = [
        (_OPENCODE_WORDS[word], *bash_pattern(pattern, _OPENCODE_WORDS[word]), f"{pattern}: {word}")
        for pattern, word in table.items()
        if isinstance(word, str) and word in _OPENCODE_WORDS
    ]
    for rule in _overridden(rules):
        if rule.pattern != "*" or rule.verdict is not Verdict.ASK:
            yield rule


_POLICY_WORDS = {"allow": Verdict.ALLOW, "ask_user": Verdict.ASK, "deny": Verdict.DENY}


def read_policy(data: bytes) -> Iterator[WrittenRule]:
    """Gemini's `[[rule]] commandPrefix = "git push", decision = "deny", priority = 100`."""
    import tomllib  # noqa: PLC0415 - few have such files

    found = tomllib.loads(data.decode("utf-8-sig")).get("rule", [])
    tables = [rule for rule in found if isinstance(rule, dict) and _is_about_shell(rule)]
    tables.sort(key=lambda rule: _number(rule.get("priority")))
    rules: list[Ranked] = []
    for rule in tables:
        verdict = _POLICY_WORDS.get(str(rule.get("decision")))
        if verdict is None:
            continue
        for prefix in _texts(rule.get("commandPrefix")):
            text = f'commandPrefix = "{prefix}"'
            rules.append((verdict, prefix.strip(), True, text))
        for pattern in _texts(rule.get("commandRegex")):
            text = f'commandRegex = "{pattern}"'
            anchored = f"^(?:{pattern.removeprefix('^')})"
            found = list(_by_expression(anchored, verdict, text))
            rules += [(r.verdict, r.pattern, r.rest, r.text) for r in found if r.pattern]
            yield from (rule for rule in found if rule.pattern is None)
    yield from _overridden(rules)


def _is_about_shell(rule: Mapping[str, Any]) -> bool:
    # A rule for one mode of the agent says nothing of the others, and the mode is not known.
    return "modes" not in rule and not _GEMINI_TOOLS.isdisjoint(_texts(rule.get("toolName")))


def _by_expression(expression: str, verdict: Verdict, text: str) -> Iterator[WrittenRule]:
    """Return the rules of a regular expression; one that allows is left to the agent.

    Our reading of it may match more, which is right for rules that forbid, and for no others.
    """
    if verdict is Verdict.ALLOW:
        return
    for glob in globs_of(expression) or (None,):
        yield WrittenRule(verdict, glob, False, text)


def _texts(value: object) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, str)]


def _number(value: object) -> float:
    return value if isinstance(value, int | float) else 0


_VSCODE_KEY = "chat.tools.terminal.autoApprove"
_VSCODE_VERDICTS = {True: Verdict.ALLOW, False: Verdict.ASK}


def read_vscode(data: bytes) -> Iterator[WrittenRule]:
    """`"chat.tools.terminal.autoApprove": {"rm": false, "/^git (status|show)\\\\b/": true}`."""
    table = json_object(data).get(_VSCODE_KEY)
    for pattern, value in table.items() if isinstance(table, dict) else ():
        given = value.get("approve") if isinstance(value, dict) else value
        if not isinstance(given, bool):
            continue
        verdict, text = _VSCODE_VERDICTS[given], f"{pattern}: {str(given).lower()}"
        head, slash, flags = pattern[1:].rpartition("/")
        if not pattern.startswith("/") or not slash or not (flags == "" or flags.isalpha()):
            yield WrittenRule(verdict, pattern.strip(), True, text)
            continue
        yield from _by_expression(head, verdict, text)


# -- Starlark --------------------------------------------------------------------------------------

_CODEX_DECISIONS = {"allow": Verdict.ALLOW, "prompt": Verdict.ASK, "forbidden": Verdict.DENY}
_MOST_ALTERNATIVES = 256


def read_codex(data: bytes) -> Iterator[WrittenRule]:
    """`prefix_rule(pattern=["git", ["push", "pull"]], decision="prompt")`, in Starlark."""
    import ast  # noqa: PLC0415 - few have such files

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


def _codex_prefixes(words: Iterable[object], verdict: Verdict, text: str) -> Iterator[WrittenRule]:
    choices = [word if isinstance(word, list | tuple) else [word] for word in words]
    for prefix in itertools.islice(itertools.product(*choices), _MOST_ALTERNATIVES):
        yield WrittenRule(verdict, " ".join(map(str, prefix)), True, text)


# By the name that an agent's data file gives to the form.
FORMS = {
    "claude": read_claude,
    "codex": read_codex,
    "cursor": read_cursor,
    "droid": read_droid,
    "gemini": read_gemini,
    "opencode": read_opencode,
    "policy": read_policy,
    "qwen": read_qwen,
    "vibe": read_vibe,
    "vscode": read_vscode,
}

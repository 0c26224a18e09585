"""The rules of `laconic allow --always`: entries of `[commands] allow` in the user's file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from laconic import engine
from laconic.cli import source
from laconic.cli.main import complain
from laconic.errors import LaconicError, UsageError
from laconic.install import originals
from laconic.knowledge.catalog import library
from laconic.policy.own_rules import ANY, is_rule, words_of
from laconic.policy.unknown_names import complaint
from laconic.report.text import visible
from laconic.settings import edit, toml
from laconic.settings.load import process_environment, read_settings
from laconic.shell.words import as_typed, quoted
from laconic.types import Effect, Verdict

_LIST = "commands.allow"
# What a rule never settles: see docs/gate.md
_NEVER = Effect.SECRETS | Effect.GUARDED_WRITE | Effect.DESTROYS | Effect.UNJUDGED


def add(rule: str) -> None:
    """Write a rule, unless it would not allow what it says."""
    words = words_of(rule)
    if words is None:
        raise UsageError(
            "a rule is one plain command, in which `*` stands for a whole word",
            "laconic allow --always 'npm run *'",
        )
    if not is_rule(rule):
        raise UsageError(
            f"{rule} alone says nothing of its arguments",
            f"with any arguments: laconic allow --always {quoted(f'{rule} {ANY}')}",
        )
    settings = read_settings()
    if rule in settings.config.commands.allow:
        print(f"is there already: {visible(rule)}")
        return
    _refuse_useless(rule, words)
    if warning := complaint(rule, library()):
        complain(*warning)
    _change(settings.user_config_path, lambda data, path: edit.with_item(data, path, _LIST, rule))
    print(f"always allowed: {visible(rule)}  ({visible(str(settings.user_config_path))})")


def _refuse_useless(rule: str, words: tuple[str | None, ...]) -> None:
    """Try the rule on commands that it names: without a word for the last `*`, and with one."""
    environ, directory = process_environment(), source.directory_at(None)
    settings = read_settings(environ, directory)
    has_star = None in words
    given = [word if word is not None else "x" for word in words]
    for named in (given[:-1], given) if words[-1] is None else (given,):
        command = " ".join(map(as_typed, named))
        request = engine.Request(command, str(directory), environ)
        decision = engine.decide_request(request, settings, use_allowances=False)
        hint = f"laconic explain {quoted(command)}"
        if decision.verdict is Verdict.ALLOW and not has_star:
            raise LaconicError("this command is allowed as it is", hint)
        decision = engine.decide_with_rule(request, settings, rule) or decision
        if decision.verdict is Verdict.ALLOW:
            return
    if any(leaf.firm or leaf.effects & _NEVER for leaf in decision.leaves()):
        raise LaconicError(f"no rule can allow this: {decision.reason}", hint)
    shown = visible(" ".join(named))
    raise LaconicError(f"this rule does not allow {shown}: {decision.reason}", hint)


def listed() -> Iterator[str]:
    """Return the rules in the user's file, in its order."""
    data = originals.current(read_settings().user_config_path)
    document = toml.parse(data) if data else {}
    for entry in document.get("commands", {}).get("allow", ()):
        if is_rule(entry):
            yield entry


def remove(rule: str) -> None:
    path = read_settings().user_config_path
    _change(path, lambda data, path: edit.without_item(data, path, _LIST, rule))


def _change(path: Path, changed: Callable[[bytes, Path], bytes]) -> None:
    target = path.resolve()
    before = originals.current(target)
    after = changed(before or b"", path)
    originals.make_directories(target.parent)
    originals.write(target, before, after, 0o600)

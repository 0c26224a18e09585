"""Runs cases of the preset hooks from a file of JSON lines.

A case has an `id`, a `kind` and what to `expect`. The kinds: `match` (the first rule of the shipped
catalogues that a command matches), `call` (a call of preset_run_command), `mode` (a mode alone),
`registry`, `construct` (what is an error at once), `classifier` and `classifier-pair` (with the
replies of a model). `config` has the keys of preset_run_command; a rewriter is `append`, `const`,
`same`, `none` or `dict`, a predicate `contains`. Expected are parts of the envelope, whether the
executor's own value came back (`bare`), what the executor saw, and the kinds of audit entries.

By hand: python tests/library/conformance.py FILE...
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from laconic import tool_hooks
from laconic.library.rule import RuleError

MODES = {
    name: getattr(tool_hooks, f"tool_hooks_mode_{name}")
    for name in ("rewrite_with_audit", "deny_with_explanation", "passthrough_only_audit")
}
BARE = {"the executor": "its own value"}


def cases(path):
    lines = Path(path).read_text().splitlines()
    return [json.loads(line) for line in lines if line.strip() and not line.startswith("//")]


def run(case):
    """Return what is wrong with a case, one line each; nothing if it holds."""
    tool_hooks.lifecycle_audit_log_take()
    return [fault for fault in _KINDS[case["kind"]](case) if fault]


# -- one function for each kind of case ------------------------------------------------------------


def _match(case):
    stacks = case["config"].get("stacks", [])
    found = (
        tool_hooks.tool_hooks_seed_registry(stacks).filter(stacks).match(case["command"], stacks)
    )
    wanted = case["expect"]["match"]
    if wanted is None:
        yield found and f"matched {found[0].rule_id}"
    elif not found:
        yield "did not match"
    else:
        yield from _differences(
            wanted, {"rule_id": found[0].rule_id, "severity": found[0].severity}
        )


def _call(case):
    executor = Executor()
    wrapper = tool_hooks.preset_run_command(_config(case["config"], executor))
    value = wrapper(case["args"])
    yield from _outcome(case["expect"], value, executor, _kinds())
    yield from _contains(case, value)


def _mode(case):
    executor = Executor()
    inner = executor if case.get("inner") else None
    match = {**case["match"], "rewrite": _rewriter(case["match"].get("rewrite"))}
    value = MODES[case["mode"]](match, case["args"], inner)
    log = tool_hooks.lifecycle_audit_log_take()
    yield from _outcome(case["expect"], value, executor, [entry["kind"] for entry in log])
    bodies = [e["payload"]["body"] for e in log if e["kind"] == "tool_hooks.reminder_injected"]
    for part in (case.get("reminder") or {}).get("body_contains", ()):
        yield not any(part in body for body in bodies) and f"no reminder with {part!r}"


def _registry(case):
    expect = case["expect"]
    registry = tool_hooks.tool_hooks_registry()
    if "seed" in case:
        registry = tool_hooks.tool_hooks_seed_registry(case["seed"])
    for config in case.get("register", ()):
        registry = tool_hooks.tool_hooks_register(registry, _catalogue(config))
    for catalogue_id in case.get("unregister", ()):
        registry = tool_hooks.tool_hooks_unregister(registry, catalogue_id)
    if "filter" in case:
        registry = tool_hooks.tool_hooks_filter(registry, case["filter"])
    if "catalogue_ids" in expect:
        ids = [row["id"] for row in tool_hooks.tool_hooks_list(registry)]
        yield ids != expect["catalogue_ids"] and f"catalogues {ids}"
    if "rule_ids" in expect:
        context = {"stacks": case.get("stacks", [])}
        found = tool_hooks.tool_hooks_match(registry, case["command"], context)
        ids = [match.rule_id for match in found]
        yield ids != expect["rule_ids"] and f"rules {ids}"
    if "round_trip" in expect:
        written = json.dumps(next(iter(registry)).to_dict())
        again = tool_hooks.catalogue(json.loads(written))
        yield again != next(iter(registry)) and "changed by JSON"
        yield from _differences(expect["round_trip"], {"id": again.id, "rules": len(again.rules)})


def _construct(case):
    try:
        getattr(tool_hooks, case["call"])(case["config"])
    except RuleError as error:
        wanted = case["expect"].get("error_contains")
        yield (wanted is None or wanted not in str(error)) and f"said {error}"
    else:
        yield "error_contains" in case["expect"] and "was accepted"


def _classifier(case):
    model, executor = Model(case["replies"]), Executor()
    wrapper = tool_hooks.preset_run_command(_config(case["config"], executor, model))
    log = []
    for args, expect in zip(case["calls"], case["expect"]["calls"], strict=True):
        executor.seen = None
        value = wrapper(args)
        entries = tool_hooks.lifecycle_audit_log_take()
        log += [e["payload"] for e in entries if e["kind"] == "tool_hook_classifier_verdict"]
        yield from _outcome(expect, value, executor, [entry["kind"] for entry in entries])
    yield from _asked(case["expect"], model, log)


def _classifier_pair(case):
    model, log = Model(case["replies"]), []
    for config, args in zip(case["configs"], case["calls"], strict=True):
        tool_hooks.preset_run_command(_config(config, Executor(), model))(args)
    yield from _asked(case["expect"], model, log)


def _asked(expect, model, log):
    count = expect["model_calls"]
    yield model.calls != count and f"the model was asked {model.calls} times, not {count}"
    if "cache_hit" in expect:
        hits = [entry["cache_hit"] for entry in log]
        yield hits != expect["cache_hit"] and f"cache hits {hits}"
    if "verdict" in expect:
        wanted = dict(expect["verdict"])
        part = wanted.pop("error_contains", "")
        yield part not in log[-1]["error"] and f"error {log[-1]['error']!r}"
        yield from _differences(wanted, log[-1])


_KINDS = {
    "match": _match,
    "call": _call,
    "mode": _mode,
    "registry": _registry,
    "construct": _construct,
    "classifier": _classifier,
    "classifier-pair": _classifier_pair,
}


# -- what cases are made of ------------------------------------------------------------------------


class Executor:
    """An executor that only notes what it is called with."""

    seen = None

    def __call__(self, args):
        self.seen = args
        return BARE


class Model:
    """A model that gives one answer after the other."""

    def __init__(self, replies):
        self.replies, self.calls = list(replies), 0

    def __call__(self, *_asked):
        reply = self.replies[self.calls]
        self.calls += 1
        return reply if isinstance(reply, str) else json.dumps(reply)


def _config(config, executor, model=None):
    made = {"inner": executor, **config}
    if made.get("mode"):
        made["mode"] = MODES[made["mode"]]
    if "custom_rules" in made:
        made["custom_rules"] = [_rule(rule) for rule in made["custom_rules"]]
    if "registry" in made:
        registry = tool_hooks.tool_hooks_registry()
        for found in made["registry"]:
            registry = tool_hooks.tool_hooks_register(registry, _catalogue(found))
        made["registry"] = registry
    if made.get("llm_classifier") and model is not None:
        made["llm_classifier"] = {**made["llm_classifier"], "client": model}
    return made


def _catalogue(config):
    rules = [_rule(rule) for rule in config.get("rules", ())]
    return tool_hooks.catalogue({**config, "rules": rules})


def _rule(config):
    made = {**config, "rewrite": _rewriter(config.get("rewrite"))}
    if isinstance(config.get("pattern"), dict):
        part = config["pattern"]["contains"]
        made["pattern"] = lambda command, _: part in command
    return tool_hooks.tool_rule(made)


def _rewriter(config):
    if config is None:
        return None
    ((kind, text),) = config.items()
    rewriters = {
        "append": lambda command, _: command + text,
        "const": lambda _command, _: text,
        "same": lambda command, _: command,
        "none": lambda _command, _: None,
        "dict": lambda _command, _: {"command": text},
    }
    return rewriters[kind]


def _kinds():
    return [entry["kind"] for entry in tool_hooks.lifecycle_audit_log_take()]


def _outcome(expect, value, executor, kinds):
    is_bare = value is BARE
    if "bare" in expect:
        yield is_bare != expect["bare"] and f"bare: {is_bare}"
    if expect.get("envelope") is not None:
        if is_bare:
            yield "there is no envelope"
        else:
            found = value.to_dict()
            yield from _differences(expect["envelope"], found)
            ran = executor.seen is not None
            yield ("result" in found) != ran and "the result is not that of the executor"
    if "inner_saw" in expect:
        saw, wanted = executor.seen, expect["inner_saw"]
        yield saw != wanted and f"the executor saw {saw!r}, not {wanted!r}"
    if "inner_saw_any" in expect:
        saw = command(executor.seen)
        yield saw not in expect["inner_saw_any"] and f"the executor saw {saw!r}"
    if "audit" in expect:
        yield kinds != expect["audit"] and f"audit {kinds}"
    for kind in expect.get("audit_includes", ()):
        yield kind not in kinds and f"no {kind} in {kinds}"
    for kind in expect.get("audit_excludes", ()):
        yield kind in kinds and f"{kind} in {kinds}"


def command(args):
    return args["command"] if isinstance(args, dict) else args


def _contains(case, value):
    part = case.get("explanation_contains", "")
    if part:
        yield part not in value.explanation and f"explanation {value.explanation!r}"


def _differences(wanted, found):
    for key, value in wanted.items():
        if found.get(key) != value:
            yield f"{key} is {found.get(key)!r}, not {value!r}"


def main(paths):
    wrong = total = 0
    for path in paths:
        for case in cases(path):
            total += 1
            for fault in run(case):
                wrong += 1
                print(f"{case['id']}: {fault}")
    print(f"{total} cases, {wrong} differences")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

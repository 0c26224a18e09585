"""The preset hooks under the names of Harn's std/tool_hooks, over laconic's own library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from laconic.library.conditions import RuleError
from laconic.library.modes import (
    deny_with_explanation,
    passthrough_only_audit,
    rewrite_with_audit,
)
from laconic.library.outlets import LOG, emit_audit, inject_reminder
from laconic.library.preset import RunCommand, preset_run_command
from laconic.library.registry import Match, Registry, shipped, stack_names
from laconic.library.rule import Catalogue, Context, Rule
from laconic.settings.load import process_environment

tool_hooks_mode_rewrite_with_audit = rewrite_with_audit
tool_hooks_mode_deny_with_explanation = deny_with_explanation
tool_hooks_mode_passthrough_only_audit = passthrough_only_audit
tool_hooks_emit_audit = emit_audit
tool_hooks_inject_reminder = inject_reminder


def tool_rule(config: Mapping[str, Any] | None = None, /, **fields: Any) -> Rule:
    """Make a rule of a dict or of keywords; what is wrong with it is an error at once."""
    return Rule.from_dict(_joined(config, fields, "tool_rule"))


def catalogue(config: Mapping[str, Any] | None = None, /, **fields: Any) -> Catalogue:
    """Make a catalogue of a dict or of keywords; its rules may be dicts, too."""
    return Catalogue.from_dict(_joined(config, fields, "catalogue"))


def tool_hooks_registry() -> Registry:
    return Registry()


def tool_hooks_register(registry: Registry, new: Catalogue) -> Registry:
    return registry.register(new)


def tool_hooks_unregister(registry: Registry, catalogue_id: str) -> Registry:
    return registry.unregister(catalogue_id)


def tool_hooks_filter(registry: Registry, stacks: Sequence[str] | str | None = None) -> Registry:
    return registry.filter(stacks)


def tool_hooks_list(registry: Registry) -> list[dict[str, Any]]:
    return registry.list()


def tool_hooks_match(registry: Registry, command: str, context: Any = None) -> list[Match]:
    """The matches of a command; context: stacks, or a dict that names them."""
    stacks = context.get("stacks") if isinstance(context, Mapping) else context
    wanted = frozenset(stack_names(stacks, "tool_hooks_match"))
    return registry.match(command, context=Context(stacks=wanted, environ=process_environment()))


def tool_hooks_seed_registry(stacks: Sequence[str] = ()) -> Registry:
    return Registry.seed(stacks)


def tool_hooks_catalogue_universal() -> Catalogue:
    return shipped("universal")


def tool_hooks_catalogue_rust() -> Catalogue:
    return shipped("rust")


def tool_hooks_catalogue_python() -> Catalogue:
    return shipped("python")


def tool_hooks_catalogue_typescript() -> Catalogue:
    return shipped("typescript")


def tool_hooks_catalogue_swift() -> Catalogue:
    return shipped("swift")


def tool_hooks_catalogue_sql() -> Catalogue:
    return shipped("sql")


def tool_hooks_catalogue_harn() -> Catalogue:
    return shipped("harn")


def lifecycle_audit_log_take() -> list[dict[str, Any]]:
    """Return the audit entries of all wrappers since the last time, and forget them."""
    return [entry.to_dict() for entry in LOG.take()]


def lifecycle_audit_log_snapshot() -> list[dict[str, Any]]:
    return [entry.to_dict() for entry in LOG.snapshot()]


def _joined(config: object, fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    if config is not None and not isinstance(config, Mapping):
        raise RuleError(f"{name}: config must be a dict")
    return {**(config or {}), **fields}


__all__ = [
    "RuleError",
    "RunCommand",
    "catalogue",
    "lifecycle_audit_log_snapshot",
    "lifecycle_audit_log_take",
    "preset_run_command",
    "tool_hooks_catalogue_harn",
    "tool_hooks_catalogue_python",
    "tool_hooks_catalogue_rust",
    "tool_hooks_catalogue_sql",
    "tool_hooks_catalogue_swift",
    "tool_hooks_catalogue_typescript",
    "tool_hooks_catalogue_universal",
    "tool_hooks_emit_audit",
    "tool_hooks_filter",
    "tool_hooks_inject_reminder",
    "tool_hooks_list",
    "tool_hooks_match",
    "tool_hooks_mode_deny_with_explanation",
    "tool_hooks_mode_passthrough_only_audit",
    "tool_hooks_mode_rewrite_with_audit",
    "tool_hooks_register",
    "tool_hooks_registry",
    "tool_hooks_seed_registry",
    "tool_hooks_unregister",
    "tool_rule",
]

"""laconic stands between coding agents and the shell.

The names in `__all__` are its library (docs/library.md); they are loaded when they are first used.
"""

import sys
from types import ModuleType

__version__ = "0.2.0"
__all__ = [
    "Append",
    "AuditEntry",
    "Catalogue",
    "Classifier",
    "Context",
    "Decision",
    "Envelope",
    "Gate",
    "HTTPChat",
    "Insert",
    "JsonLinesAudit",
    "LaconicError",
    "LoggingAudit",
    "Match",
    "MemoryAudit",
    "Registry",
    "Reminder",
    "ReminderQueue",
    "Replace",
    "Result",
    "Rule",
    "RuleError",
    "SqliteAudit",
    "ToolCall",
    "Verdict",
    "When",
    "compact",
    "decide",
    "deny_with_explanation",
    "emit_audit",
    "explain",
    "inject_reminder",
    "load_settings",
    "passthrough_only_audit",
    "preset_run_command",
    "rewrite",
    "rewrite_with_audit",
    "run",
]
_MODULES = {
    "audit": ("AuditEntry", "JsonLinesAudit", "LoggingAudit", "MemoryAudit", "SqliteAudit"),
    "chat": ("HTTPChat",),
    "classifier": ("Classifier",),
    "outlets": ("emit_audit", "inject_reminder"),
    "envelope": ("Envelope",),
    "tool_call": ("ToolCall",),
    "gate": ("Gate",),
    "modes": ("deny_with_explanation", "passthrough_only_audit", "rewrite_with_audit"),
    "preset": ("preset_run_command",),
    "registry": ("Match", "Registry"),
    "result": ("Result",),
    "reminders": ("Reminder", "ReminderQueue"),
    "rule": ("Catalogue", "Context", "Rule"),
    "conditions": ("Append", "Insert", "Replace", "RuleError", "When"),
}

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.engine import compact, decide, explain, load_settings, rewrite, run
    from laconic.errors import LaconicError
    from laconic.library.audit import (
        AuditEntry,
        JsonLinesAudit,
        LoggingAudit,
        MemoryAudit,
        SqliteAudit,
    )
    from laconic.library.chat import HTTPChat
    from laconic.library.classifier import Classifier
    from laconic.library.conditions import Append, Insert, Replace, RuleError, When
    from laconic.library.envelope import Envelope
    from laconic.library.gate import Gate
    from laconic.library.modes import (
        deny_with_explanation,
        passthrough_only_audit,
        rewrite_with_audit,
    )
    from laconic.library.outlets import emit_audit, inject_reminder
    from laconic.library.preset import preset_run_command
    from laconic.library.registry import Match, Registry
    from laconic.library.reminders import Reminder, ReminderQueue
    from laconic.library.result import Result
    from laconic.library.rule import Catalogue, Context, Rule
    from laconic.library.tool_call import ToolCall
    from laconic.types import Decision, Verdict
else:  # a type checker would take every name for one that there is

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module  # noqa: PLC0415 - who uses the library pays for it

        found = (module for module, names in _MODULES.items() if name in names)
        module = next(found, "")
        source = import_module(f"laconic.library.{module}" if module else "laconic.engine")
        value = getattr(source, name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


class _FrontDoor(ModuleType):
    """Keeps compact, rewrite and run the verbs of the library, not the packages of these names.

    The import system makes each package an attribute of the one around it:
    https://docs.python.org/3/reference/import.html#submodules
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name not in __all__ or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _FrontDoor

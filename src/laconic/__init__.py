"""laconic stands between coding agents and the shell.

The names in `__all__` are its library (docs/library.md); they are loaded when they are first used.
"""

import sys
from types import ModuleType

__version__ = "0.2.0"
__all__ = [
    "Decision",
    "LaconicError",
    "Verdict",
    "compact",
    "decide",
    "explain",
    "load_settings",
    "rewrite",
    "run",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.engine import compact, decide, explain, load_settings, rewrite, run
    from laconic.errors import LaconicError
    from laconic.types import Decision, Verdict
else:  # a type checker would take every name for one that there is

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from laconic import engine  # noqa: PLC0415 - only who uses the library pays for it

        value = getattr(engine, name)
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

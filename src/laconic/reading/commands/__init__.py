"""Programs whose arguments need code to be judged: one module each, with a function `judge(call)`.

The list is explicit; a module is imported when its program is first met.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from laconic.reading.call import Call

NAMES = frozenset(
    "awk az brew builtins cargo chmod cmake compress copying curl date dc dd dlx docker env "
    "fd file_lists find fzf gcloud gdb gh git grep initializer joined jq kubectl less macos "
    "make maven npm numbered openssl operands package_script parallel patches printenv ps "
    "python rsync runner running script sed setting shells shown_values snippet sql sysctl "
    "tar tee told tree unpack version_only wget xargs xxd".split()
)


def handler(name: str) -> Callable[[Call], None]:
    """The judge of a program that tables name by `code`."""
    if name not in NAMES:
        raise LookupError(name)
    judge: Callable[[Call], None] = import_module(f"{__name__}.{name}").judge
    return judge

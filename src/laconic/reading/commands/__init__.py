"""Programs whose arguments need code to be judged: one module each, with a function `judge(call)`.

The list is explicit; a module is imported when its program is first met.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module

from laconic.reading.call import Call

NAMES = frozenset(
    "awk az brew builtins cargo chmod cmake compress copying curl date dc dd dlx "
    "env fd fetch_and_run file_lists find fzf gcloud gdb gh git grep jar joined_words jq "
    "kubectl less macos make maven npm number_then_command openssl package_runner "
    "package_script parallel patches printenv process_tuning ps python rsync script "
    "script_or_program sed setting_by_name shells shown_values snippet sourced "
    "special_operands sql ssh sysctl tar told tree unpack version_only wget xargs xxd".split()
)


@cache
def handler(name: str) -> Callable[[Call], None]:
    """The judge of a program that tables name by `code`."""
    if name not in NAMES:
        raise LookupError(name)
    judge: Callable[[Call], None] = import_module(f"{__name__}.{name}").judge
    return judge

"""Writes a report of a bug in laconic that can be pasted into an issue."""

from __future__ import annotations

import platform
import traceback
from collections.abc import Mapping

from laconic import __version__
from laconic.errors import FileError
from laconic.files import write_private
from laconic.settings.load import read_directories

# The report has no arguments and no environment, because these may contain secrets.
_PAGE = """\
### versions

- laconic {version}
- Python {python}
- {system}

### error

```
{error}
```

### traceback

```
{traceback}```
"""


def write_report(error: Exception, environ: Mapping[str, str] | None = None) -> str:
    """Write the report of the last bug, for the user of this environment; return where it is."""
    page = _PAGE.format(
        version=__version__,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        error=f"{type(error).__name__}: {error}",
        traceback="".join(traceback.format_exception(error)),
    )
    path = read_directories(environ).state / "bug.md"
    try:
        write_private(path, page.encode(errors="backslashreplace"))
    except FileError as failure:
        return f"there is no report: {failure.message}"
    return f"please report it with the text in {path}"

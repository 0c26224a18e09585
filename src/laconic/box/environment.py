"""Chooses the variables that a command in the box gets: none with a secret, none that leads out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache, lru_cache

from laconic.patterns import compile_written, pattern
from laconic.secrets.shapes import SHAPES

# Words that mark a secret anywhere in a variable's name, and those that do so at its end.
_SECRET = pattern(
    r"""SECRET | PASSWORD | PASSWD | PASSPHRASE | PASSCODE | CREDENTIAL
    | (?:PRIVATE|API|APP|ACCESS|SIGNING|ENCRYPTION|MASTER|DEPLOY|ACCOUNT)_?KEY
    | AUTH_?TOKEN | _TOKEN_ | TOKENS?$
    | (?:^|_)(?:PW|PWD|PASS|PAT|KEY|KEYS|AUTH|JWT|COOKIES?|DSN|OTP|PIN|SAS|CREDS?|PEM|BEARER|SALT)$
    | (?:ADMIN|DB|FTP|MAIL|MY|MYSQL|PG|REDIS|ROOT|SMTP|SSH|SUDO|USER)(?:PASS|PW)$
    | ^(?:ACCESS|SESSION|SIGNING)$
    | WEBHOOK(?:_URL)?$ | DATABASE_URL$ | CONNECTION_?STRING$ | CONN_?STR$ | _AUTH_CONFIG$""",
    re.IGNORECASE | re.VERBOSE,
)
_HARMLESS = pattern(
    r"""^(?:PWD|OLDPWD|SKIP_AUTH|NO_AUTH)$
    | (?:PUBLIC|PUBLISHABLE|CACHE|SORT|PRIMARY|FOREIGN|PARTITION|HOST)_?KEYS?$
    | PASSWORD_(?:MIN|MAX|LENGTH|HASHERS?)""",
    re.IGNORECASE | re.VERBOSE,
)
# Sockets and programs outside, and what a program loads or runs before anything else.
_CHANNEL = pattern(
    r"""SSH_(?:AUTH_SOCK|AGENT_PID|CONNECTION|CLIENT|TTY|ASKPASS) | GPG_AGENT_INFO | GPG_TTY
    | DBUS_\w+ | DISPLAY | WAYLAND_\w+ | XAUTHORITY | SESSION_MANAGER | TMUX\w* | STY | ZELLIJ\w*
    | DOCKER_HOST | CONTAINER_HOST | PODMAN_\w+ | KITTY_LISTEN_ON | NVIM
    | NVIM_LISTEN_ADDRESS | VSCODE_\w+ | GIT_ASKPASS | SUDO_ASKPASS | SUDO_\w+ | NOTIFY_SOCKET
    | LISTEN_\w+ | INVOCATION_ID | JOURNAL_STREAM | XDG_RUNTIME_DIR | XDG_SESSION_\w+
    | BASH_ENV | ENV | LD_PRELOAD | LD_AUDIT | \w*_IPC_HOOK\w* | CLAUDE_CODE_SSE_PORT
    | \w+_SOCKET(?:_PATH)? | AGENT_\w*SOCK""",
    re.VERBOSE,
)
# Variables that name a proxy: man 1 curl, ENVIRONMENT
PROXIES = frozenset(
    name
    for kind in ("http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "no_proxy")
    for name in (kind, kind.upper())
)
_ADDRESS = pattern(r"://[^/\s:@]*:[^/\s@]+@")
_KEY_BLOCK = "PRIVATE KEY"


def kept(environ: Mapping[str, str], keep: Iterable[str] = ()) -> dict[str, str]:
    """Return the variables that stay; keep: names or patterns of those that stay in any case."""
    wanted = tuple(keep)
    return {
        name: value
        for name, value in environ.items()
        if any(fnmatchcase(name, one) for one in wanted) or not is_dropped(name, value)
    }


@lru_cache(maxsize=1024)
def is_dropped(name: str, value: str) -> bool:
    if _CHANNEL.fullmatch(name) or (_SECRET.search(name) and not _HARMLESS.search(name)):
        return True
    return bool(_KEY_BLOCK in value or _ADDRESS.search(value) or _tokens().search(value))


@cache
def _tokens() -> re.Pattern[str]:
    """Build the pattern of all values that are tokens by their shape."""
    shapes = (f"(?:{'|'.join(map(re.escape, s.beginnings))}){s.strictly}" for s in SHAPES)
    return compile_written(rf"(?<![A-Za-z0-9])(?:{'|'.join(shapes)})")

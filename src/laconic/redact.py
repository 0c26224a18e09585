"""Takes secrets out of command lines before they are written down.

Twice: by words, as the shell will read them, so that quotes do not hide a password; then by text,
for what is not a word (here-documents, code, what cannot be parsed). It errs towards hiding.
"""

from __future__ import annotations

import re
from functools import lru_cache

from laconic.credentials import SAYS_IT, SHAPES
from laconic.shell import ParseError, parse
from laconic.shell.ast import Assignment, Command, Heredoc, Word
from laconic.shell.words import fields, leading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

HIDDEN = "[hidden]"
_MOST_PARSED = 64 * 1024
_MOST_SHOWN = 16 * 1024
_LONGEST_NAME = 100

# Names of options, variables, fields: some words say it anywhere, short ones only by themselves.
_SECRET_NAME = rf"(?i){SAYS_IT}|(?<![a-z])(?:pass|pwd|auth|bearer|cookie|pat|key|otp|pin)(?![a-z])"
_VALUE = r"(?:\"[^\"\n]*\"?|'[^'\n]*'?|[^\s;&|)}\"',]+)"
_TEXT_RULES = (
    # scheme://user:password@host, scheme://token@host
    r"(\b[a-z][a-z0-9+.-]{0,30}://)(?:[^\s/'\"<>@:]{0,99}:[^\s'\"<>]{0,500}|[^\s/'\"<>]{0,500})(?=@)",
    r"\b((?:bearer|basic)\s{1,8})[\w.~+/=-]{8,}",
    # "password": "...", password=..., --password ...
    rf"(?<![\w-])([\w-]{{0,40}}?(?:{SAYS_IT})[\w-]{{0,40}}[\"']?\s{{0,8}}[:=]\s{{0,8}}){_VALUE}",
    rf"(?<![\w-])(--?[\w-]{{0,40}}?(?:{SAYS_IT})[\w-]{{0,40}}\s{{1,8}})(?!-){_VALUE}",
)
_HEADER = (
    rf"(?<![\w-])((?:(?:proxy-)?authorization|(?:set-)?cookie"
    rf"|[\w-]{{0,40}}?(?:x-auth|{SAYS_IT})[\w-]{{0,40}})\s{{0,8}}:\s{{0,8}})"
)
# A header goes on to the end of its line, a private key to its own end or that of the text. Where
# commands may follow, only a word or two are hidden, so that nobody hides a command behind them.
_IN_TEXT = (
    r"()-----BEGIN [A-Z ]{0,40}PRIVATE KEY[A-Z ]{0,40}-----.*?(?:-----END [A-Z ]{1,40}-----|\Z)",
    rf"{_HEADER}[^\n'\"]+",
)
_IN_COMMANDS = (rf"{_HEADER}(?:\w+\s{{1,8}}(?=[\w.~+/=-]{{8}}))?[^\s'\";|&]+",)

# A text of these characters and without these words holds nothing that the rules above know: they
# take three milliseconds to compile, and most commands of a hook are as plain as `git status`.
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz ./,:()")
_TELLING = (
    "passw", "passphrase", "passcode", "secret", "token", "credential", "key", "auth", "cookie",
    "bearer", "basic", "config", "set", "://", "hvs.", "dapi",
)  # fmt: skip
# The same for paths, in which a secret is known by how it begins (with an A, by more than that).
_PLAIN_IN_PATHS = _PLAIN | frozenset("BCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_BEGINNINGS = (
    "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "pat-", "ptt-", "dt-", "rt-", "cbt-",
    "soat-", "ft-", "sk-", "k_live_", "k_test_", "whsec_", "xox", "xapp-", "ya29.", "gocspx-",
    "npm_", "pypi-", "hf_", "_v1_", "sg.", "eyj", "dckr_pat_", "lin_api_", "sq0", "shp",
    "rubygems_", "figd_",
)  # fmt: skip


def redact(command: str) -> str:
    """Give the text without its secrets, and without its end if it is very long. Never raises."""
    is_plain = _PLAIN.issuperset(command) and not any(word in command for word in _TELLING)
    return command if is_plain and len(command) <= _MOST_SHOWN else _searched(command)


def redact_path(path: str) -> str:
    """The same for the path of a file, which no shell reads."""
    lowered = path.lower()
    is_plain = _PLAIN_IN_PATHS.issuperset(path) and not any(
        text in lowered for text in (*_TELLING, *_BEGINNINGS)
    )
    return path if is_plain else _by_text(path)


def _searched(command: str) -> str:
    try:
        shown = _by_words(command) if len(command) <= _MOST_PARSED else command
        if len(shown) > _MOST_SHOWN:
            whole = shown[:_MOST_SHOWN].rpartition(" ")[0]
            return f"{_by_text(whole, _IN_COMMANDS)} … ({len(command)} characters)"
        return _by_text(shown, _IN_COMMANDS)
    except Exception:  # noqa: BLE001 - better to say nothing than to say too much
        return HIDDEN


def _by_text(line: str, wide: tuple[str, ...] = _IN_TEXT) -> str:
    line = re.sub(_by_beginning(), HIDDEN, line)
    for rule in (*wide, *_TEXT_RULES):
        line = re.sub(rule, rf"\1{HIDDEN}", line, flags=re.IGNORECASE | re.DOTALL)
    return line


@lru_cache(maxsize=1)
def _by_beginning() -> str:
    """The pattern of everything that is known by how it begins."""
    found = (f"(?:{'|'.join(map(re.escape, shape.beginnings))}){shape.loosely}" for shape in SHAPES)
    return "|".join(found).replace("(?:sk\\-)", "(?<![a-z])sk-")  # task-, risk-


# -- by words --------------------------------------------------------------------------------------


def _by_words(command: str) -> str:
    source = command.encode("utf-8", "surrogateescape")
    try:
        script = parse(source)
    except (ParseError, RecursionError):
        return _by_text(command)
    found = script.nodes()
    cuts: list[tuple[int, int, str]] = []
    for node in found:
        if isinstance(node, Assignment) and _is_secret_name(node.name):
            cuts.append((node.start, node.end, f"{node.name}={HIDDEN}"))
        elif isinstance(node, Command):
            cuts += _in_command(node)
        elif isinstance(node, Heredoc):
            body = source[node.start : node.end].decode("utf-8", "surrogateescape")
            cuts.append((node.start, node.end, _by_text(body)))
    return _cut(source, cuts).decode("utf-8", "surrogateescape")


def _cut(source: bytes, cuts: list[tuple[int, int, str]]) -> bytes:
    pieces: list[bytes] = []
    done = 0
    for start, end, replacement in sorted(cuts):
        if start >= done:
            pieces += [source[done:start], replacement.encode("utf-8", "surrogateescape")]
            done = end
    return b"".join([*pieces, source[done:]])


def _is_secret_name(name: str) -> bool:
    return len(name) <= _LONGEST_NAME and re.search(_SECRET_NAME, name) is not None


def _in_command(command: Command) -> Iterator[tuple[int, int, str]]:
    words = [(word, _known(word)) for word in command.words if isinstance(word, Word)]
    # Wrappers stand in front of programs: any word may be the program that has such an option.
    programs = frozenset(value.rsplit("/", 1)[-1] for _, value in words)
    follows = False
    for word, value in words:
        if follows:
            yield word.start, word.end, HIDDEN
        elif (shown := _shown(programs, value)) is not None:
            yield word.start, word.end, shown
        follows = not follows and _takes_secret(programs, value)


def _known(word: Word) -> str:
    """The word without its quotes, or the part of it in front of what is not known."""
    found = fields(word)
    return leading(word) if found is None else " ".join(field.text for field in found)


_SHORT = {
    "-p": frozenset(
        "mysql mysqldump mysqladmin mariadb sshpass docker podman helm mongosh".split()
    ),
    "-u": frozenset("curl wget http https xh ldapsearch".split()),
    "-a": frozenset(("redis-cli",)),
    "-w": frozenset(("ldapsearch", "ldapmodify", "security")),
    "-P": frozenset(("sshpass", "smbclient", "unzip")),
    "-U": frozenset(("curl", "smbclient")),
}
_USER_OPTIONS = frozenset(("--user", "--proxy-user"))  # name:password


def _takes_secret(programs: frozenset[str], value: str) -> bool:
    """Tell whether the next word is a secret."""
    if not programs.isdisjoint(_SHORT.get(value, ())):
        return True
    if value in _USER_OPTIONS and not programs.isdisjoint(_SHORT["-u"]):
        return True
    # `git config x.token VALUE`, `aws configure set aws_secret_access_key VALUE`
    names_it = value.startswith("-") or not programs.isdisjoint(("config", "set"))
    return names_it and "=" not in value and _is_secret_name(value)


def _shown(programs: frozenset[str], value: str) -> str | None:
    """What to show of a word that holds a secret; None if it holds none."""
    name, equals, _ = value.partition("=")
    if equals and (_is_secret_name(name) or name in _USER_OPTIONS):
        return f"{name}={HIDDEN}"
    for option, owners in _SHORT.items():
        attached = value.startswith(option) and len(value) > len(option)
        if attached and not programs.isdisjoint(owners):
            return f"{option}{HIDDEN}"
    hidden = _by_text(value)
    return None if hidden == value else _quoted(hidden)


def _quoted(value: str) -> str:
    if not re.search(r"[\s'\"$&|;<>()]", value):
        return value
    return "'" + value.replace("'", "'\\''") + "'"

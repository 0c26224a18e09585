"""Removes secrets from command lines before they are logged.

It does so twice: by words, as the shell reads them, so that quotes do not hide a password; then by
text, for here-documents, code and what cannot be parsed. In doubt a value is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from laconic.patterns import compiled
from laconic.secrets.arguments import operands_of, options_of, read_secrets
from laconic.secrets.shapes import SAYS_IT, SHAPES
from laconic.shell import ParseError, parse
from laconic.shell.ast import Assignment, Command, Heredoc, Substitution, Word, nodes
from laconic.shell.words import fields, leading, quoted

HIDDEN = "[hidden]"
_MOST_PARSED = 64 * 1024
_MOST_SHOWN = 16 * 1024
_LONGEST_NAME = 100
_DEEPEST = 3  # levels of command lines inside command lines

# In names of options, variables and fields: some words count anywhere, short ones only alone.
_SECRET_NAME = rf"(?i){SAYS_IT}|(?<![a-z])(?:pass|pwd|auth|bearer|cookie|pat|key|otp|pin)(?![a-z])"
_VALUE = r"(?:\"[^\"\n]*\"?|'[^'\n]*'?|[^\s;&|)}\"',]+)"
_TEXT_RULES = (
    # scheme://user:password@host, scheme://token@host
    r"(\b[a-z][a-z0-9+.-]{0,30}://)(?:[^\s/'\"<>@:]{0,99}:[^\s'\"<>]{0,500}|[^\s/'\"<>]{0,500})(?=@)",
    r"\b((?:bearer|basic)\s{1,8})[\w.~+/=-]{8,}",
    # "password": "...", password=..., --password ...
    rf"(?<![\w-])([\w-]{{0,40}}?(?:{SAYS_IT})[\w-]{{0,40}}[\"']?\s{{0,8}}[:=]\s{{0,8}}){_VALUE}",
    rf"(?<![\w-])(--?[\w-]{{0,40}}?(?:{SAYS_IT})[\w-]{{0,40}}\s{{1,8}})(?![-<]){_VALUE}",
    # ["password"] "...", as sops and jq take it
    rf"([\"'][\w-]{{0,40}}?(?:{SAYS_IT})[\w-]{{0,40}}[\"']\]\s{{1,8}}){_VALUE}",
    # PASSWORD '...' and IDENTIFIED BY '...' in SQL, a line of .netrc
    r"(\b(?:password|identified(?:\s{1,8}with\s{1,8}\S{1,40})?\s{1,8}by)\s{1,8})'[^'\n]*'",
    r"(\bmachine\s{1,8}\S{1,200}\s{1,8}login\s{1,8}\S{1,200}\s{1,8}password\s{1,8})\S+",
    # addresses that are signed, or that let in whoever knows them:
    # https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html,
    # https://learn.microsoft.com/rest/api/storageservices/service-sas, https://core.telegram.org/bots/api
    r"([?&](?:sig|key|[\w-]{0,40}signature)=)[^&\s'\"]+",
    r"(\bapi\.telegram\.org/bot)[^/\s'\"]+",
    r"(\b(?:(?:webhook|outlook)\.office|hooks\.zapier|maker\.ifttt)\.com/)[^\s'\"]+",
)
_HEADER = (
    rf"(?<![\w-])((?:(?:proxy-)?authorization|(?:set-)?cookie"
    rf"|[\w-]{{0,40}}?(?:x-auth|{SAYS_IT})[\w-]{{0,40}})\s{{0,8}}:\s{{0,8}})"
)
# A header extends to the end of its line, a private key to its own end or that of the text. Where
# commands may follow, only a word or two are hidden, so that no command can be hidden after them.
_IN_TEXT = (
    r"()-----BEGIN [A-Z ]{0,40}PRIVATE KEY[A-Z ]{0,40}-----.*?(?:-----END [A-Z ]{1,40}-----|\Z)",
    rf"{_HEADER}[^\n'\"]+",
)
_IN_COMMANDS = (rf"{_HEADER}(?:\w+\s{{1,8}}(?=[\w.~+/=-]{{8}}))?[^\s'\";|&]+",)

# Files that hold nothing but a secret: what is printed into them is one.
_HELD_BY_FILES = (
    r"(?:^|/)(?:\.vault-token|\.netrc|\.pgpass|\.git-credentials|\.pypirc|\.htpasswd"
    r"|credentials[\w.]*|[\w.-]*(?:password|passwd|passphrase|secret|token)[\w.-]*"
    r"|[\w.-]+\.(?:key|pem))$"
)
_PRINTERS = frozenset(("echo", "printf", "print"))
_PASSING_ON = frozenset(("cat", "tee", "tr", "base64"))  # they copy their input to their output

# A text of only these characters and without these words cannot match the rules above. They take
# three milliseconds to compile, and most commands of a hook are as plain as `git status`.
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz ./,:()")
_TELLING = (
    "passw", "passphrase", "passcode", "secret", "token", "credential", "key", "auth", "cookie",
    "bearer", "basic", "config", "set", "://", "hvs.", "dapi", "login", "unlock",
    "obscure", "net user", "/p:", "/p ",
)  # fmt: skip
# The same for paths, where a secret is recognised by its beginning (with an A, by more than that).
_PLAIN_IN_PATHS = _PLAIN | frozenset("BCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_BEGINNINGS = (
    "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "pat-", "ptt-", "dt-", "rt-", "cbt-",
    "soat-", "ft-", "sk-", "k_live_", "k_test_", "whsec_", "xox", "xapp-", "ya29.", "gocspx-",
    "npm_", "pypi-", "hf_", "_v1_", "sg.", "eyj", "dckr_pat_", "lin_api_", "sq0", "shp",
    "rubygems_", "figd_",
)  # fmt: skip


def redact(command: str) -> str:
    """Return the text without its secrets, truncated if it is very long. Never raises."""
    is_plain = _PLAIN.issuperset(command) and not any(word in command for word in _TELLING)
    return command if is_plain and len(command) <= _MOST_SHOWN else _searched(command)


def redact_path(path: str) -> str:
    """Return the path of a file without its secrets; no shell reads it."""
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
    except Exception:  # noqa: BLE001 - rather log nothing than a secret
        return HIDDEN


def _by_text(line: str, wide: tuple[str, ...] = _IN_TEXT) -> str:
    line = re.sub(_by_beginning(), HIDDEN, line)
    for rule in (*wide, *_TEXT_RULES):
        pattern = compiled(f"(?is){rule}")
        if pattern.search(line):  # sub() reads its template each time, which takes longer
            line = pattern.sub(rf"\1{HIDDEN}", line)
    return line


@lru_cache(maxsize=1)
def _by_beginning() -> str:
    """Build the pattern of all tokens that are recognised by their beginning."""
    patterns = (
        f"(?:{'|'.join(map(re.escape, shape.beginnings))}){shape.loosely}" for shape in SHAPES
    )
    return "|".join(patterns).replace("(?:sk\\-)", "(?<![a-z])sk-")  # task-, risk-


# -- by words --------------------------------------------------------------------------------------


def _by_words(command: str, depth: int = 0) -> str:
    source = command.encode("utf-8", "surrogateescape")
    try:
        script = parse(source)
    except (ParseError, RecursionError):
        return _by_text(_by_pieces(command))
    nodes = script.nodes()
    commands = [_Call(node) for node in nodes if isinstance(node, Command)]
    is_fed = any(sign in command for sign in _FEEDING) and any(c.reads_secret for c in commands)
    # Sorting is stable: of two cuts at the same place, the first counts.
    cuts = [cut for call in commands for cut in call.cuts(depth, is_fed=is_fed)]
    for node in nodes:
        if isinstance(node, Assignment) and (is_fed or _is_secret_name(node.name)):
            cuts.append((node.start, node.end, f"{node.name}={HIDDEN}"))
        elif isinstance(node, Heredoc):
            body = source[node.start : node.end].decode("utf-8", "surrogateescape")
            cuts.append((node.start, node.end, _within(body, depth)))
    return _cut(source, cuts).decode("utf-8", "surrogateescape")


def _by_pieces(command: str) -> str:
    """Redact text that no shell can parse, by the pieces between blanks."""
    found = list(re.finditer(r"\S+", command))
    pieces = [(piece[0].strip("'\"(){};"), piece) for piece in found]
    options = _Options([value for value, _ in pieces])
    if options.reads_secret and any(sign in command for sign in _FEEDING):
        return f"{pieces[0][0]} {HIDDEN}"
    shown, done, follows = [], 0, False
    for value, piece in pieces:
        is_sign = follows and value in _SIGNS
        hidden = HIDDEN if follows else options.shown(value, _DEEPEST)
        if hidden is not None and not is_sign:
            shown += [command[done : piece.start()], hidden]
            done = piece.end()
        follows = is_sign or (not follows and options.take_secret(value))
    return "".join([*shown, command[done:]])


def _within(text: str, depth: int) -> str:
    """Redact a text that may contain commands: `sh -c '...'`, `ssh host '...'`, `bash <<E`."""
    if depth < _DEEPEST and any(char in text for char in " \n|;"):
        text = _by_words(text, depth + 1)
    return _by_text(text)


def _cut(source: bytes, cuts: list[tuple[int, int, str]]) -> bytes:
    pieces: list[bytes] = []
    done = 0
    for start, end, replacement in sorted(cuts, key=lambda cut: cut[:1]):
        if start >= done:
            pieces += [source[done:start], replacement.encode("utf-8", "surrogateescape")]
            done = end
    return b"".join([*pieces, source[done:]])


def _is_secret_name(name: str) -> bool:
    return len(name) <= _LONGEST_NAME and re.search(_SECRET_NAME, name) is not None


class _Options:
    """The options of a command's programs whose values are secrets.

    Wrappers may come before the program, so any word may be the program that has such an option.
    """

    def __init__(self, values: list[str]) -> None:
        self._programs = frozenset(map(_name, values))
        self._next: set[str] = set()
        self._attached: set[str] = set()
        for _, following, attached in options_of(self._programs):
            self._next.update(following)
            self._attached.update(attached)
        self._seen: dict[str, str] = {}

    @property
    def reads_secret(self) -> bool:
        """Tell whether the standard input is a secret."""
        if "read" in self._programs and any(map(_is_secret_name, self._programs)):
            return True
        return read_secrets(self._programs)

    @property
    def are_printed(self) -> bool:
        return not _PRINTERS.isdisjoint(self._programs)

    @property
    def are_passed_on(self) -> bool:
        return not _PASSING_ON.isdisjoint(self._programs)

    def take_secret(self, value: str) -> bool:
        """Tell whether the word after this one is a secret."""
        if value in self._next or (value in _USER_OPTIONS and "-u" in self._next):
            return True
        # `git config x.token VALUE`, `aws configure set aws_secret_access_key VALUE`
        names_it = value.startswith("-") or not self._programs.isdisjoint(("config", "set"))
        return names_it and "=" not in value and _is_secret_name(value)

    def shown(self, value: str, depth: int) -> str | None:
        """Return what to show of a word that contains a secret; None if it contains none."""
        name, equals, _ = value.partition("=")
        if equals and (_is_secret_name(name) or name in _USER_OPTIONS):
            return f"{name}={HIDDEN}"
        for option in self._attached:
            if value.startswith(option) and len(value) > len(option):
                return f"{option}{HIDDEN}"
        if value not in self._seen:  # a long text repeats its words
            self._seen[value] = _within(value, depth)
        hidden = self._seen[value]
        return None if hidden == value else _quoted(hidden)


class _Call:
    """A command and the values of its words, as far as they are known."""

    def __init__(self, command: Command) -> None:
        self._redirects = command.redirects
        self._words = [(word, _known(word)) for word in command.words if isinstance(word, Word)]
        self._options = _Options([value for _, value in self._words])

    @property
    def reads_secret(self) -> bool:
        return self._options.reads_secret

    def cuts(self, depth: int, *, is_fed: bool) -> Iterator[tuple[int, int, str]]:
        """Yield replacements with start and end; is_fed: a command here reads a secret as input."""
        operands = self._secret_operands()
        is_printed = self._options.are_printed and (is_fed or self._fills_secret_file())
        follows = False
        for pos, (word, value) in enumerate(self._words):
            if follows and value in _SIGNS:
                continue
            if follows or pos in operands or (is_printed and pos and _is_plain_text(word, value)):
                yield word.start, word.end, HIDDEN
            elif is_fed and re.match(r"[A-Za-z_]\w*=", value):
                yield word.start, word.end, f"{value.partition('=')[0]}={HIDDEN}"
            elif (shown := self._options.shown(value, depth)) is not None:
                yield word.start, word.end, shown
            follows = not follows and self._options.take_secret(value)
        if is_fed and (self.reads_secret or self._options.are_passed_on):
            yield from self._cuts_of_input()

    def _fills_secret_file(self) -> bool:
        return any(
            redirect.operator.startswith(">") and re.search(_HELD_BY_FILES, _known(redirect.target))
            for redirect in self._redirects
        )

    def _cuts_of_input(self) -> Iterator[tuple[int, int, str]]:
        for redirect in self._redirects:
            body = redirect.heredoc
            if body and body.end > body.start:
                yield body.start, body.end, f"{HIDDEN}\n"
            elif redirect.operator == "<<<":
                yield redirect.target.start, redirect.target.end, HIDDEN

    def _secret_operands(self) -> set[int]:
        """Find the secret operands of `vault login` and the like, also after a wrapper."""
        values = [_name(value) for _, value in self._words]
        operands: set[int] = set()
        for path, first in operands_of(dict.fromkeys(values)):
            if path[-1] not in values:
                continue
            at = values.index(path[0])
            places = [pos for pos, value in enumerate(values) if pos >= at and value in path]
            if [values[pos] for pos in places[: len(path)]] != path:
                continue
            behind = range(places[len(path) - 1] + 1, len(values))
            operands.update([pos for pos in behind if values[pos][:1] not in "-+"][first:])
        return operands


def _is_plain_text(word: Word, value: str) -> bool:
    """Tell whether a word is plain text and runs nothing; options and formats do not count."""
    runs = any(isinstance(node, Substitution) for node in nodes(word))
    return not runs and value not in _FORMATS and bool(value or word.parts)


def _known(word: Word) -> str:
    """Return the word without its quotes, up to the first part that is not known."""
    parts = fields(word)
    return leading(word) if parts is None else " ".join(field.text for field in parts)


def _name(value: str) -> str:
    return value.rsplit("/", 1)[-1]


_FEEDING = ("|", "<<", "<(")  # how a text reaches the standard input of a command
_FORMATS = frozenset(("-n", "-e", "-ne", "-en", "-E", "--", "-r", "%s", "%s\\n", "%b"))
_USER_OPTIONS = frozenset(("--user", "--proxy-user"))  # name:password
_SIGNS = frozenset(("=", ":", "=>"))  # between a name and its value, as in settings


def _quoted(value: str) -> str:
    if not re.search(r"[\s'\"$&|;<>()]", value):
        return value
    return quoted(value)

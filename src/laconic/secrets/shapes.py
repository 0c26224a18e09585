"""The shapes of secrets: beginnings of tokens, and names of variables that hold a secret.

One list serves two purposes: `redact`, for logged commands, hides in doubt; `mask`, for output that
an agent reads, must not hide what is not a secret.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os.path import dirname

from laconic import knowledge
from laconic.patterns import pattern

_FILE = f"{dirname(knowledge.__file__)}/data/secrets/tokens.txt"  # noqa: PTH120 - as below
_SHORTEST_VALUE = 8
_SHORTEST_WORD = 16  # shorter letters-only values are mostly words: postgres, development
_SHORTEST_NUMBER = 12
_LONGEST_VALUE = 4096


class Shape:
    """A kind of token, by its row in data/secrets/tokens.txt, which says what each part is."""

    def __init__(
        self, name: str, beginnings: str, strictly: str, loosely: str = "", sign: str = ""
    ) -> None:
        self.sign = sign
        self.name, self.beginnings = name, beginnings.split() or [""]
        self.strictly, self.loosely = strictly, loosely or r"[\w-]{8,}"


def _read_shapes() -> Iterator[Shape]:
    with open(_FILE, encoding="utf-8") as file:  # noqa: PTH123 - pathlib is slow to load
        for line in file:
            if line.strip() and not line.startswith("#"):
                yield Shape(*line.rstrip("\n").split(" | "))


SHAPES = tuple(_read_shapes())

# Words that mark a secret anywhere in the name of an option, a variable or a field.
SAYS_IT = (
    r"passw(?:or)?d|passphrase|passcode|secret|token|credential|api[-_]?key|access[-_]?key"
    r"|private[-_]?key|signing[-_]?key|encryption[-_]?key|account[-_]?key"
)
# Names that only describe a secret: its place, its kind, its age.
_TELLS_OF_IT = (
    r"(?:file|path|dir|directory|url|uri|host|port|name|user|username|type|id|ids|expiry|expires"
    r"|ttl|timeout|length|count|limit|sock|cmd|command|helper|endpoint|server|issuer|audience"
    r"|version|enabled|disabled|required|format|prefix|scope|scopes|region|env)"
)


_SAYS = pattern(rf"(?i){SAYS_IT}|(?:^|_)(?:pass|pwd|pat|auth[-_]?key|auth)$")
_TELLS = pattern(rf"(?i)_{_TELLS_OF_IT}$|^(?:old)?pwd$")


def secret_values(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the secrets in an environment, each with the name of its variable."""
    secrets: dict[str, str] = {}
    for name, value in environ.items():
        is_key_id = name.upper().endswith("ACCESS_KEY_ID")  # AWS: half of a pair, and of that shape
        if _SAYS.search(name) and (is_key_id or not _TELLS.search(name)):
            for line in value.splitlines():  # a key has many
                if is_secret_value(line.strip()):
                    secrets.setdefault(line.strip(), name)
    return secrets


def is_secret_value(value: str) -> bool:
    """Tell whether a value is too special to appear in an output by chance."""
    if not _SHORTEST_VALUE <= len(value) <= _LONGEST_VALUE:
        return False
    if value.startswith(("/", "~/", "./")) and value.count("/") > 1:
        return False  # the path of a secret, and of much else
    if len(set(value)) < _SHORTEST_VALUE // 2:
        return False
    if value.isalpha():
        return len(value) >= _SHORTEST_WORD
    if all(char.isdigit() or char in "-.:/ " for char in value):
        return value.isdigit() and len(value) >= _SHORTEST_NUMBER
    words = value.replace("-", " ").replace("_", " ").replace(".", " ").split()
    if all(word.isalpha() and word.islower() for word in words):  # change-me-please, x.example.com
        return len(value) >= _SHORTEST_WORD
    return True


# -- values that stand beside their names ----------------------------------------------------------

_NAME = rf"(?:{SAYS_IT}|(?:(?<=_)|\b)(?:pass|pwd|pw|auth[-_]?key|auth))"
_QUIET = r"[^\s\"'`\\<>(){}\[\]$%*]"
# The secret is the group of each: a field of JSON, a line of a file of settings or of variables,
# and what an address has before its host, a header.
_VARIABLE = (
    r"(?!\w*(?:PUBLIC|CACHE|SORT|PRIMARY|FOREIGN))(?:[A-Z_][A-Z0-9_]{0,60}?)?"
    r"(?:PASS|PW|PWD|PASSWORD|PASSWD|SECRET|TOKEN|KEY|CREDENTIALS?|AUTH)(?:_[0-9]{1,2})?"
)
_SETTING = r"(?:[a-z][\w.-]{0,60})?(?:password|passwd|secret|token|secret_access_key|api_?key)"
_RANDOM = r"(?=\S*[0-9])(?=\S*[A-Za-z])[\w/+=-]{16,500}"
ASSIGNED = (
    rf"(?i)[\"'][\w.-]{{0,40}}{_NAME}[\"']\s{{0,4}}:\s{{0,4}}\"([^\"\\\s]{{6,500}})\"",
    rf"(?m)^\s{{0,8}}(?:export\s{{1,4}}|-\s)?{_VARIABLE}=[\"']?({_QUIET}{{6,500}})",
    rf"(?im)^\s{{0,8}}{_SETTING}\s{{0,4}}[=:]\s{{0,4}}({_RANDOM})\s*$",
    r"(?:\b[a-z][a-z0-9+.-]{1,30})?://[^\s/\"'<>@:]{0,99}:([^\s\"'<>@/]{3,200})@",
    rf"(?i)\b(?:bearer|basic)\s{{1,8}}({_RANDOM})",
    r"\bhttps?://([0-9a-f]{32})(?::[0-9a-f]{32})?@",
    rf"://({_RANDOM})@",
    # https://docs.npmjs.com/cli/configuring-npm/npmrc#auth-related-configuration
    rf"(?i)//[^\s=]{{1,200}}/:_(?:authToken|auth|password)\s{{0,4}}=\s{{0,4}}[\"']?({_QUIET}{{6,500}})",
    rf"(?im)^\s{{0,4}}_(?:authToken|auth|password)\s{{0,4}}=\s{{0,4}}({_RANDOM})\s*$",
    # Headers of HTTP, as curl -v and -i print them: https://www.rfc-editor.org/rfc/rfc6265#section-4
    r"(?im)^\s{0,4}(?:[<>]\s)?set-cookie:\s{0,4}[^=;\s]{1,100}=([^;\s]{6,2000})",
    r"(?im)^\s{0,4}(?:[<>]\s)?cookie:\s{0,4}[^=;\s]{1,100}=([^\r\n]{6,2000})",
    rf"(?im)^\s{{0,4}}(?:[<>]\s)?[\w-]{{0,40}}(?:api-?key|token)\s{{0,4}}:\s{{0,4}}({_RANDOM})\s*$",
    # Addresses that are signed: whoever knows one is let in
    r"(?im)(?:^|[?&])(?:sig|[\w-]{0,40}-signature)=([^&\s'\"<>]{16,500})",
    # https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html
    r"(?i)\bmachine\s{1,8}\S{1,200}\s{1,8}login\s{1,8}\S{1,200}\s{1,8}password\s{1,8}(\S{3,200})",
    r"(?im)^\s{0,8}password[ \t]{1,4}((?=\S*[0-9])(?=\S*[A-Za-z])[^\s\"'(){}=,;]{8,200})\s*$",
    # https://www.postgresql.org/docs/current/libpq-pgpass.html
    r"(?m)^[\w.*-]{1,100}:(?:543[0-9]|6432|\*):[^:\s/]{1,60}:[^:\s/]{1,60}:(\S{3,200})\s*$",
    # The keys of WireGuard, as wg genkey makes them
    r"(?m)^\s{0,4}(?:PrivateKey|PresharedKey)\s{0,4}=\s{0,4}([A-Za-z0-9+/]{43}=)\s*$",
)  # fmt: skip
_PLACEHOLDERS = frozenset(
    """
    admin changeme default dummy example fixme guest hidden localhost mysql none null pass passwd
    password placeholder postgres pw redacted rabbitmq redis root secret test testing todo token
    undefined user username yourpassword xxx
    """.split()
)
_SHORTEST_ASSIGNED = 6


def is_assigned_secret(value: str) -> bool:
    """Tell whether what stands beside the name of a secret is one, and not what stands for one."""
    plain = value.lower().strip("<>[]{}()$%*. ")
    is_short = len(plain) < _SHORTEST_ASSIGNED
    if is_short or plain in _PLACEHOLDERS or value[:1] in "$<{%[*(" or len(set(plain)) < 4:  # noqa: PLR2004
        return False
    words = plain.replace("-", " ").replace("_", " ").replace(".", " ").split()
    has_mark = any(char.isdigit() for char in value) or not value.replace("_", "").isalnum()
    is_word = all(word.isalpha() for word in words) and value == value.lower()
    if is_word and len(words) > 1 and not _PLACEHOLDERS.isdisjoint(words):
        return False
    return has_mark or not is_word or len(value) >= _SHORTEST_WORD

"""Which files hold keys, passwords or tokens, by any spelling: as written, or by a pattern."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from laconic.files import folded
from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.globs import WILD, fits, is_meant, overlaps, parts_of
from laconic.reading.place_names import SECRET_NAMES
from laconic.reading.places import Facts, meant
from laconic.types import Effect

# Words that a directory or a harmless file has for a name as well, if it begins with a capital.
_PLAIN_WORDS = frozenset(filter(str.isalpha, SECRET_NAMES))
_HARMLESS_TWIN = pattern(
    r"\.(?:pub|example|sample|template|tmpl|dist|defaults?|schema)$"
    r"|(?:^|[/_.-])pub(?:lic)?(?:[_-]?key)?\.(?:pem|key|der|asc|p8)$"
    r"|(?:^|/)(?:example|sample|template|dist)\.env$|(?:^|/)known_hosts(?:\.old)?$",
    re.IGNORECASE,
)
_SETTINGS = ".npmrc"
_LOGS_IN = pattern(r"(?i)auth|token|pass|secret|//")  # also in a comment
_BETWEEN_PATHS = pattern(r"[\s'\"`()\[\]{}<>|;&,%@]+")
_MOST_DIRECTORIES = 32
_MOST_ENTRIES = 64
_MOST_MATCHES = 1024
_ANY_OF_KIND = pattern(r"\*+(\.[a-z0-9_]+)")


_SPLIT = [name.lower().split("/") for name in SECRET_NAMES]
_HIDDEN = [parts for parts in _SPLIT if parts[0][0] == "."]
_PLAIN = [parts for parts in _SPLIT if parts[0][0] != "."]
_NAMED: dict[str, list[tuple[str, list[str]]]] = {}
_PATTERNS: dict[str, list[list[str]]] = {}  # by the first letter, or `*` and the last
_ENDINGS = frozenset(n[1:] for n in SECRET_NAMES if n[:2] == "*." and n.count(".") == 1)
for _name, _parts in zip(SECRET_NAMES, _SPLIT, strict=True):
    if "*" not in _parts[0]:
        _NAMED.setdefault(_parts[0], []).append((_name, _parts))
    elif _name[1:] not in _ENDINGS:
        _letters = _parts[0][0] if _parts[0][0] != "*" else f"*{_parts[0][-1]}"
        _PATTERNS.setdefault(_letters, []).append(_parts)


@lru_cache(256)
def is_secret(path: str, *, glob: bool = False) -> bool:
    """Tell whether a path leads to keys, passwords or tokens; glob: whether it may."""
    if _HARMLESS_TWIN.search(path):
        return False
    parts = (path if path.isascii() else folded(path)).split("/")
    if any(_begins_secret(parts, pos) for pos in range(len(parts))):
        return True
    return glob and WILD.search(path) is not None and _may_lead_to_secret(path)


def is_unmistakable(word: str) -> bool:
    """Tell whether a word can hardly be anything but the path of a secret, `.env` or `a/id_rsa`."""
    value = word.rpartition("=")[2]
    name = value.rpartition("/")[2]
    is_path = name != value or name[:1] == "." or f".{name.rpartition('.')[2]}" in _ENDINGS
    return is_path and " " not in word and is_secret(value)


def names_unmistakable(text: str) -> bool:
    """Tell whether such a path stands anywhere in a text: `print(read("~/.ssh/id_rsa"))`.

    A name without a directory may be what a sentence is about.
    """
    pieces = _BETWEEN_PATHS.split(text)
    return any(is_unmistakable(one) for one in pieces if "/" in one or len(pieces) == 1)


# Programs that name files or ask about them, and print nothing of what is in them; or that use a
# key for what it is.
_NAMING = frozenset(
    """
    [ alias basename cd certtool chmod chown cksum command curl dirname docker docker-compose du
    echo exa export eza file find getfacl getfattr gh git glab helm keytool kubectl laconic ln ls
    lsattr lsd md5sum mkdir nah nerdctl npm oc pnpm podman popd printf psql pushd pwd readlink
    realpath rm rmdir rsync security sha1sum sha256sum sha512sum shasum ssh-add ssh-keygen
    ssh-keyscan stat step terraform test tofu touch trap tree type unset wget which xattr yarn
    """.split()
)
# Handlers that tell the files among the arguments from all else.
_TELLING = frozenset(
    "awk copying env grep jq less openssl parallel python running sed shells sql tar xargs".split()
)


# Those that publish what the files hold when they send something.
_PUBLISH = frozenset(("gh", "glab", "npm", "pnpm", "yarn"))


def opens_no_files(program: str, handler: str, effects: Effect) -> bool:
    """Tell whether a word that looks like a file need not be one that the program reads."""
    if program in _PUBLISH and effects & Effect.SENDS:
        return False
    return program in _NAMING or handler in _TELLING


def _begins_secret(parts: list[str], pos: int) -> bool:
    """Tell whether the name of a secret, or of a directory of secrets, is part of the path."""
    first = parts[pos].lower()
    if not first:
        return False
    for name, wanted in _NAMED.get(first, ()):
        is_same = name not in _PLAIN_WORDS or parts[pos] == name
        if is_same and _fit(wanted, parts[pos : pos + len(wanted)]):
            return True
    if f".{first.rpartition('.')[2]}" in _ENDINGS and "." in first:
        return True
    patterns = (*_PATTERNS.get(first[0], ()), *_PATTERNS.get(f"*{first[-1]}", ()))
    return any(_fit(wanted, parts[pos : pos + len(wanted)]) for wanted in patterns)


def _fit(wanted: list[str], parts: list[str]) -> bool:
    return len(wanted) == len(parts) and all(map(fits, wanted, map(str.lower, parts)))


def matching(path: str, names: Callable[[str], Iterable[str]]) -> list[str]:
    """The files that a pattern matches, as far as directories can be listed."""
    paths = [""]
    for part, wanted in zip(path.split("/")[1:], parts_of(path)[1:], strict=True):
        if WILD.search(part) is None:
            paths = [f"{directory}/{part}" for directory in paths]
            continue
        paths = [
            f"{directory}/{name}"
            for directory in paths[:_MOST_DIRECTORIES]
            for name in names(directory or "/")
            if overlaps(wanted, folded(name))
        ]
    return paths


def led_matches(path: str, facts: Facts) -> tuple[str, ...]:
    """Where those files are that a pattern matches by way of a link."""
    known = facts.meant.get((path, "*")) if facts.links is None else None
    if known is None:
        found = matching(path, facts.names)[:_MOST_MATCHES]
        led = [one for one in found if facts.ends(one) != [one] or facts.twins(one)]
        ways = (way for one in led[:_MOST_ENTRIES] for way in meant(one, "/", facts))
        known = facts.meant[path, "*"] = tuple(dict.fromkeys(ways))
    return known


def may_be_secret(argument: Argument, directories: list[str], facts: Facts) -> bool:
    """Tell whether an argument may name a secret: as written, by a pattern, or through links.

    directories: those that the path may start from.
    """
    is_open = argument.text is None or argument.glob
    if not is_open and is_harmless_settings(argument.text or "", directories, facts):
        return False
    if any(is_secret(shape, glob=is_open) for shape in argument.shapes):
        return True
    for cwd in directories:
        for text in argument.texts:
            for path in meant(text, cwd, facts):
                if is_secret(path, glob=is_open):
                    return True
                if argument.glob and any(map(is_secret, matching(path, facts.names))):
                    return True
                if argument.glob and any(map(is_secret, led_matches(path, facts))):
                    return True
        for shape in argument.shapes if argument.text is None else ():
            # a pattern that a loop goes over
            paths = meant(shape, cwd, facts) if shape.startswith(("/", "./")) else ()
            if any(is_secret(one) for path in paths for one in matching(path, facts.names)):
                return True
    return False


def is_harmless_settings(path: str, directories: list[str], facts: Facts) -> bool:
    """Tell whether it is a file of settings without a server or a token: `.npmrc` of many."""
    if not path.endswith(_SETTINGS):
        return False
    from laconic.reading.registries import is_harmless_file  # noqa: PLC0415 - seldom

    paths = [one for cwd in directories for one in meant(path, cwd, facts)]
    texts = (facts.text(one) for one in paths if one.endswith(f"/{_SETTINGS}"))
    is_plain = [text is not None and _LOGS_IN.search(text) is None for text in texts]
    return (
        bool(paths)
        and len(is_plain) == len(paths)
        and all(is_plain)
        and all(is_harmless_file(one, facts) for one in paths)
    )


def secrets_below(directory: str, directories: list[str], facts: Facts) -> Iterator[str]:
    """The names of secrets in a directory, and in those that it holds."""
    for cwd in directories:
        for top in meant(directory, cwd, facts):
            entries = list(facts.names(top))
            yield from filter(is_secret, entries)
            for entry in entries[:_MOST_ENTRIES]:
                yield from filter(is_secret, facts.names(f"{top}/{entry}"))


# Parts of the names of variables that hold secrets; there is a password in DATABASE_URL, too.
_SECRET_VARIABLE = pattern(
    r"""passw(?:or)?d | passphrase | token | secret | credential | private | jwt | signature
    | webhook
    | (?<![a-z])(?:pass|pwd|pw|auth|bearer|cookies?|pat|otp|pin|creds?|dsn)(?![a-z])
    | (?<![a-z])(?:api|app|auth|access|account|deploy|encryption|master|signing|ssh)?keys?(?![a-z])
    | (?:database|db|redis|mongo(?:db)?|postgres(?:ql)?|mysql|amqp|rabbitmq|broker|cache|sentry)
      _?(?:url|uri|dsn)
    | (?<![a-z])(?:admin|db|ftp|mail|my|mysql|pg|redis|root|smtp|ssh|sudo|user)(?:pass|pw)(?![a-z])
    | (?<![a-z])(?:pem|salt|sas)(?![a-z]) | (?-i:^(?:ACCESS|SESSION|SIGNING)$)
    | connection_?string | (?<![a-z])conn_?str(?![a-z])""",
    re.IGNORECASE | re.VERBOSE,
)
_HARMLESS_VARIABLES = frozenset(
    "PWD OLDPWD SSH_AUTH_SOCK GPG_KEY TOKENIZERS_PARALLELISM tokens keys key token_count".split()
)


def is_secret_variable(name: str) -> bool:
    """Tell whether a variable of this name may hold a key, a password or a token."""
    return name not in _HARMLESS_VARIABLES and _SECRET_VARIABLE.search(name) is not None


# -- patterns --------------------------------------------------------------------------------------


def _may_lead_to_secret(path: str) -> bool:
    parts = parts_of(path)
    for first, part in enumerate(parts):
        for wanted in _candidates(part):
            pairs = list(zip(parts[first:], wanted, strict=False))
            if len(pairs) < len(wanted) or not any(is_meant(*pair) for pair in pairs):
                continue
            if all(overlaps(*pair) for pair in pairs):
                return True
    return False


def _candidates(part: str) -> Iterable[list[str]]:
    """The names whose first part may be that one; alone, `*` is not about any of them."""
    is_hidden = part[:1] == "."
    if WILD.search(part) is None:
        named = [wanted for _, wanted in _NAMED.get(part, ())]
        return [*named, *(_PATTERNS.get(".", ()) if is_hidden else ())]
    if simple := _ANY_OF_KIND.fullmatch(part):  # `*.py` is about the names that end so
        return [name for name in _PLAIN if name[0][0] == "*" and name[0].endswith(simple[1])]
    names = _HIDDEN if is_hidden else _PLAIN
    return names if part.strip("*") else (name for name in names if len(name) > 1)

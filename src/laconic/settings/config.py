"""The tables and keys that a configuration file may contain, and their meanings.

This is the one place to add a key: its type is checked, its meaning is printed in the
documentation, and `strict` says what a project may do before it is trusted.  The default values
are in `data/defaults.toml`.

A hook loads this module before every command, so the annotations stay strings until
`laconic.settings.schema` evaluates them.
"""

from __future__ import annotations

from os.path import dirname, join
from types import MappingProxyType

from laconic.types import BOXABLE, EFFECTS, MEANINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Annotated, Any, Literal, Self

    from laconic.settings.schema import Name

DEFAULTS = join(dirname(__file__), "data", "defaults.toml")  # noqa: PTH118, PTH120 - see above
EXTEND = "extend"


class Option:
    """The meaning of a key, and how layers combine its values.

    strict: the value that an untrusted project may set because it only makes laconic stricter, or
    EXTEND for a list to which it may add.
    lists: `extend` the earlier layers, `override` them, or `only extend` (nothing can be removed).
    flags: what `false` and `true` mean, which older files say instead of a word.
    """

    __slots__ = ("flags", "lists", "meaning", "strict")

    def __init__(
        self,
        meaning: str,
        strict: object = None,
        lists: Literal["extend", "override", "only extend"] = "extend",
        flags: tuple[str, ...] = (),
    ) -> None:
        self.meaning, self.strict, self.lists, self.flags = meaning, strict, lists, flags


class Section:
    """A table; its keys are attributes that never change. A class attribute is a default."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} cannot be changed")

    def but(self, **values: Any) -> Self:
        """Return a copy with other values."""
        return type(self)(**{**self.__dict__, **values})


_ALLOWED_WITH_CONFIG = Option("subcommands that run without a question when `config_env` holds")
_CONFIG_ENV = Option('variables and the value each must have, "*" for any')
_READ_ONLY = Option("subcommands that run without a question")
_MUTATING = Option("subcommands that ask", EXTEND)


class General(Section):
    """How laconic answers."""

    escalate_deny: Annotated[bool, Option("turn every deny into ask", strict=False)]
    unknown: Annotated[
        Literal["defer", "ask"],
        Option("a command that laconic does not know: leave it to the agent, or ask", strict="ask"),
    ]
    gate: Annotated[
        Literal["enforce", "advise", "off"],
        Option("answer allow, ask and deny; never answer allow; or answer nothing"),
    ]
    profile: Annotated[
        Literal["guard", "default", "work", "strict", "relaxed"],
        Option("what is allowed and what asks, by effect; `relaxed` is `work`", strict="strict"),
    ]
    soft: Annotated[
        Literal["defer", "ask"],
        Option("soft effects that are not allowed: leave them to the agent, or ask", strict="ask"),
    ]
    box: Annotated[bool, Option("run in the box what the profile wants there")]


_ANSWERS = "'profile', 'allow', 'ask', 'deny'"


class Effects(Section):
    """The answers to effects: as the profile says, or `allow`, `ask` or `deny`.

    `box`: allow in the box, where there is one. Nothing here makes secrets, sends, guarded-write or
    destroys looser than the profile.
    """

    __annotations__ = {
        word: f"Annotated[Literal[{answers}], Option('{meaning}', 'ask')]"
        for word, meaning in MEANINGS.items()
        for answers in (_ANSWERS + (", 'box'" if EFFECTS[word] & BOXABLE else ""),)
    }


class Paths(Section):
    """Files with rules of their own, by pattern; patterns are relative to the project."""

    write: Annotated[tuple[str, ...], Option("files that may be written without a question")]
    never_write: Annotated[tuple[str, ...], Option("files that ask when they are written", EXTEND)]
    secret: Annotated[tuple[str, ...], Option("files that hold secrets", EXTEND)]


class Commands(Section):
    """Commands by name, or by their first words: `terraform apply`.

    A rule in `allow` opens exactly what it says; `*` stands for one word, at its end for the rest.
    """

    allow: Annotated[tuple[Name, ...], Option("run without a question")]
    ask: Annotated[tuple[Name, ...], Option("ask first", EXTEND)]
    deny: Annotated[tuple[Name, ...], Option("never run", EXTEND)]
    messages: Annotated[Mapping[str, str], Option("what to say of entries of these lists")]
    instead: Annotated[Mapping[str, str], Option("what to do in place of entries of these lists")]


class Wrappers(Section):
    """Commands that run the command in their arguments; that command is judged as well."""

    allow_floor: Annotated[tuple[Name, ...], Option("the inner command decides")]
    ask_floor: Annotated[tuple[Name, ...], Option("ask, or what is stricter", EXTEND)]


class Git(Section):
    """The subcommands of git."""

    read_only: Annotated[tuple[Name, ...], _READ_ONLY]
    allowed_with_config: Annotated[tuple[Name, ...], _ALLOWED_WITH_CONFIG]
    force_push_flags: Annotated[tuple[Name, ...], Option("options with which a push asks", EXTEND)]
    config_env: Annotated[Mapping[str, str], _CONFIG_ENV]


class Cargo(Section):
    """The subcommands of cargo."""

    safe_subcommands: Annotated[tuple[Name, ...], _READ_ONLY]
    allowed_with_config: Annotated[tuple[Name, ...], _ALLOWED_WITH_CONFIG]
    config_env: Annotated[Mapping[str, str], _CONFIG_ENV]


class Kubectl(Section):
    """The subcommands of kubectl."""

    read_only: Annotated[tuple[Name, ...], _READ_ONLY]
    mutating: Annotated[tuple[Name, ...], _MUTATING]
    allowed_with_config: Annotated[tuple[Name, ...], _ALLOWED_WITH_CONFIG]
    config_env: Annotated[Mapping[str, str], _CONFIG_ENV]


class Gh(Section):
    """The subcommands of gh, one or two words each."""

    read_only: Annotated[tuple[Name, ...], _READ_ONLY]
    mutating: Annotated[tuple[Name, ...], _MUTATING]
    allowed_with_config: Annotated[tuple[Name, ...], _ALLOWED_WITH_CONFIG]
    config_env: Annotated[Mapping[str, str], _CONFIG_ENV]


class External(Section):
    """A program of the user's that decides."""

    command: Annotated[str, Option("the program")]
    args: Annotated[
        tuple[str, ...], Option("its arguments; `{format}` is the agent's name", lists="override")
    ]
    timeout_ms: Annotated[int, Option("how long it may take")]
    on_error: Annotated[
        Literal["ask", "allow", "builtin"], Option("the answer when it fails or takes too long")
    ]
    format_map: Annotated[Mapping[str, str], Option("other names for agents in `{format}`")]


class Permissions(Section):
    """Whether laconic or another program decides."""

    engine: Annotated[
        Literal["builtin", "external"], Option("laconic, or the program in [permissions.external]")
    ]
    external: External


class RewriteRule(Section):
    """A rewrite of the user's; the first that matches is used."""

    match: str  # a rule whose pattern does not compile is left out; the others stay
    replace: str


class Pipe(Section):
    """Commands that end in `| head`, `| tail` or `| grep`."""

    strip: Annotated[bool, Option("take the pipe off and honour it on the compact output")]
    prefer_less: Annotated[bool, Option("print the shorter of compact and piped output")]


class Skip(Section):
    """Commands that are never rewritten."""

    patterns: Annotated[tuple[str, ...], Option("regular expressions on the command's text")]
    exclude: Annotated[
        tuple[Name, ...],
        Option("first words of commands, blanks between them, or patterns that begin with ^"),
    ]


class Transparent(Section):
    """Commands whose arguments run elsewhere, for example on another machine (ssh)."""

    commands: Annotated[
        tuple[Name, ...],
        Option("names; your rewrites are not applied to them", lists="only extend"),
    ]


class LocalRule(Section):
    """A wrapper of the user's: the command follows the marker."""

    command: Name
    markers: tuple[Name, ...]
    subcommands: tuple[Name, ...] = ()


class LocalWrapper(Section):
    """Wrappers that run a command in a local environment, like `nix develop -c`."""

    builtins: Annotated[bool, Option("use the built-in wrappers")]
    disabled: Annotated[tuple[Name, ...], Option("built-in wrappers not to use")]
    rules: Annotated[tuple[LocalRule, ...], Option("wrappers: command, subcommands, markers")]


class Compact(Section):
    """What the agent reads of a command's output, and what is kept of the rest."""

    enabled: Annotated[bool, Option("compact the output of commands")]
    logs: Annotated[
        bool, Option("count the lines of a large log by kind, where `cat` or `tail` prints it")
    ]
    store_mb: Annotated[int, Option("how much hidden output is kept, in megabytes")]
    store_days: Annotated[int, Option("how long hidden output is kept, in days")]


class Hooks(Section):
    """How laconic answers the hooks of agents."""

    cannot_ask: Annotated[
        Literal["deny", "defer"],
        Option("ask, where an agent cannot: deny and say why, or leave it to the agent", "deny"),
    ]
    replace_output: Annotated[
        Literal["seen", "always", "never"],
        Option(
            "compact the output of commands that were not wrapped: where the real agent was seen to"
            " take it, where an agent says that it can, or not",
            flags=("never", "always"),
        ),
    ]
    introduce: Annotated[
        bool,
        Option("tell the model when a session begins what the last line of an output means"),
    ]


class Box(Section):
    """What a command in the box can reach, besides its project."""

    write: Annotated[tuple[str, ...], Option("further places to write; `~/` is the home")]
    read: Annotated[tuple[str, ...], Option("places that are not hidden although they would be")]
    hide: Annotated[tuple[str, ...], Option("further places that cannot be read", EXTEND)]
    network: Annotated[
        Literal["listed", "none", "host"],
        Option("the hosts that are listed; only its own loopback; or the network as it is", "none"),
    ]
    hosts: Annotated[
        tuple[str, ...],
        Option("hosts that it reaches by TLS; `NAME:80`: by HTTP. A project's file cannot add any"),
    ]
    ports: Annotated[
        tuple[int, ...],
        Option("ports of this machine that it reaches. A project's file cannot add any"),
    ]
    keep_env: Annotated[
        tuple[Name, ...],
        Option("variables that stay although they look secret; `*` for any"),
    ]


class Undo(Section):
    """What is kept so that commands can be undone."""

    store_mb: Annotated[int, Option("how much is kept for `laconic undo`, in megabytes")]
    store_days: Annotated[int, Option("how long it is kept, in days")]


class Rules(Section):
    """Further rules (docs/library.md)."""

    stacks: Annotated[
        tuple[Name, ...],
        Option("catalogues of rules to use: rust, python, ..; auto: as the project's files say"),
    ]


class Export(Section):
    """What `laconic export` sends, and where. A project's file has no say in it."""

    endpoint: Annotated[
        str, Option("where figures go by OTLP over HTTP: `http://127.0.0.1:4318`; empty: nowhere")
    ]
    headers_file: Annotated[
        str, Option("a file that only you can read, with a line `Name: value` for each header")
    ]
    decisions: Annotated[bool, Option("send each decision, not only sums")]
    commands: Annotated[bool, Option("with their commands, without secrets")]
    team: Annotated[str, Option("the name of your team")]
    key_file: Annotated[
        str, Option("the key by which people and projects are hashed; empty: one of this machine")
    ]


class Debug(Section):
    """Diagnostics."""

    log_parse_failures: Annotated[bool, Option("say on stderr when a command cannot be parsed")]


class Config(Section):
    """A whole configuration."""

    rewrite: Annotated[tuple[RewriteRule, ...], Option("your rewrites: match, replace")]
    settings: General
    effects: Effects
    paths: Paths
    commands: Commands
    wrappers: Wrappers
    git: Git
    cargo: Cargo
    kubectl: Kubectl
    gh: Gh
    permissions: Permissions
    pipe: Pipe
    skip: Skip
    transparent: Transparent
    local_wrapper: LocalWrapper
    compact: Compact
    hooks: Hooks
    box: Box
    undo: Undo
    rules: Rules
    export: Export
    debug: Debug


# Lists of one table that may not share a name, ordered from the least to the most strict.
STRICTNESS: Mapping[str, tuple[str, ...]] = {
    "commands": ("allow", "ask", "deny"),
    "wrappers": ("allow_floor", "ask_floor"),
    "kubectl": ("read_only", "mutating"),
    "gh": ("read_only", "mutating"),
}

# Values from the loosest to the strictest: of a user's and the policy's the stricter one counts.
PROFILE_ORDER = ("guard", "relaxed", "work", "default", "strict")
ORDERS: Mapping[str, tuple[object, ...]] = {
    "settings.escalate_deny": (True, False),
    "settings.unknown": ("defer", "ask"),
    "settings.soft": ("defer", "ask"),
    "hooks.cannot_ask": ("defer", "deny"),
    "box.network": ("host", "listed", "none"),
}


# -- conversion to and from plain values, which a cache can hold -----------------------------------


def packed(value: Any) -> Any:
    if isinstance(value, Section):
        items = {key: packed(item) for key, item in value.__dict__.items()}
        return {None: type(value).__name__, **items}
    if isinstance(value, tuple):
        return tuple(packed(item) for item in value)
    return dict(value) if hasattr(value, "items") else value


def unpacked(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple([unpacked(item) for item in value])
    if isinstance(value, dict) and None in value:
        items = {key: unpacked(item) for key, item in value.items() if key is not None}
        return globals()[value[None]](**items)
    return MappingProxyType(value) if isinstance(value, dict) else value

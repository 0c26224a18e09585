"""What a configuration file may contain: its tables, keys and meanings.

This is the one place to add a key: its type is checked, its meaning is printed in the
documentation, and `strict` says what a project may do before it is trusted.  The default values
stand in `data/defaults.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

from laconic.schema import (
    Flag,
    Kind,
    ListOf,
    MapOf,
    Table,
    Text,
    hints,
    is_name,
    kind_of,
    table_of,
)

EXTEND = "extend"


class Option(NamedTuple):
    """What a key means and how layers combine in it.

    strict: the value that an untrusted project may set because it only makes laconic stricter, or
    EXTEND for a list to which it may add.
    lists: `extend` the lower layers, `override` them, or `only extend` (nothing can be removed).
    """

    meaning: str
    strict: object = None
    lists: Literal["extend", "override", "only extend"] = "extend"


Name = Annotated[str, is_name]
Regex = str  # settings leave out one that does not compile, and only that one
Environment = Mapping[str, str]

_ALLOWED_WITH_CONFIG = Option("subcommands that run without a question when `config_env` holds")
_CONFIG_ENV = Option('variables and the value each must have, "*" for any')
_READ_ONLY = Option("subcommands that run without a question")
_MUTATING = Option("subcommands that ask", EXTEND)


class General(NamedTuple):
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
        Literal["strict", "default", "relaxed"],
        Option("answers that are a matter of taste", strict="strict"),
    ]


class Commands(NamedTuple):
    """Commands by name."""

    allow: Annotated[tuple[Name, ...], Option("run without a question")]
    ask: Annotated[tuple[Name, ...], Option("ask first", EXTEND)]
    deny: Annotated[tuple[Name, ...], Option("never run", EXTEND)]


class Wrappers(NamedTuple):
    """Commands that run the command in their arguments, which is judged too."""

    allow_floor: Annotated[tuple[Name, ...], Option("the inner command decides")]
    ask_floor: Annotated[tuple[Name, ...], Option("ask, or what is stricter", EXTEND)]


class Git(NamedTuple):
    """The subcommands of git."""

    read_only: Annotated[tuple[Name, ...], _READ_ONLY]
    allowed_with_config: Annotated[tuple[Name, ...], _ALLOWED_WITH_CONFIG]
    force_push_flags: Annotated[
        tuple[Name, ...], Option("options that make a push one that asks", EXTEND)
    ]
    config_env: Annotated[Environment, _CONFIG_ENV]


class Cargo(NamedTuple):
    """The subcommands of cargo."""

    safe_subcommands: Annotated[tuple[Name, ...], _READ_ONLY]
    allowed_with_config: Annotated[tuple[Name, ...], _ALLOWED_WITH_CONFIG]
    config_env: Annotated[Environment, _CONFIG_ENV]


class Kubectl(NamedTuple):
    """The subcommands of kubectl."""

    read_only: Annotated[tuple[Name, ...], _READ_ONLY]
    mutating: Annotated[tuple[Name, ...], _MUTATING]
    allowed_with_config: Annotated[tuple[Name, ...], _ALLOWED_WITH_CONFIG]
    config_env: Annotated[Environment, _CONFIG_ENV]


class Gh(NamedTuple):
    """The subcommands of gh, one or two words each."""

    read_only: Annotated[tuple[Name, ...], _READ_ONLY]
    mutating: Annotated[tuple[Name, ...], _MUTATING]
    allowed_with_config: Annotated[tuple[Name, ...], _ALLOWED_WITH_CONFIG]
    config_env: Annotated[Environment, _CONFIG_ENV]


class External(NamedTuple):
    """A program of yours that decides."""

    command: Annotated[str, Option("the program")]
    args: Annotated[
        tuple[str, ...], Option("its arguments; `{format}` is the agent's name", lists="override")
    ]
    timeout_ms: Annotated[int, Option("how long it may take")]
    on_error: Annotated[
        Literal["ask", "allow", "builtin"], Option("the answer when it fails or takes too long")
    ]
    format_map: Annotated[Mapping[str, str], Option("other names for agents in `{format}`")]


class Permissions(NamedTuple):
    """Who decides."""

    engine: Annotated[
        Literal["builtin", "external"], Option("laconic, or the program in [permissions.external]")
    ]
    external: External


class RewriteRule(NamedTuple):
    """A rewrite of your own; the first that matches is used."""

    match: Regex
    replace: str


class Pipe(NamedTuple):
    """Commands that end in `| head`, `| tail` or `| grep`."""

    strip: Annotated[bool, Option("take the pipe off and honour it on the compact output")]
    prefer_less: Annotated[bool, Option("print the shorter of compact and piped output")]


class Skip(NamedTuple):
    """Commands that are never rewritten."""

    patterns: Annotated[tuple[Regex, ...], Option("regular expressions on the command's text")]
    exclude: Annotated[tuple[Name, ...], Option("first words of commands, blanks between them")]


class Transparent(NamedTuple):
    """Commands whose arguments run elsewhere."""

    commands: Annotated[
        tuple[Name, ...],
        Option("names; your rewrites are not applied to them", lists="only extend"),
    ]


class LocalRule(NamedTuple):
    """A wrapper of your own: what follows the marker is the command."""

    command: Name
    markers: tuple[Name, ...]
    subcommands: tuple[Name, ...] = ()


class LocalWrapper(NamedTuple):
    """Wrappers that run a command in a local environment, like `nix develop -c`."""

    builtins: Annotated[bool, Option("use the built-in wrappers")]
    disabled: Annotated[tuple[Name, ...], Option("built-in wrappers not to use")]
    rules: Annotated[tuple[LocalRule, ...], Option("wrappers: command, subcommands, markers")]


class Compact(NamedTuple):
    """What the agent reads of a command's output, and what is kept of the rest."""

    enabled: Annotated[bool, Option("compact the output of commands")]
    store_mb: Annotated[int, Option("how much hidden output is kept, in megabytes")]
    store_days: Annotated[int, Option("how long hidden output is kept, in days")]


class Hooks(NamedTuple):
    """How laconic answers the hooks of agents."""

    cannot_ask: Annotated[
        Literal["deny", "defer"],
        Option("ask, where an agent cannot: deny and say why, or leave it to the agent", "deny"),
    ]
    replace_output: Annotated[
        bool, Option("compact the output of commands that were not wrapped, where an agent can")
    ]


class Rules(NamedTuple):
    """Further sets of rules."""

    stacks: Annotated[tuple[Name, ...], Option("names of the sets to use")]


class Debug(NamedTuple):
    """Diagnostics."""

    log_parse_failures: Annotated[bool, Option("say on stderr when a command cannot be parsed")]


class Config(NamedTuple):
    """A whole configuration."""

    rewrite: Annotated[tuple[RewriteRule, ...], Option("your rewrites: match, replace")]
    settings: General
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
    rules: Rules
    debug: Debug


# Lists of one table in which a name can stand only once, the stricter list further right.
STRICTNESS: Mapping[str, tuple[str, ...]] = {
    "commands": ("allow", "ask", "deny"),
    "wrappers": ("allow_floor", "ask_floor"),
    "kubectl": ("read_only", "mutating"),
    "gh": ("read_only", "mutating"),
}


@cache
def options() -> Mapping[str, Option]:
    """Give every key by its dotted name (`permissions.external.command`), in order."""
    return dict(_walk(Config, ""))


def _walk(cls: type[tuple[Any, ...]], prefix: str) -> list[tuple[str, Option]]:
    found: list[tuple[str, Option]] = []
    for name, annotation in hints(cls).items():
        if get_origin(annotation) is Annotated:
            option = next(item for item in get_args(annotation) if isinstance(item, Option))
            found.append((prefix + name, option))
        else:
            found += _walk(annotation, f"{prefix}{name}.")
    return found


@cache
def kinds() -> Mapping[str, Kind]:
    """Give what may stand at every key, by its dotted name."""

    def kind_at(name: str) -> Kind:
        kind: Kind = table_of(Config)
        for part in name.split("."):
            assert isinstance(kind, Table)
            kind = kind.keys[part]
        return kind

    return {name: kind_at(name) for name in options()}


@cache
def file_schema() -> Table:
    """Give what a file may contain: all keys, none required, and the words that edit lists."""
    return _file_table(Config, "")


def _file_table(cls: type[tuple[Any, ...]], prefix: str) -> Table:
    keys: dict[str, Kind] = {}
    for name, annotation in hints(cls).items():
        if get_origin(annotation) is not Annotated:
            keys[name] = _file_table(annotation, f"{prefix}{name}.")
            continue
        keys[name] = kind = kind_of(annotation)
        if prefix and isinstance(kind, ListOf) and options()[prefix + name].lists == "extend":
            keys[f"remove_{name}"] = kind
            keys["replace"] = Flag()
        if name == "config_env" and isinstance(kind, MapOf):
            keys["config_env_var"] = Text((is_name,))
    return Table(keys)

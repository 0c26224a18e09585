"""What leaves the machine in a question: text that is not literal, and standard input.

An address, a header, a name for a name server or a word for whois reaches whoever runs the other
end. So a program that talks to the network is given literal text only, or numbers; and nothing
flows into it, unless it is known not to read its standard input for what tables allow of it.
"""

from __future__ import annotations

import re

from laconic.patterns import pattern
from laconic.reading.spans import Spans
from laconic.shell.ast import Command, Parameter, Pipeline, Substitution, nodes
from laconic.shell.words import is_static, literal
from laconic.types import Effect, Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.knowledge.arguments import Argument
    from laconic.reading.call import Call
    from laconic.shell.ast import Node, Redirect
    from laconic.shell.walk import Occurrence

_READ_NO_INPUT = frozenset(
    """
    curl wget dig host whois ping ping6 traceroute traceroute6 tracepath tracepath6 tcptraceroute
    mtr nc ncat netcat pg_isready resolvectl networkctl hostnamectl timedatectl localectl finger
    pinky git gh glab hub svn hg npm pnpm yarn bun deno pip pip3 uv poetry pdm conda mamba
    micromamba cargo rustup go gem bundle bundler composer dotnet mix cabal stack dart flutter brew
    dnf yum dnf5 microdnf apk zypper snap flatpak choco winget scoop tlmgr nix mise asdf nvm fnm
    volta n aws az gcloud gsutil doctl hcloud heroku fly flyctl vercel vc netlify ntl auth0 docker
    podman skopeo crane kubectl oc helm stern argocd argo flux istioctl tkn velero eksctl kubeadm
    pulumi cdk consul nomad trivy grype syft osv-scanner cosign ansible-galaxy gradle pg_dump
    mysqladmin mariadb-admin mysqlshow mariadb-show showmount nfsstat ssh-keyscan yt-dlp youtube-dl
    huggingface-cli hf security softwareupdate networkQuality networkquality
    """.split()
)
_PRINT_TEXT = frozenset("echo printf test [ export declare local readonly typeset alias".split())
_TAKE_PATTERNS = frozenset("awk copying fd find grep jq sed".split())
_PUBLISHES = frozenset("publish push deploy upload".split())
_BETWEEN_NAMES = pattern(r"[:._-]")
_SUBCOMMANDS = 2
_PRINTERS = frozenset(("echo", "printf", "true", ":"))
_EMPTY = frozenset(("/dev/null", "/dev/zero"))


def sent_findings(call: Call) -> None:
    """Ask for every word of a network program that is not literal, and for data that flows in."""
    given = [option.argument for _, parsed in call.match.before for option in parsed.options]
    given += [value for _, p in call.match.before for o in p.options if (value := o.value)]
    for argument in (*given, *call.arguments):
        if not is_literal(argument):
            call.does(
                Effect.SENDS, "sends", "sends text that is not literal to the network", argument
            )
            break
    if call.path[0] not in _READ_NO_INPUT and call.situation.is_fed():
        call.does(Effect.SENDS, Kind.INPUT, "sends its standard input to the network")


def address_findings(call: Call, address: Argument) -> None:
    """An address with text that is not known, for any program that may open what it names."""
    if call.path[0] not in _PRINT_TEXT and call.entry.code not in _TAKE_PATTERNS:
        call.does(Effect.SENDS, "sends", "sends text that is not literal to the network", address)


def publishing_word(words: list[Argument]) -> Argument | None:
    """The argument by which a program that is not known says that it publishes: `frob push`.

    Among those that may be its subcommands; `deploy:prod` says it, too.
    """
    names = [word for word in words if not word.leading.startswith("-")][:_SUBCOMMANDS]
    parts = ((word, _BETWEEN_NAMES.split(word.text or "")) for word in names)
    return next((word for word, said in parts if not _PUBLISHES.isdisjoint(said)), None)


def is_literal(argument: Argument) -> bool:
    """Known text, a number, or an address with a `?` in it, which names no file."""
    if argument.text is None:
        return argument.is_number
    return not argument.glob or ("*" not in argument.text and "/" in argument.text)


# Answers with keys and tokens of the machine, to whoever asks; see the manuals of the clouds.
_METADATA = frozenset(
    """
    169.254.169.254 169.254.170.2 169.254.170.23 100.100.100.200 192.0.0.192 168.63.129.16
    metadata.google.internal metadata.goog metadata instance-data instance-data.ec2.internal
    metadata.azure.internal metadata.tencentyun.com metadata.packet.net rancher-metadata
    fd00:ec2::254 fd00:ec2::23
    """.split()
)
# Ports on which a daemon takes orders: docker, a browser or node under a debugger, kubelet, etcd.
_CONTROL_PORTS = frozenset("2375 2376 4243 9222 9229 10250 10255 2379 2380".split())
_ADDRESS = pattern(
    r"(?:[a-z][a-z0-9+.-]*:/+)?(?:[^/?#@]*@)?(\[[^]]*\]|[^/?#:@\[\]]*)(?::(\d*))?(?:[/?#]|$)",
    re.IGNORECASE,
)
# What curl expands or decodes in a host (a range, `%31`), and letters that it maps to others.
# https://curl.se/docs/manpage.html (globbing), https://curl.se/docs/url-syntax.html
_AUTHORITY = pattern(r"(?:[A-Za-z][A-Za-z0-9+.-]*:/+)((?:[^/?#\\])*)")
_IN_BRACKETS = pattern(
    r"^(?:[^@]*@)?\[[0-9A-Fa-f:.]*(?:%\w+)?\](?=:|$)|^[^@]*@|:\{[\d,]+\}$|:\[\d+-\d+\]$"
)
_ODD = pattern(r"[][{}%]|[^\x00-\x7f]")
_NUMBER = pattern(r"(?:0x[0-9a-f]+|\d+)(?:\.(?:0x[0-9a-f]+|\d+)){0,3}\.?", re.IGNORECASE)
_PLAIN_NUMBER = pattern(r"(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}")


def address_harm(text: str) -> str:
    """Why an address must not be asked for unseen; empty if it may."""
    authority = _AUTHORITY.match(text)
    if authority and _ODD.search(_IN_BRACKETS.sub("", authority[1])):
        return "an address in an unusual spelling"
    match = _ADDRESS.match(text)
    if match is None:
        return ""
    host, port = match[1].strip("[]").lower().rstrip("."), match[2] or ""
    if ":" in host:
        host = _plain(host)
    if host in _METADATA or "169.254.169.254" in host.replace("-", ".") or "a9fe:a9fe" in host:
        return "asks a service that hands out keys of this machine"
    if _NUMBER.fullmatch(host) and not _PLAIN_NUMBER.fullmatch(host):
        return "an address in an unusual spelling"
    if port in _CONTROL_PORTS:
        return "talks to a port on which a service takes orders"
    return ""


def _plain(host: str) -> str:
    """An address of version 6 as it is usually written; the one of version 4 that it stands for."""
    from ipaddress import IPv6Address  # noqa: PLC0415 - seldom

    try:
        address = IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    return str(address.ipv4_mapped or address.sixtofour or address)


# -- standard input --------------------------------------------------------------------------------


class Feeds:
    """Where in a script standard input is a pipe or a file with text that is not literal.

    around: whether that holds for the script as a whole.
    """

    __slots__ = ("_around", "_spans")

    def __init__(self, all_nodes: list[Node], *, around: bool) -> None:
        self._around = around
        self._spans = Spans(span for node in all_nodes for span in _fed_by(node))

    def reach(self, occurrence: Occurrence) -> bool:
        command, context = occurrence.command, occurrence.context
        if any(_is_input(r) and _is_literal_input(r) for r in command.redirects):
            return False
        if self._around or context.substitution == ">(":
            return True
        if context.function and self._spans:
            return True
        return self._spans.cover(command.start)


def _fed_by(node: Node) -> Iterator[tuple[int, int]]:
    if isinstance(node, Pipeline):
        for before, command in zip(node.commands, node.commands[1:], strict=False):
            if not _prints_literal_text(before):
                yield command.start, command.end
        return
    redirects = getattr(node, "redirects", ())
    if any(_is_input(redirect) and not _is_literal_input(redirect) for redirect in redirects):
        is_for_good = isinstance(node, Command) and _name(node) == "exec"
        yield node.start, 1 << 30 if is_for_good else node.end


def _is_input(redirect: Redirect) -> bool:
    return redirect.operator.startswith("<") and redirect.fd in ("", "0")


def _is_literal_input(redirect: Redirect) -> bool:
    if redirect.operator in ("<<", "<<-"):
        return not any(isinstance(node, Substitution | Parameter) for node in nodes(redirect))
    known = literal(redirect.target)
    return known is not None and (redirect.operator == "<<<" or known in _EMPTY)


def _prints_literal_text(command: Node) -> bool:
    if not isinstance(command, Command) or _name(command) not in _PRINTERS:
        return False
    return not command.redirects and all(map(is_static, command.words))


def _name(command: Command) -> str | None:
    return literal(command.words[0]) if command.words else None

"""curl: fetching to standard output is fine; what the table cannot say of options and URLs is here.

Unsafe: methods that change something; data, unless `-G` puts it into the address; headers, formats
and query parts from files (`@file`); `%output{file}` in `-w`; FTP commands that change something;
schemes that send more than a request (gopher, dict, smtp, telnet, ...).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Parsed
from laconic.patterns import pattern
from laconic.reading.call import Call, shown
from laconic.reading.sending import address_harm
from laconic.types import Effect, Kind

_METHODS = frozenset(("GET", "HEAD", "OPTIONS", "TRACE"))
_SCHEMES = frozenset(("http", "https", "ftp", "ftps", "file"))
_QUOTES = pattern(
    r"""[-+*]?(?:X?PWD | CDUP | NOOP | SYST | FEAT | PASV | EPSV | ABOR | QUIT
    | (?:TYPE | MODE | STRU)[ ][A-Z][ ]?\w?
    | (?:CWD | MDTM | SIZE | LIST | NLST | MLST | MLSD | STAT | HELP | REST | OPTS)
      (?:[ ][^\r\n]*)?)""",
    re.IGNORECASE | re.VERBOSE,
)
_OVERRIDES = pattern(r"method-override|[\r\n]", re.IGNORECASE)
_WRITTEN = pattern(r"%output\{(?:>>)?([^}]*)")
# A host and a port before another: `[::1]:80:`, `x:80:`, `::`.
_THROUGH = pattern(r"[-+]?(?:\[[^]]*\]|[^:]*):(?:\d*|\*):")
_PROXIES = (
    "-x", "--proxy", "--preproxy", "--proxy1.0", "--socks4", "--socks4a", "--socks5",
    "--socks5-hostname",
)  # fmt: skip
_OWN_SERVER = pattern(r"(?:http://)?(?:localhost|127\.0\.0\.1|\[::1\]):(\d{4,5})(?:[/?][^@]*)?")
# Beside those of sending.py: kubectl proxy, Kubernetes, Consul, Vault, Nomad, Elasticsearch.
_ORDERS = frozenset("8001 6443 8500 8200 4646 9200 9300".split())
_STAYS = frozenset(
    "-X --request -d --data --data-ascii --data-binary --data-raw --data-urlencode --json -H "
    "--header -s --silent -S --show-error -i --include --show-headers -f --fail --fail-with-body "
    "-o --output -w --write-out -m --max-time -v --verbose -N --no-buffer --compressed "
    "--connect-timeout -4 --ipv4 -6 --ipv6".split()
)
_DATA_OR_FILE = ("-d", "--data", "--data-ascii", "--data-binary", "--json")  # `@file`
_DATA = (*_DATA_OR_FILE, "--data-raw", "--data-urlencode")
_FORM = ("-F", "--form", "--form-string")
_UPLOAD = ("-T", "--upload-file")
_IN_FORM = pattern(r"[@<]\"?([^\";,]+)")
_FROM_FILE = ("-H", "--header", "--proxy-header", "-w", "--write-out")


def judge(call: Call) -> None:
    parsed = call.parsed
    for method in parsed.values("-X", "--request"):
        if method.text is None or method.text.upper() not in _METHODS:
            why = "sends a request that may change something"
            _request(call, parsed, "method", why, method)
    _judge_data(call, parsed)
    for value in parsed.values(*_FROM_FILE):
        if not value.leading or value.leading.startswith("@"):
            call.does(Effect.SENDS, "file", "takes headers or a format from a file", value)
        elif _OVERRIDES.search(value.leading):
            call.does(
                Effect.SENDS, "header", "a header that may change what the request does", value
            )
    for form in parsed.values("-w", "--write-out"):
        for path in _WRITTEN.findall(form.text or ""):
            call.writes(Argument(path, form.start, form.end))
        if form.text is None or "%output" in form.text:
            call.does(Effect.PROJECT_WRITE, Kind.WRITE, "may write to a file", form)
    for command in parsed.values("-Q", "--quote"):
        if command.text is None or not _QUOTES.fullmatch(command.text):
            call.does(
                Effect.SENDS,
                "quote",
                "sends a command to the server that may change something",
                command,
            )
    if parsed.has("-O", "--remote-name", "--remote-name-all"):
        _judge_saved(call, parsed)
    _judge_urls(call, parsed)
    call.harmless("fetches and prints; sends no file, writes none")


def saved_as(address: Argument, default: str) -> Argument:
    """The file that gets the name which an address ends in."""
    before, scheme, behind = (address.text or "").partition("?")[0].partition("://")
    path = behind if scheme else before
    name = path.partition("/")[2].rpartition("/")[2] or default
    return Argument(None if address.text is None else name, address.start, address.end)


def _judge_saved(call: Call, parsed: Parsed) -> None:
    if parsed.has("-J", "--remote-header-name"):
        call.does(Effect.UNCLEAR, Kind.WRITE, "writes to a file that the server names")
    for address in [*parsed.operands, *parsed.values("--url")]:
        call.writes(saved_as(address, "curl_response"))


def _files_sent(parsed: Parsed) -> Iterator[Argument]:
    """Files that are sent: `@f`, `name@f` with --data-urlencode, `x=@f` and `x=<f` in a form."""
    for data in parsed.values(*_DATA_OR_FILE):
        if data.leading.startswith("@"):
            yield data.behind(1)
    for data in parsed.values("--data-urlencode", "--url-query"):
        name, at, _ = data.leading.partition("@")
        if at and "=" not in name:
            yield data.behind(len(name) + 1)
    yield from parsed.values(*_UPLOAD)
    for part in parsed.values("-F", "--form"):
        for file in _IN_FORM.finditer(part.leading.partition("=")[2]):
            yield Argument(file[1], part.start, part.end)


def _judge_data(call: Call, parsed: Parsed) -> None:
    is_query = parsed.has("-G", "--get") and not parsed.has("-:", "--next")
    addresses = [*parsed.operands, *parsed.values("--url")]
    where = f" to {addresses[0].text}" if len(addresses) == 1 and addresses[0].is_static else ""
    for file in _files_sent(parsed):
        if call.names_secret(file):
            why = f"sends {shown(file)}{where}; it may hold keys, passwords or tokens"
            call.does(Effect.SENDS | Effect.SECRETS, Kind.SECRET, why, file)
        call.reads(file)
    for part in parsed.values(*_FORM):
        call.does(Effect.SENDS, "data", f"sends a form{where}", part)
    for file in parsed.values(*_UPLOAD):
        call.does(Effect.SENDS, "data", f"sends a file{where}", file)
    for data in parsed.values(*_DATA):
        if not is_query:
            _request(call, parsed, "data", f"sends data{where}", data)
        elif data.text is None or "@" in data.text:
            call.does(
                Effect.SENDS,
                "data",
                "sends the contents of a file, or data that is not known",
                data,
            )
    for part in parsed.values("--url-query"):
        if part.text is None or "@" in part.text.partition("=")[0]:
            call.does(
                Effect.SENDS,
                "data",
                "sends the contents of a file, or data that is not known",
                part,
            )


def _other_servers(parsed: Parsed) -> Iterator[Argument]:
    """Servers that are asked in place of those that the addresses name, without their ports.

    https://curl.se/docs/manpage.html: --connect-to HOST1:PORT1:HOST2:PORT2 and --resolve
    [+-]HOST:PORT:ADDR[,ADDR]; an empty HOST2 stays the same.
    """
    for name in ("--connect-to", "--resolve"):
        for value in parsed.values(name):
            if value.text is None or not _THROUGH.match(value.text):
                yield Argument(None, value.start, value.end)
                continue
            place = _THROUGH.sub("", value.text, count=1)
            hosts = place.split(",") if name == "--resolve" else [place.rpartition(":")[0]]
            yield from (Argument(host, value.start, value.end) for host in hosts if host)
    yield from parsed.values(*_PROXIES)


def _request(call: Call, parsed: Parsed, kind: str, why: str, what: Argument) -> None:
    """A literal request to a server of this machine, at a port that a project may have, is for it.

    Not where an option may lead it elsewhere, nor to ports of programs that take orders.
    https://curl.se/docs/manpage.html
    """
    urls = [*parsed.operands, *parsed.values("--url")]
    is_plain = (
        what.is_static
        and not (what.text or "").startswith("@")
        and "@" not in ((what.text or "") if parsed.has("--data-urlencode") else "")
    )
    ports = [_OWN_SERVER.fullmatch(url.text or "") for url in urls]
    is_own = bool(ports) and all(found and found[1] not in _ORDERS for found in ports)
    is_direct = all(option.name in _STAYS for option in parsed.options) and not parsed.problems
    if is_plain and is_own and is_direct:
        call.does(Effect.PROJECT_CODE, Kind.REQUEST, why, what)
    else:
        call.does(Effect.SENDS, kind, why, what)


def _judge_urls(call: Call, parsed: Parsed) -> None:
    for cookies in parsed.values("-b", "--cookie"):
        if "=" not in cookies.leading:  # the name of a file
            call.reads(cookies)
            if cookies.text != "":  # which only switches cookies on
                why = "sends the cookies that stand in a file"
                call.does(Effect.SENDS, "file", why, cookies)
    for server in _other_servers(parsed):
        if server.text is None:
            call.does(Effect.SENDS, "server", "asks a server that is not known", server)
        elif harm := address_harm(server.text):
            call.does(Effect.SYSTEM, "address", harm, server)
    for url in parsed.values("--url"):
        call.network(url)
    for url in [*parsed.operands, *parsed.values("--url")]:
        scheme, separator, _ = url.leading.partition("://")
        if separator and scheme.lower() not in _SCHEMES:
            call.does(Effect.SENDS, "scheme", f"uses the protocol {scheme[:12]}", url)
        elif scheme.lower() == "file":
            call.reads(url.behind(len("file://")))
        elif url.leading.startswith("@") or (
            not separator and re.match(r"[a-z]+:/", url.leading, re.IGNORECASE)
        ):
            call.does(Effect.SENDS, "scheme", "an address that is not understood", url)

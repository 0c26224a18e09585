"""Where Python code only connects to servers of this machine: plain words say so everywhere.

A socket that is asked for anything else, handed on, or handed an address that is no plain word, may
send what it likes anywhere. https://docs.python.org/3/library/socket.html
"""

from __future__ import annotations

import ast
from collections.abc import Callable

_LOOPBACK = frozenset(("127.0.0.1", "localhost", "::1"))
_TO_ADDRESS = frozenset(("connect", "connect_ex", "bind", "create_connection"))
_ELSEWHERE = frozenset(
    "sendto sendmsg sendmsg_afalg send_fds create_server getaddrinfo gethostbyname".split()
)
# By them an address could be reached that does not stand there.
_INDIRECT = frozenset(
    "getattr setattr exec eval compile type vars globals locals super methodcaller partial"
    " __import__ __class__ __dict__".split()
)
# All that such code needs of the module itself.
_OF_MODULE = frozenset(
    "socket socket.socket socket.create_connection socket.AF_INET socket.AF_INET6 socket.timeout"
    " socket.SOCK_STREAM socket.error socket.gaierror socket.setdefaulttimeout socket.SHUT_RDWR"
    " socket.SHUT_WR socket.SOL_SOCKET socket.SO_REUSEADDR".split()
)


def stays_here(nodes: list[ast.AST], dotted: Callable[[ast.AST], str]) -> bool:
    """Tell whether all that code does with sockets concerns this machine's loopback."""
    calls = {id(node.func): node for node in nodes if isinstance(node, ast.Call)}
    is_connected = False
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            return False
        if not isinstance(node, ast.Attribute | ast.Name):
            continue
        full = dotted(node)
        if full.partition(".")[0] == "socket" and full not in _OF_MODULE:
            return False
        own = node.attr if isinstance(node, ast.Attribute) else full.rpartition(".")[2]
        if own in _ELSEWHERE or own in _INDIRECT:
            return False
        is_address = own in _TO_ADDRESS and (isinstance(node, ast.Attribute) or "." in full)
        if is_address and not _is_of_loopback(calls.get(id(node))):
            return False
        is_connected = is_connected or is_address
    return is_connected


def _is_of_loopback(call: ast.Call | None) -> bool:
    """Tell whether a call has an address of this machine as its first argument, in plain words."""
    first = call.args[0] if call is not None and call.args else None
    if not isinstance(first, ast.Tuple) or not first.elts:
        return False
    host = first.elts[0]
    return isinstance(host, ast.Constant) and host.value in _LOOPBACK

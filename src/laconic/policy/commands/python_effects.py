"""What Python code visibly does, where it is not known to be harmless.

Such code is the project's as far as anybody can tell, but a write outside the project, a command, a
connection or a secret that stands there in plain words keeps its own effect. Names that are put
together at run time are not found: the code as a whole is asked about, or runs in a box.
"""

from __future__ import annotations

import ast
import warnings

from laconic.knowledge.arguments import Argument
from laconic.policy.commands.python_paths import Paths
from laconic.policy.secret_files import is_secret_variable
from laconic.types import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeGuard

    from laconic.policy.call import Call

_MAX_LENGTH = 64 * 1024
_MAX_NESTING = 3  # of code in the strings of code
_SHELLS = frozenset(
    "os.system os.popen subprocess.getoutput subprocess.getstatusoutput commands.getoutput"
    " asyncio.create_subprocess_shell asyncio.subprocess.create_subprocess_shell".split()
)
_STARTS = frozenset(
    "subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen"
    " pty.spawn distutils.spawn.spawn".split()
)
# Programs that are started by separate arguments, and how many of them come before its name.
_STARTS_BY_WORDS = {"asyncio.create_subprocess_exec": 0} | {
    f"os.{kind}{ending}": 1 if kind == "exec" else 2
    for kind in ("exec", "spawn")
    for ending in ("l", "lp", "le", "lpe", "v", "vp", "ve", "vpe")
}
_STARTS_BY_WORDS |= {"os.posix_spawn": 1, "os.posix_spawnp": 1}
_OPENS = frozenset("open io.open codecs.open gzip.open bz2.open lzma.open".split())
_DELETES = frozenset("os.remove os.unlink os.rmdir os.removedirs shutil.rmtree".split())
_WRITES_FIRST = frozenset(
    "os.mkdir os.makedirs os.truncate os.chmod os.chown os.mkfifo os.mknod".split()
)
_WRITES_SECOND = frozenset(
    "os.rename os.replace os.link os.symlink shutil.move shutil.copy shutil.copy2 shutil.copyfile"
    " shutil.copytree shutil.unpack_archive urllib.request.urlretrieve".split()
)
_METHODS_WRITE = frozenset("write_text write_bytes touch mkdir symlink_to hardlink_to".split())
_METHODS_DELETE = frozenset("unlink rmdir".split())
_METHODS_EXTRACT = frozenset("extractall extract".split())
_CONNECTS = frozenset(
    "socket smtplib ftplib telnetlib paramiko imaplib poplib asyncssh xmlrpc fabric websocket"
    " websockets".split()
)
_FETCHERS = frozenset(("requests", "httpx", "urllib", "aiohttp", "urllib3"))
_SENDERS = _FETCHERS | frozenset("http boto3 botocore git github google azure".split())
_CHANGES = frozenset("post put patch delete request".split())
_SENDS = _CHANGES | frozenset(
    "upload_file upload_fileobj put_object push send_message publish".split()
)
_ADDRESS = frozenset(("get", "head", "options", "urlopen", "urlretrieve", "stream"))
_WITH_REQUEST = frozenset(("params", "headers", "cookies", "auth"))
_ENVIRONMENT = frozenset(("os.environ", "os.environb"))
_PRINTS = frozenset("print pprint.pprint pprint.pp json.dumps json.dump sys.stdout.write".split())
_CODE = frozenset(("exec", "eval", "compile", "builtins.exec", "builtins.eval"))
_UNCLEAR = frozenset(
    "ctypes.CDLL ctypes.PyDLL ctypes.cdll.LoadLibrary code.interact code.InteractiveConsole".split()
)


def follow_visible(call: Call, text: str, where: Argument, depth: int = 0) -> None:
    """Judge what the code says in plain words, as if it were said to a program."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text[:_MAX_LENGTH])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    _Reader(call, tree, where, depth).follow()


class _Reader:
    """One walk over the code."""

    __slots__ = ("_call", "_depth", "_imported", "_paths", "_tree", "_where")

    def __init__(self, call: Call, tree: ast.Module, where: Argument, depth: int) -> None:
        self._call, self._tree, self._where, self._depth = call, tree, where, depth
        self._imported = dict(_imported(tree))
        self._paths = Paths(tree, call.judge.facts.home, self._dotted)

    def follow(self) -> None:
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Call):
                self._follow_call(node, self._dotted(node.func))
            elif isinstance(node, ast.Attribute | ast.Name):
                if self._dotted(node).partition(".")[0] in _CONNECTS:
                    self._does(Effect.SENDS, "connects", "opens a network connection")
            elif isinstance(node, ast.Subscript):
                self._follow_variable(self._dotted(node.value), node.slice)
            elif isinstance(node, ast.For) and self._prints_environment(node):
                self._does(Effect.SECRETS, "secret", "prints all variables, secrets among them")

    def _prints_environment(self, loop: ast.For) -> bool:
        calls = [self._dotted(node.func) for node in ast.walk(loop) if _is_call(node)]
        return self._is_environment(loop.iter) and not _PRINTS.isdisjoint(calls)

    # -- names

    def _dotted(self, node: ast.AST) -> str:
        """`subprocess.run` for `run` after `from subprocess import run`; empty if not a name."""
        names: list[str] = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            return ".".join([self._imported.get(node.id, node.id), *reversed(names)])
        if isinstance(node, ast.Call) and names and node.args:
            name = self._dotted(node.func)
            module = node.args[0]
            is_import = name in ("__import__", "importlib.import_module")
            if is_import and isinstance(module, ast.Constant) and isinstance(module.value, str):
                return ".".join([module.value, *reversed(names)])
        return ""

    def _path(self, node: ast.expr | None) -> Argument:
        return Argument(self._paths.text(node), self._where.start, self._where.end)

    def _does(self, effects: Effect, rule: str, why: str) -> None:
        self._call.does(effects, rule, why, self._where)

    # -- calls

    def _follow_call(self, node: ast.Call, name: str) -> None:
        call, first = self._call, node.args[0] if node.args else None
        if name in _SHELLS:
            call.shell(self._text(first))
        elif name in _STARTS:
            self._follow_start(node, first)
        elif name in _STARTS_BY_WORDS:
            self._follow_words(node, _STARTS_BY_WORDS[name])
        elif name in _OPENS:
            self._follow_open(node, first, node.args[1:2])
        elif name == "os.open":
            flags = self._dotted(node.args[1]) if len(node.args) > 1 else ""
            act = call.reads if flags == "os.O_RDONLY" else call.writes
            act(self._path(first))
        elif name in _DELETES:
            call.deletes(self._path(first))
        elif name in _WRITES_FIRST:
            call.writes(self._path(first))
        elif name in _WRITES_SECOND:
            given = node.args[1:2] + [k.value for k in node.keywords if k.arg in ("dst", "target")]
            for target in given:
                call.writes(self._path(target))
            if name.startswith("urllib"):
                self._follow_request(node, name, first)
        elif name in ("os.kill", "os.killpg"):
            self._does(Effect.SYSTEM, "signal", "sends a signal to processes")
        elif name.partition(".")[0] in _FETCHERS:
            self._follow_request(node, name, first)
        else:
            self._follow_others(node, name, first)

    def _follow_others(self, node: ast.Call, name: str, first: ast.expr | None) -> None:
        call = self._call
        if name in _CODE:
            self._follow_code(first)
        elif name in _UNCLEAR:
            self._does(Effect.UNCLEAR, "code", "runs code that cannot be read")
        elif name == "getattr" and len(node.args) > 1:
            is_module = self._dotted(node.args[0]) in self._imported.values()
            if is_module and not isinstance(node.args[1], ast.Constant):
                self._does(Effect.UNCLEAR, "code", "calls something whose name is put together")
        elif name in ("runpy.run_path", "imp.load_source"):
            call.runs_file(self._path(node.args[-1] if node.args else None))
        elif name in ("sys.path.insert", "sys.path.append"):
            self._follow_search(node.args[-1] if node.args else None)
        elif name in ("os.getenv", "os.environ.get", "os.environ.pop"):
            self._follow_variable("os.environ", first)
        elif name.startswith(("keyring.get_", "dotenv.dotenv_values")):
            self._does(Effect.SECRETS, "secret", "reads keys, passwords or tokens")
        elif name in ("pip.main", "pip._internal.main", "ensurepip.bootstrap"):
            self._does(Effect.INSTALLS, "installs", "installs packages")
        elif name.partition(".")[0] == "docker":
            self._does(Effect.SYSTEM, "docker", "works with containers")
        elif name in _PRINTS and any(map(self._is_environment, node.args)):
            self._does(Effect.SECRETS, "secret", "prints all variables, secrets among them")
        elif isinstance(node.func, ast.Attribute):
            self._follow_method(node, node.func)

    def _text(self, node: ast.expr | None) -> Argument:
        value = node.value if isinstance(node, ast.Constant) else None
        text = value if isinstance(value, str) else None
        return Argument(text, self._where.start, self._where.end)

    def _follow_start(self, node: ast.Call, first: ast.expr | None) -> None:
        call = self._call
        if first is None:
            first = next((k.value for k in node.keywords if k.arg == "args"), None)
        if isinstance(first, ast.List | ast.Tuple):
            call.runs([self._text(item) for item in first.elts])
        elif any(keyword.arg == "shell" for keyword in node.keywords):
            call.shell(self._text(first))
        else:
            call.runs([self._text(first)])

    def _follow_words(self, node: ast.Call, skipped: int) -> None:
        words: list[ast.expr] = []
        for argument in node.args[skipped:]:
            words += argument.elts if isinstance(argument, ast.List | ast.Tuple) else [argument]
        self._call.runs([self._text(word) for word in words])

    def _follow_open(self, node: ast.Call, path: ast.expr | None, given: list[ast.expr]) -> None:
        given = given + [k.value for k in node.keywords if k.arg == "mode"]
        modes = [m.value for m in given if isinstance(m, ast.Constant) and isinstance(m.value, str)]
        if len(modes) < len(given) or any(set(mode) & set("wax+") for mode in modes):
            self._call.writes(self._path(path))
        else:
            self._call.reads(self._path(path))

    def _follow_request(self, node: ast.Call, name: str, first: ast.expr | None) -> None:
        verb = name.rpartition(".")[2]
        has_data = any(k.arg in ("data", "json", "files") for k in node.keywords)
        has_data = has_data or (verb == "urlopen" and len(node.args) > 1)
        told = [k.value for k in node.keywords if k.arg in _WITH_REQUEST]
        if verb in _CHANGES or has_data:
            self._does(Effect.SENDS, "sends", "sends data to the network")
        elif verb in _ADDRESS:
            self._call.network(self._text(first))
            if any(_is_call(part) for value in told for part in ast.walk(value)):
                why = "sends text that is not literal to the network"
                self._does(Effect.SENDS, "sends", why)

    def _follow_method(self, node: ast.Call, function: ast.Attribute) -> None:
        """`Path("x").write_text(…)`, `archive.extractall(…)`, `session.post(…)`."""
        call, verb = self._call, function.attr
        path = self._paths.text(function.value)
        if path is not None and verb in _METHODS_WRITE:
            call.writes(self._path(function.value))
        elif path is not None and verb in _METHODS_DELETE:
            call.deletes(self._path(function.value))
        elif path is not None and verb == "open":
            self._follow_open(node, function.value, node.args[:1])
        elif path is not None and verb in ("read_text", "read_bytes"):
            call.reads(self._path(function.value))
        elif verb in _METHODS_EXTRACT and len(node.args) > (verb == "extract"):
            call.writes(self._path(node.args[-1]))
        elif verb in _SENDS and self._imports(_SENDERS):
            self._does(Effect.SENDS, "sends", "sends data to the network")

    # -- code, variables

    def _follow_code(self, first: ast.expr | None) -> None:
        text = self._text(first).text
        if text is not None and self._depth < _MAX_NESTING:
            follow_visible(self._call, text, self._where, self._depth + 1)
            return
        read = [n for n in ast.walk(first) if _is_call(n)] if first is not None else []
        opened = [n for n in read if self._dotted(n.func) in _OPENS and n.args]
        if opened:
            self._call.runs_file(self._path(opened[0].args[0]))
        else:
            self._does(Effect.UNCLEAR, "code", "runs code that is put together")

    def _follow_search(self, where: ast.expr | None) -> None:
        path = self._paths.text(where)
        if path is not None:
            effects = self._call.judge.code_at(path, self._call.situation)
            self._does(effects, "imports", f"imports code from {path}")

    def _follow_variable(self, name: str, key: ast.expr | None) -> None:
        word = key.value if isinstance(key, ast.Constant) else ""
        if name in _ENVIRONMENT and is_secret_variable(str(word)):
            self._does(Effect.SECRETS, "secret", "reads a variable that may hold a secret")

    def _is_environment(self, node: ast.expr) -> bool:
        """`os.environ`, `dict(os.environ)`, `os.environ.items()`, but not one variable of it."""
        if self._dotted(node) in _ENVIRONMENT:
            return True
        if not isinstance(node, ast.Call):
            return False
        name = self._dotted(node.func)
        if name in ("os.environ.items", "os.environ.values", "os.environ.copy"):
            return True
        is_wrapped = name in ("dict", "str", "repr", "sorted", "list", *_PRINTS)
        return is_wrapped and any(map(self._is_environment, node.args))

    def _imports(self, modules: frozenset[str]) -> bool:
        return any(
            name in modules or name.partition(".")[0] in modules for name in self._imported.values()
        )


def _is_call(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call)


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Each name that an import binds, with what it stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.partition(".")[0]
                yield alias.asname or name, name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    yield from _all_of(node.module or "")
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _all_of(module: str) -> Iterator[tuple[str, str]]:
    """The names that are known here of a module, for `from os import *`."""
    known = (*_SHELLS, *_STARTS, *_STARTS_BY_WORDS, *_DELETES, *_WRITES_FIRST, *_WRITES_SECOND)
    for name in known:
        front, _, last = name.rpartition(".")
        if front == module:
            yield last, name
    if module in _CONNECTS:
        yield module, module

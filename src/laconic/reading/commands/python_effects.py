"""What Python code visibly does, where it is not known to be harmless.

Such code is the project's as far as anybody can tell, but a write outside the project, a command, a
connection or a secret that stands there in plain words keeps its own effect. Code that acts by
names which cannot be told is unclear.
"""

from __future__ import annotations

import ast

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading import environment as variables
from laconic.reading.commands import python_acts as acts
from laconic.reading.commands.python_environment import ENVIRONMENT, Environment
from laconic.reading.commands.python_hidden import hidden_acts
from laconic.reading.commands.python_named import Named, is_call
from laconic.reading.commands.python_sockets import stays_here
from laconic.reading.commands.python_tree import tree_of
from laconic.reading.secret_files import is_secret, is_secret_variable
from laconic.reading.situation import entered
from laconic.types import Effect, Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard

    from laconic.reading.call import Call
    from laconic.reading.situation import Situation

_MAX_LENGTH = 64 * 1024
_MAX_NESTING = 3  # of code in the strings of code
_RUN_TEXTS = frozenset(("trace", "bdb", "pdb", "cProfile", "profile"))
_CHANGES_DIRECTORY = frozenset(("os.chdir", "contextlib.chdir"))
_SEARCH = frozenset(("sys.path.insert", "sys.path.append", "sys.path.extend", "site.addsitedir"))
# https://www.sqlite.org/lang.html and pragma.html: statements that only read.
_READS_TABLES = pattern(r"(?i)\s*(?:(?:select|explain)\b|pragma\s+\w+\s*(?:\(|;|$))")
# https://www.sqlite.org/uri.html
_DATABASE = pattern(r"file:(?://(?:localhost)?(?=/))?([^?]*)(?:\?(.*))?")


def follow_visible(call: Call, text: str, where: Argument, depth: int = 0) -> None:
    """Judge what the code says in plain words, as if it were said to a program."""
    tree = tree_of(text[:_MAX_LENGTH])
    if tree is not None:
        _Reader(call, tree, where, depth).follow()


class _Reader(Named):
    """One walk over the code."""

    __slots__ = ("_depth",)

    def __init__(self, call: Call, tree: ast.Module, where: Argument, depth: int) -> None:
        super().__init__(call, tree, where)
        self._depth = depth
        if why := hidden_acts(self._nodes, self._imports, self._dotted):
            self._does(Effect.UNCLEAR, Kind.CODE, why)
        if Environment(self._nodes, self._dotted).is_shown():
            self._does(Effect.SECRETS, Kind.SECRET, "uses all variables, secrets among them")

    def follow(self) -> None:
        call = self._call
        before = call.situation
        call.situation = self._with_directories(before)
        is_here = stays_here(self._nodes, self._dotted)
        for node in self._nodes:
            if isinstance(node, ast.Call):
                self._follow_call(node, self._dotted(node.func))
                self._follow_texts(node)
            elif isinstance(node, ast.Attribute | ast.Name):
                module = self._dotted(node).partition(".")[0]
                if module in acts.CONNECTS and not (module == "socket" and is_here):
                    self._does(Effect.SENDS, "connects", "opens a network connection")
            elif isinstance(node, ast.Subscript):
                self._follow_variable(self._dotted(node.value), node.slice)
            elif isinstance(node, ast.Assign | ast.AugAssign):
                self._follow_assignment(node)
        call.situation = before

    def _with_directories(self, situation: Situation) -> Situation:
        """The directories that relative paths may start from, where the code changes its own."""
        paths = [
            self._paths.text(node.args[0]) if node.args else None
            for node in self._nodes
            if isinstance(node, ast.Call) and self._dotted(node.func) in _CHANGES_DIRECTORY
        ]
        reached = [
            place
            for cwd in situation.directories
            for path in paths
            for place in ([""] if path is None else entered(cwd, path, self._call.judge.facts))
        ]
        known = dict.fromkeys((*situation.directories, *reached))
        return situation.but(directories=list(known)) if reached else situation

    # -- calls

    def _follow_call(self, node: ast.Call, name: str) -> None:
        call, first = self._call, node.args[0] if node.args else None
        if name in acts.SHELLS:
            call.shell(self._text(first))
        elif name in acts.STARTS:
            self._follow_start(node, first)
        elif name in acts.STARTS_BY_WORDS:
            self._follow_words(node, acts.STARTS_BY_WORDS[name])
        elif name in acts.OPENS:
            self._follow_open(node, first, node.args[1:2])
        elif name == "os.open":
            flags = self._dotted(node.args[1]) if len(node.args) > 1 else ""
            act = call.reads if flags == "os.O_RDONLY" else call.writes
            act(self._path(first))
            call.reads(self._path(first))
        elif name in acts.DELETES:
            call.deletes(self._path(first), recursive=name == "shutil.rmtree")
        elif name in acts.WRITES_FIRST:
            call.writes(self._path(first))
            if name == "shutil.make_archive":
                told = [k.value for k in node.keywords if k.arg in ("root_dir", "base_dir")]
                packed = [self._path(one) for one in (*node.args[2:], *told)]
                for one in packed or [self._here()]:
                    call.reads_whole(one)
        elif name in acts.WRITES_SECOND:
            names = ("dst", "target", "extract_dir")
            given = node.args[1:2] + [k.value for k in node.keywords if k.arg in names]
            for target in given:
                call.writes(self._path(target))
            if name == "shutil.unpack_archive" and not given:
                call.writes(self._here())
            if name.startswith("urllib"):
                self._follow_request(node, name, first)
        elif name in ("os.kill", "os.killpg"):
            self._does(Effect.SYSTEM, "signal", "sends a signal to processes")
        elif name.partition(".")[0] in acts.FETCHERS:
            self._follow_request(node, name, first)
        else:
            self._follow_others(node, name, first)

    def _follow_others(self, node: ast.Call, name: str, first: ast.expr | None) -> None:
        if name in acts.CODE:
            self._follow_code(first)
        elif name in acts.CODE_TEXTS:
            for code in [*node.args[:2], *(k.value for k in node.keywords if k.arg != "number")]:
                self._follow_code(code)
        elif name in acts.UNCLEAR:
            self._does(Effect.UNCLEAR, Kind.CODE, "runs code that cannot be read")
        elif name in acts.RUN_FILES:
            given = node.args[acts.RUN_FILES[name] :]
            self._call.runs_file(self._path(given[0] if given else None))
        elif name in acts.UNPICKLES or name in acts.UNPICKLES_TEXT:
            self._follow_pickle(node, name, first)
        elif name in _SEARCH:
            self._follow_search(node.args[-1] if node.args else None)
        elif name in ("os.getenv", "os.environ.get", "os.environ.pop"):
            self._follow_variable("os.environ", first)
        elif name in ("os.putenv", "os.environ.setdefault") and first is not None:
            self._follow_setting(first, node.args[1] if len(node.args) > 1 else None)
        elif name == "os.environ.update" and isinstance(first, ast.Dict):
            self._follow_settings(first)
        elif name.startswith(acts.GIVES_SECRETS):
            self._does(Effect.SECRETS, Kind.SECRET, "reads keys, passwords or tokens")
        elif name in ("pip.main", "pip._internal.main", "ensurepip.bootstrap"):
            self._does(Effect.INSTALLS, "installs", "installs packages")
        elif name.partition(".")[0] in ("docker", "webbrowser"):
            self._does(Effect.SYSTEM, "system", "works with containers, or opens a browser")
        elif name == "sqlite3.connect":
            self._follow_database(first)
        else:
            self._follow_writer(node, name, first)

    def _here(self) -> Argument:
        return Argument(".", self._where.start, self._where.end)

    def _follow_writer(self, node: ast.Call, name: str, first: ast.expr | None) -> None:
        call = self._call
        if name in acts.WRITES_TOLD:
            for told in (k.value for k in node.keywords if k.arg == acts.WRITES_TOLD[name]):
                call.writes(self._path(told))
        elif name in acts.ARCHIVES:
            self._follow_open(node, first, node.args[1:2])
        elif name in ("fileinput.input", "fileinput.FileInput"):
            in_place = any(k.arg == "inplace" for k in node.keywords)
            (call.writes if in_place else call.reads)(self._path(first))
        elif isinstance(node.func, ast.Attribute):
            self._follow_method(node, node.func)

    def _follow_database(self, path: ast.expr | None) -> None:
        """A database is written to if a statement of the code says so, or cannot be read."""
        statements = [
            n.args[0]
            for n in self._nodes
            if is_call(n) and n.args and isinstance(n.func, ast.Attribute)
            and n.func.attr in ("execute", "executemany", "executescript")
        ]  # fmt: skip
        call, file = self._call, self._path(path)
        is_read = all(_READS_TABLES.match(self._paths.leading(one)) for one in statements)
        if address := _DATABASE.fullmatch(file.text or ""):
            file = Argument(address[1], file.start, file.end)
            if not {"mode=ro", "immutable=1"}.isdisjoint((address[2] or "").split("&")):
                call.reads(file)
                return
        if file.text not in (":memory:", ""):
            (call.opens if is_read else call.writes)(file)

    def _follow_pickle(self, node: ast.Call, name: str, first: ast.expr | None) -> None:
        """Data that may hold code: it is run as the file that it comes from."""
        told = {k.arg: self._dotted(k.value) for k in node.keywords}
        if name in acts.UNPICKLES_TEXT:
            made = (self._dotted(n.func) for n in ast.walk(node) if is_call(n))
            if not any(other.endswith(".dumps") for other in made):
                self._does(Effect.UNCLEAR, Kind.CODE, "loads data that may run code")
        elif name.startswith("yaml.load"):
            given = [*map(self._dotted, node.args[1:2]), told.get("Loader", "")]
            if acts.SAFE_LOADERS.isdisjoint(given):
                self._run_opened(first)
        elif name != "numpy.load" or "allow_pickle" in told:
            self._run_opened(first)

    def _run_opened(self, file: ast.expr | None) -> None:
        """A file of code; where it is not known which one, each that the code opens."""
        files = [file]
        if self._paths.text(file) is None:
            opened = [n for n in self._nodes if is_call(n) and self._dotted(n.func) in acts.OPENS]
            files = [n.args[0] for n in opened if n.args] or files
        for one in files:
            self._call.runs_file(self._path(one))

    def _follow_texts(self, node: ast.Call) -> None:
        """Names of secrets in arguments of functions that may open files."""
        last = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if last in acts.TEXT_ONLY:
            return
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            text = self._paths.text(argument)
            if text is not None and is_secret(text):
                self._call.reads(self._path(argument))

    def _follow_start(self, node: ast.Call, first: ast.expr | None) -> None:
        call = self._call
        told = {k.arg: k.value for k in node.keywords}
        if first is None:
            first = told.get("args")
        if "executable" in told:
            call.runs_file(self._path(told["executable"]))
        if isinstance(told.get("env"), ast.Dict):
            self._follow_settings(told["env"])
        before = call.situation
        if "cwd" in told and not _is_none(told["cwd"]):
            path = self._paths.text(told["cwd"])
            facts, where = call.judge.facts, before.directories
            places = [[""] if path is None else entered(cwd, path, facts) for cwd in where]
            there = [place for some in places for place in some]
            call.situation = before.but(directories=there)
        if isinstance(first, ast.List | ast.Tuple):
            call.runs([self._text(item) for item in first.elts])
        elif "shell" in told:
            call.shell(self._text(first))
        else:
            call.runs([self._text(first)])
        call.situation = before

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
        told = [k.value for k in node.keywords if k.arg in acts.WITH_REQUEST]
        if verb in acts.CHANGES or has_data:
            self._does(Effect.SENDS, "sends", "sends data to the network")
        elif verb in acts.ADDRESS:
            self._call.network(self._text(first))
            if any(is_call(part) for value in told for part in ast.walk(value)):
                why = "sends text that is not literal to the network"
                self._does(Effect.SENDS, "sends", why)

    def _follow_method(self, node: ast.Call, function: ast.Attribute) -> None:
        """`Path("x").write_text(…)`, `archive.extractall(…)`, `session.post(…)`."""
        call, verb, of = self._call, function.attr, function.value
        first = node.args[0] if node.args else None
        is_path = self._paths.text(of) is not None
        if verb in acts.METHODS_GIVE_SECRETS:
            self._does(Effect.SECRETS, Kind.SECRET, "reads keys, passwords or tokens")
        elif is_path and verb in acts.METHODS_WRITE:
            call.writes(self._path(of))
        elif is_path and verb in ("rename", "replace") and len(node.args) == 1:
            call.writes(self._path(first))
        elif verb in acts.METHODS_DELETE and (is_path or not node.args):
            call.deletes(self._path(of), recursive=False)
        elif is_path and verb == "open":
            self._follow_open(node, of, node.args[:1])
        elif is_path and verb in ("read_text", "read_bytes"):
            call.reads(self._path(of))
        elif verb in acts.METHODS_EXTRACT and (given := _extracted_to(node)) is not None:
            call.writes(self._path(given))
        elif verb == "extractall" and not node.args:
            call.writes(self._here())
        elif verb in acts.METHODS_SAVE and self._paths.text(first) is not None:
            call.writes(self._path(first))
        elif verb in acts.SHELL_METHODS and first is not None:
            call.shell(self._text(first))
        elif verb in acts.START_METHODS and first is not None:
            self._follow_start(node, first)
        elif verb in ("run", "runctx") and self._uses(_RUN_TEXTS) and first is not None:
            self._follow_code(first)
        elif verb in acts.SENDS and self._uses(acts.SENDERS):
            self._does(Effect.SENDS, "sends", "sends data to the network")

    # -- code, variables

    def _follow_code(self, first: ast.expr | None) -> None:
        if first is None or isinstance(first, ast.Lambda | ast.Name):
            is_text = first is not None and self._paths.text(first) is not None
            if not is_text:
                self._does(Effect.UNCLEAR, Kind.CODE, "runs code that is put together")
                return
        text = self._paths.text(first)
        if text is not None and self._depth < _MAX_NESTING and not self._is_read(first):
            follow_visible(self._call, text, self._where, self._depth + 1)
            return
        read = [n for n in ast.walk(first) if is_call(n)] if first is not None else []
        opened = [n for n in read if self._dotted(n.func) in acts.OPENS and n.args]
        if opened:
            self._call.runs_file(self._path(opened[0].args[0]))
        else:
            self._does(Effect.UNCLEAR, Kind.CODE, "runs code that is put together")

    def _follow_search(self, where: ast.expr | None) -> None:
        for one in where.elts if isinstance(where, ast.List | ast.Tuple) else [where]:
            path = self._paths.text(one)
            if path is not None:
                effects = self._call.judge.code_at(path, self._call.situation)
                self._does(effects, "imports", f"imports code from {path}")

    def _follow_assignment(self, node: ast.Assign | ast.AugAssign) -> None:
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            of = target.value if isinstance(target, ast.Subscript) else target
            name = self._dotted(of)
            if name == "sys.path":
                self._follow_search(node.value)
            elif isinstance(target, ast.Subscript) and "env" in name.lower():
                self._follow_setting(target.slice, node.value)

    def _follow_settings(self, given: ast.expr) -> None:
        for key, value in zip(given.keys, given.values, strict=True) if _is_dict(given) else ():
            if key is not None:
                self._follow_setting(key, value)

    def _follow_setting(self, key: ast.expr, value: ast.expr | None) -> None:
        """A variable for programs that are started later."""
        name, text = self._paths.text(key), self._paths.text(value)
        if name is None or variables.is_private(name, {}, text):
            return
        if not variables.is_harmless(name, text):
            why = f"{name} in the environment may change what programs do"
            self._does(Effect.UNCLEAR, variables.rule_of(name), why)

    def _follow_variable(self, name: str, key: ast.expr | None) -> None:
        word = key.value if isinstance(key, ast.Constant) else ""
        if name in ENVIRONMENT and is_secret_variable(str(word)):
            self._does(Effect.SECRETS, Kind.SECRET, "reads a variable that may hold a secret")

    def _is_read(self, node: ast.expr | None) -> bool:
        """Tell whether the text is the path of a file that is read, and not the code itself."""
        if node is None:
            return False
        return any(self._dotted(n.func) in acts.OPENS for n in ast.walk(node) if is_call(n))


def _extracted_to(node: ast.Call) -> ast.expr | None:
    """The directory into which an archive is unpacked, if the call names one."""
    told = [k.value for k in node.keywords if k.arg in ("path", "targetdir")]
    is_second = getattr(node.func, "attr", "") == "extract"
    return next(iter(told or node.args[is_second:]), None)


def _is_dict(node: ast.expr) -> TypeGuard[ast.Dict]:
    return isinstance(node, ast.Dict)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None

"""Uses that make a Python file's result depend on more than its text, and characteristics of its tests."""

from __future__ import annotations

import ast
import typing
from collections.abc import Iterator

from benchwright.lang.nondeterminism import Detectors
from benchwright.lang.python.importing import kind_of
from benchwright.lang.python.tree import Function, all_nodes, bound_names, decorator_name, dotted, scope

_DETECTORS = Detectors(
    {
        "time": """
            time.time time.time_ns time.monotonic time.monotonic_ns time.perf_counter time.perf_counter_ns
            time.process_time time.process_time_ns time.thread_time time.localtime time.gmtime time.ctime
            time.asctime time.strftime timeit datetime.datetime.now datetime.datetime.utcnow
            datetime.datetime.today datetime.date.today django.utils.timezone.now pendulum.now arrow.now
            arrow.utcnow time_machine freezegun
        """,
        "sleep": """
            time.sleep asyncio.sleep asyncio.wait_for asyncio.timeout trio.sleep anyio.sleep gevent.sleep
        """,
        "random": """
            random secrets.token_bytes secrets.token_hex secrets.token_urlsafe secrets.choice
            secrets.randbelow secrets.randbits secrets.SystemRandom os.urandom uuid.uuid1
            uuid.uuid4 numpy.random torch.rand torch.randn
            torch.randint torch.manual_seed faker hypothesis tempfile
        """,
        "network": """
            socket socketserver ssl urllib.request urllib3 http.client http.server http.cookiejar ftplib
            imaplib poplib smtplib telnetlib nntplib xmlrpc requests httpx aiohttp websocket websockets grpc
            paramiko boto3 botocore redis pymongo psycopg psycopg2 pika kafka tornado.httpclient
        """,
        "threads": "threading _thread concurrent.futures gevent eventlet greenlet sched queue",
        "processes": """
            subprocess multiprocessing os.fork os.system os.popen os.kill os.execv os.execve os.execvp
            os.spawnv os.wait os.waitpid os._exit signal pty pexpect sys.exit atexit
        """,
        "environment": """
            os.environ os.getenv os.putenv os.getcwd os.chdir os.uname os.cpu_count os.getpid os.getlogin
            os.name sys.argv sys.platform sys.version sys.version_info platform locale getpass pwd grp
            argparse dotenv time.tzset time.tzname zoneinfo tzlocal monkeypatch.setenv
        """,
        "files": """
            open io.open codecs.open os.open os.remove os.unlink os.listdir os.scandir os.walk os.mkdir
            os.makedirs os.rename os.replace os.rmdir os.stat os.path.exists os.path.isfile os.path.isdir
            os.path.getsize os.path.getmtime os.path.expanduser os.path.abspath shutil tempfile glob
            fileinput sqlite3 dbm shelve zipfile tarfile aiofiles mmap pyfakefs pathlib.Path
            pathlib.PosixPath
        """,
        "assets": """
            __file__ importlib.resources importlib_resources pkgutil.get_data
            pkg_resources.resource_filename pkg_resources.resource_string pkg_resources.resource_stream
            vcr
        """,
        "async": "asyncio trio anyio pytest_asyncio uvloop unittest.IsolatedAsyncioTestCase",
        "mocks": """
            unittest.mock mock pytest_mock monkeypatch responses requests_mock respx httpretty moto
        """,
        "prints": "print sys.stdout sys.stderr",
        "reflection": """
            inspect sys._getframe sys.modules sys.settrace importlib.import_module importlib.reload
            __import__ eval exec compile globals gc ast.parse traceback dis linecache
        """,
        "callers": """
            sys._getframe sys._current_frames sys.settrace sys.setprofile sys.monitoring inspect.stack
            inspect.currentframe inspect.trace inspect.getouterframes inspect.getinnerframes linecache
            traceback.extract_stack traceback.walk_stack traceback.format_stack traceback.StackSummary
            gc.get_objects gc.get_referrers gc.get_referents
        """,
        "identity": "id hash weakref",
        "native": "ctypes cffi numba cython _ctypes",
    }
)
_FIXTURES = Detectors(
    {
        "files": "tmp_path tmpdir tmp_path_factory tmpdir_factory",
        "assets": "datadir shared_datadir",
        "mocks": "mocker monkeypatch requests_mock httpx_mock",
        "prints": "capsys capfd capsysbinary capfdbinary",
        "network": "httpserver live_server",
        "async": "event_loop",
    }
)
_OF_CALLERS = {"f_back", "f_code", "f_locals", "tb_frame", "gi_frame", "cr_frame", "co_consts", "co_code"}
_LOADERS = (
    "open io.open codecs.open pathlib.Path numpy.load numpy.loadtxt numpy.genfromtxt pandas.read_csv "
    "pandas.read_json pandas.read_excel pandas.read_parquet pandas.read_pickle PIL.Image.open cv2.imread "
    "sqlite3.connect zipfile.ZipFile tarfile.open configparser.ConfigParser.read"
)
_LOADS = frozenset(_LOADERS.split())
_CHECKS = {"pytest.raises", "pytest.warns", "pytest.fail", "pytest.deprecated_call"}
_DATA = (
    ast.Constant,
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.DictComp,
    ast.SetComp,
    ast.JoinedStr,
)
_GENERIC = {*typing.__all__, "dict", "frozenset", "list", "set", "tuple", "type"}
_HOOKS = {"load_tests", "pytest_generate_tests", "pytest_collection_modifyitems", "pytest_pycollect_makeitem"}


def python_uses(module: ast.Module) -> set[str]:
    """Return the uses that the file's names stand for."""
    names = full_names(module)
    found = _DETECTORS.of({*_read_names(module, names), *names.values()})
    found |= _FIXTURES.of({node.arg for node in all_nodes(module) if isinstance(node, ast.arg)})
    if any(isinstance(node, ast.AsyncFunctionDef | ast.Await) for node in all_nodes(module)):
        found.add("async")
    if any(_loads_file(node, names) for node in all_nodes(module)):
        found |= {"assets", "files"}
    if any(_reads_callers(node) for node in all_nodes(module)):
        found.add("callers")
    return found


def asserts(module: ast.Module) -> int:
    """Return the number of checks in the file: `assert`, `.assert…()` and `.fail()`, `pytest.raises` and
    similar."""
    names = full_names(module)
    count = sum(isinstance(node, ast.Assert) for node in all_nodes(module))
    for node in all_nodes(module):
        if isinstance(node, ast.Call):
            called = _full(dotted(node.func), names)
            last = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            count += called in _CHECKS or last.startswith("assert") or called == "self.fail"
    return count


def has_dynamic_cases(module: ast.Module) -> bool:
    """Return whether tests may run that a parser cannot see: imported, inherited from elsewhere, or
    generated."""
    local = {name for statement in scope(module.body) for name in bound_names(statement)}
    classes = {node.name for node in scope(module.body) if isinstance(node, ast.ClassDef)}
    if "*" in local or _HOOKS & local:
        return True
    return any(_is_dynamic(node, classes) for node in scope(module.body))


def _is_dynamic(node: ast.stmt, classes: set[str]) -> bool:
    match node:
        case ast.ImportFrom():
            ours = node.level > 0 or kind_of(node.module or "") == "project"
            return ours and any(
                (each.asname or each.name).startswith(("test", "Test")) for each in node.names
            )
        case ast.Assign():
            names_test = any(dotted(target).startswith(("test", "Test")) for target in node.targets)
            return names_test and not _is_no_test(node.value)
        case ast.ClassDef():
            bases = {dotted(base) for base in node.bases} - classes - {"object"}
            foreign = any(not base.endswith("TestCase") for base in bases)
            return (foreign and node.name.startswith("Test")) or _is_expanded(node)
        case ast.Expr(value=ast.Call() as call):
            return dotted(call.func) == "setattr" or _is_globals_call(call)
    return isinstance(node, Function) and _is_expanded(node)


def _is_no_test(value: ast.expr) -> bool:
    """Return whether a name is data or a type of `typing`, which no runner takes for a test."""
    if isinstance(value, ast.Subscript):
        return dotted(value.value).rpartition(".")[2] in _GENERIC
    if isinstance(value, ast.Call):
        return dotted(value.func).rpartition(".")[2] in {"namedtuple", "TypeVar", "NewType"}
    return isinstance(value, _DATA)


def _is_expanded(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a decorator makes tests with other names out of one."""
    inside = [each for each in ast.walk(node) if isinstance(each, Function | ast.ClassDef)]
    names = (decorator_name(each) for one in inside for each in one.decorator_list)
    return any(name.rpartition(".")[2] in {"expand", "parameterized_class", "ddt"} for name in names)


def _is_globals_call(call: ast.Call) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "globals" for node in ast.walk(call.func))


def full_names(module: ast.Module) -> dict[str, str]:
    """Map names that imports bind to their dotted meaning: {"dt": "datetime.datetime"}."""
    names: dict[str, str] = {}
    for node in all_nodes(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                names[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.update((each.asname or each.name, f"{node.module}.{each.name}") for each in node.names)
    return names


def _read_names(module: ast.Module, names: dict[str, str]) -> Iterator[str]:
    """Yield every name and dotted name that is read, in full.

    `id` and similar are the built-in functions only if the file does not bind that name.
    """
    own = {
        node.id
        for node in all_nodes(module)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    own |= {node.arg for node in all_nodes(module) if isinstance(node, ast.arg)}
    own |= {node.name for node in all_nodes(module) if isinstance(node, Function)}
    for node in all_nodes(module):
        if isinstance(node, ast.Attribute) or (isinstance(node, ast.Name) and node.id not in own):
            yield _full(dotted(node), names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _full(name: str, names: dict[str, str]) -> str:
    first, dot, rest = name.partition(".")
    return names.get(first, first) + dot + rest


def _reads_callers(node: ast.AST) -> bool:
    """Return whether a node reads a field of a frame or of compiled code, directly or as a string for
    `getattr`."""
    if isinstance(node, ast.Attribute):
        return node.attr in _OF_CALLERS
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in _OF_CALLERS


def _loads_file(node: ast.AST, names: dict[str, str]) -> bool:
    """Return whether a call opens a file by a path in the source, except to write it."""
    if not isinstance(node, ast.Call) or not node.args or _full(dotted(node.func), names) not in _LOADS:
        return False
    path, mode = node.args[0], node.args[1] if len(node.args) > 1 else None
    writes = isinstance(mode, ast.Constant) and str(mode.value)[:1] in ("w", "a", "x")
    known = isinstance(path, ast.Constant) and isinstance(path.value, str) and path.value != ":memory:"
    return known and not writes

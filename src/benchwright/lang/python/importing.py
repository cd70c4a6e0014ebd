"""The imports of a Python file, and those that only the removed tests used.

An import that nothing used before stays, as do star imports and those of `__future__`. So does a name that
any function takes as a parameter, which may be a fixture. The rest uses a name by reading it, or by a string
that may mean it: a dotted path as `mock.patch` takes, a member of `__all__`, an annotation, a doctest. If the
rest looks names up dynamically (`eval`, `globals()`), each word of each string counts.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from benchwright.lang.protocol import Import
from benchwright.lang.python.tree import Function, dotted, nodes_of, scope

_BY_CALL = {"importlib.import_module", "import_module", "__import__", "pytest.importorskip", "importorskip"}

_IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError"}


class _Place(NamedTuple):
    """The context of an import in the file."""

    typing_only: bool = False
    fallback: bool = False


def python_imports(module: ast.Module, roots: Collection[str] = ()) -> list[Import]:
    """Return all imports in the file's order."""
    return list(_imports(module, frozenset(roots)))


@lru_cache(maxsize=16)  # of the same few modules: laying out a pair asks for its imports ten times
def _imports(module: ast.Module, roots: frozenset[str]) -> tuple[Import, ...]:
    found = [each for node, place in _import_nodes(module) for each in _records(node, place, roots)]
    return tuple(sorted(found, key=lambda each: each.line))


def executed_imports(module: ast.Module) -> Iterator[ast.AST]:
    """Return the nodes that import something at run time: not those under `if TYPE_CHECKING`."""
    return (node for node, place in _import_nodes(module) if not place.typing_only)


def needed_libraries(module: ast.Module) -> set[str]:
    """Return top-level names of well-known packages that the file always imports when it is loaded.

    Imports in a function, an `if` or a `try` may never run, or may be optional.
    """
    plain = ast.Module(
        body=[each for each in module.body if isinstance(each, ImportStatement)], type_ignores=[]
    )
    return {each.module.partition(".")[0] for each in python_imports(plain) if each.kind == "third_party"}


def kind_of(name: str, roots: Collection[str] = ()) -> str:
    """Return the kind of an absolute import by its name."""
    if any(name == root or name.startswith(f"{root}.") for root in roots):
        return "project"
    top = name.partition(".")[0]
    if top in STANDARD:
        return "standard"
    return "third_party" if roots or top in THIRD_PARTY else "project"


def _import_nodes(module: ast.Module) -> Iterator[tuple[ast.AST, _Place]]:
    stack: list[tuple[ast.AST, _Place]] = [(module, _Place())]
    while stack:
        node, place = stack.pop()
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Call):
            yield node, place
        if isinstance(node, ast.ExceptHandler) and _catches_imports(node):
            place = place._replace(fallback=True)
        guarded = isinstance(node, ast.If) and dotted(node.test).rpartition(".")[2] == "TYPE_CHECKING"
        skipped = {id(item) for item in node.body} if guarded and isinstance(node, ast.If) else set()
        for child in ast.iter_child_nodes(node):
            stack.append((child, place._replace(typing_only=True) if id(child) in skipped else place))


def _catches_imports(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(each is not None and dotted(each) in _IMPORT_ERRORS for each in caught)


def _records(node: ast.AST, place: _Place, roots: Collection[str]) -> Iterator[Import]:
    match node:
        case ast.Import():
            for alias in node.names:
                yield Import(
                    module=alias.name,
                    kind=kind_of(alias.name, roots),
                    line=node.lineno,
                    alias=alias.asname or "",
                    typing_only=place.typing_only,
                    fallback=place.fallback,
                )
        case ast.ImportFrom():
            name = node.module or ""
            yield Import(
                module="." * node.level + name,
                kind="relative" if node.level else kind_of(name, roots),
                line=node.lineno,
                names=[alias.name for alias in node.names],
                alias=(node.names[0].asname or "") if len(node.names) == 1 else "",
                typing_only=place.typing_only,
                fallback=place.fallback,
            )
        case ast.Call() if called := called_import(node):
            kind = "relative" if called.startswith(".") else kind_of(called, roots)
            yield Import(
                module=called,
                kind=kind,
                line=node.lineno,
                typing_only=place.typing_only,
                fallback=place.fallback,
            )


def called_import(node: ast.Call) -> str:
    """Return the module that a call such as `importlib.import_module("a.b")` imports; empty for other
    calls."""
    if dotted(node.func) not in _BY_CALL or not node.args:
        return ""
    first = node.args[0]
    name = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
    return name if all(part.isidentifier() for part in name.lstrip(".").split(".")) else ""


# Removed from the standard library since 3.11, or added later: the kind must not depend on the reader.
_OTHER_VERSIONS = """
aifc annotationlib asynchat asyncore audioop cgi cgitb chunk compression crypt distutils imghdr imp lib2to3
mailcap msilib nis nntplib ossaudiodev pipes smtpd sndhdr spwd sunau telnetlib uu xdrlib
"""
STANDARD = frozenset({*sys.stdlib_module_names, *_OTHER_VERSIONS.split()})

# import names of packages that tests and focal files of public projects use most
_THIRD_PARTY = """
IPython OpenSSL PIL PyQt5 PyQt6 absl aiofiles aiohttp aiomysql aioredis aioresponses airflow alembic altair
anthropic anyio apscheduler arrow asgiref astropy asyncpg async_timeout attr attrs automat autograd azure
babel backoff bcrypt beartype billiard black bleach blinker bokeh boltons boto boto3 botocore bottle brotli
bs4 cachetools cattr cattrs celery certifi cffi chardet charset_normalizer cherrypy click cloudpickle
colorama configobj coverage crispy_forms cryptography cupy cv2 cycler cython daphne dask databases
dateparser dateutil ddt deepdiff defusedxml dill diskcache distributed django django_filters dns docker
docopt docutils dotenv dramatiq duckdb ecdsa einops elasticsearch environ eth_utils evaluate factory faker
falcon fakeredis fastapi fastavro fasteners feedparser fire flake8 flask flask_cors flask_login
flask_migrate flask_restful flask_sqlalchemy flask_wtf flax flexmock freezegun fsspec funcy future
fuzzywuzzy gensim geopandas gevent git gitdb google googleapiclient graphene graphql greenlet grpc gunicorn
gym gymnasium h11 h2 h5py haystack hjson html5lib httplib2 httpretty httpx huggingface_hub humanize hvac
hypercorn hypothesis idna igraph imageio importlib_metadata importlib_resources inflect inflection influxdb
iniconfig invoke ipaddr ipywidgets isodate isort itsdangerous jax jaxlib jedi jinja2 jmespath joblib jose
jsonpatch jsonpath_ng jsonpickle jsonpointer jsonschema jupyter jwt kafka kazoo keras keyring kivy kombu
kubernetes langchain ldap3 librosa lightgbm lightning linkify_it litellm llvmlite lmdb loguru lxml lz4 mako
mando markdown markdown_it markupsafe marshmallow matplotlib maya mistune mitmproxy mlflow mock mockito
mongoengine mongomock more_itertools moto motor mpmath msgpack msgspec multidict multipart mypy
mypy_extensions mysql nacl networkx nibabel nltk nose nose2 nox numba numexpr numpy oauthlib odf onnx
onnxruntime openai openapi_spec_validator openpyxl opentelemetry optuna ordered_set orjson packaging pandas
pandera paramiko parameterized paho parse parso passlib paste patsy peewee pendulum pexpect pika pint pip
pkg_resources platformdirs plotly pluggy ply polars pony portalocker prettytable progressbar
prometheus_client prompt_toolkit proto psutil psycopg psycopg2 ptyprocess py py4j pyarrow pyasn1 pybtex
pycodestyle pycountry pycparser pydantic pydantic_core pydantic_settings pydicom pydub pyfakefs pyflakes
pygame pygit2 pygments pyhocon pylint pymongo pymysql pynput pyparsing pyperclip pyproj pyramid pyrsistent
pyspark pystache pytest pytest_asyncio pytest_django pytest_httpx pytest_mock pythonjsonlogger pytz pyvista
pywt qtpy quart rapidfuzz ratelimit ray rdflib redis regex reportlab requests requests_mock
requests_oauthlib requests_toolbelt respx responses rest_framework retrying rich rq rsa ruamel s3fs
s3transfer sanic scapy schedule schema scipy scrapy seaborn selenium semantic_version semver
sentence_transformers sentencepiece sentry_sdk serial setuptools shapely shellingham shortuuid simplejson
simpy six skimage sklearn slack_sdk slugify smart_open sniffio snowballstemmer sortedcontainers soupsieve
spacy sphinx sqlalchemy sqlmodel sqlparse stamina starlette statsmodels stevedore stripe structlog sure
sympy syrupy tables tablib tabulate telegram tenacity tensorboard tensorflow termcolor testfixtures
testtools textual theano thrift tiktoken time_machine timm tinydb tldextract tokenizers toml tomli tomli_w
tomlkit toolz torch torchvision tornado tox tqdm traitlets transformers treq trio tweepy twilio twisted
typeguard typer typing_extensions typing_inspect tzlocal ujson unidecode uritemplate urllib3 uvicorn uvloop
validators vcr voluptuous wandb watchdog watchfiles webob websocket websockets webtest werkzeug wheel whoosh
wrapt wtforms xarray xgboost xlrd xlsxwriter xlwt xmlschema xmltodict yaml yarl zict zipp zmq zope zstandard
"""
THIRD_PARTY = frozenset(_THIRD_PARTY.split())

# never the file under test: these packages run it
TEST_TOOLS = frozenset({"hypothesis", "mock", "nose", "parameterized", "pytest", "unittest"})


ImportStatement = ast.Import | ast.ImportFrom

_Holder = ast.If | ast.Try | ast.With
_WORD = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_CODE = re.compile(r"\.?[^\W\d][\w.]*\s*(?:[\[|][\w.\[\], |'\"]*)?")  # "a.b", ".b", "List[int]", "A | None"
_DOCTEST = re.compile(r"^\s*(?:>>>|\.\.\.) (.*)$", re.MULTILINE)
_LOOKS_UP = {"eval", "exec", "compile", "globals", "locals", "vars", "timeit"}


class UnusedImports(NamedTuple):
    """The imports to remove: whole statements, by identity, and of other imports the positions of some
    names."""

    whole: set[int]
    names: dict[int, set[int]]


class _Unit(NamedTuple):
    """A statement that can be cut by itself, with its dotted names except those of inner units."""

    key: int
    above: int  # key of the unit around it
    read: frozenset[str]
    texts: tuple[str, ...]


class _Names:
    """Dotted names in use, to decide whether an imported name is used."""

    def __init__(self, names: Iterable[str]) -> None:
        self.full = set(names)
        self.heads = {head for name in self.full for head in _heads(name)}

    def use(self, path: str) -> bool:
        """Return whether `a.b` is used: as `a.b`, `a.b.c`, or `a` alone, through which anything is
        reached."""
        return path in self.heads or any(head in self.full for head in _heads(path))


def lost_imports(
    module: ast.Module, cut: Collection[int], can_go: Callable[[ast.stmt], bool]
) -> UnusedImports:
    """Return the imports that only `cut` code used. `can_go` says whether a statement has its lines for
    itself.

    An `if` or `try` that contains only unused imports is removed with the names in its head, so the imports
    of those are checked again.
    """
    whole: set[int] = set()
    while True:
        lost = _lost_aliases(module, {*cut, *whole})
        found = [node for node in _open(module) if _is_lost(node, lost) and can_go(node)]
        heads = {id(node) for node in found if isinstance(node, _Holder)} - whole
        whole.update(id(node) for node in found)
        if not heads:
            break
    names = {
        id(node): positions
        for node in _open(module)
        if isinstance(node, ImportStatement)
        and (positions := {at for at, each in enumerate(node.names) if id(each) in lost})
        and len(positions) < len(node.names)
        and can_go(node)
    }
    return UnusedImports(whole, names)


def _open(module: ast.Module) -> Iterator[ast.stmt]:
    """Yield statements of the module and of a plain `if`. A `try` or `else` is cut whole or not at all."""
    stack: list[ast.stmt] = list(module.body)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ast.If) and not node.orelse:
            stack += node.body


def _is_lost(node: ast.stmt, lost: set[int]) -> bool:
    """Return whether an import has no name left, also as `try: import a` with `except ImportError: a =
    None`."""
    if not isinstance(node, ImportStatement | _Holder):
        return False
    inside = [each for each in scope([node]) if not isinstance(each, _Holder)]
    aliases = [alias for each in inside if isinstance(each, ImportStatement) for alias in each.names]
    names = {_local(alias) for alias in aliases}
    others = (each for each in inside if not isinstance(each, ImportStatement))
    return (
        bool(aliases)
        and all(id(alias) in lost for alias in aliases)
        and all(isinstance(each, ast.Pass) or _stands_in(each, names) for each in others)
    )


def _stands_in(node: ast.stmt, names: set[str]) -> bool:
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant):
        return False
    return all(dotted(each) in names for each in node.targets)


def _lost_aliases(module: ast.Module, cut: set[int]) -> set[int]:
    """Return imported names that lost all their uses, by identity of their `alias` nodes."""
    units = _units(module)
    removed = set(cut)
    for each in units:
        if each.above in removed:  # outer units come first
            removed.add(each.key)
    staying = [each for each in units if each.key not in removed]
    before = _Names(name for each in units if each.key in removed for name in each.read)
    after = _Names(_needed(staying))
    aliases = [each for key, each in _aliases(module) if key not in removed]
    tops = Counter(_top(each) for each in aliases)
    fixtures = _parameters(module)
    lost: dict[int, str] = {}
    for alias in aliases:
        path = _local(alias) if tops[_top(alias)] > 1 else _top(alias)
        if before.use(path) and not after.use(path) and path not in fixtures:
            lost[id(alias)] = _top(alias)
    bare = {top for top, count in Counter(lost.values()).items() if count == tops[top] and top in after.heads}
    return {key for key, top in lost.items() if top not in bare}


def _needed(staying: list[_Unit]) -> Iterator[str]:
    read = {name for each in staying for name in each.read}
    yield from read
    texts = [text for each in staying for text in each.texts]
    if any(not _LOOKS_UP.isdisjoint(name.split(".")) for name in read):
        yield from (word for text in texts for word in _ends(_WORD.findall(text)))
    else:
        yield from (word for text in texts for word in _code_names(text))


def _code_names(text: str) -> Iterator[str]:
    """Return the names that a string may mean where code is given as text."""
    if len(text) <= 200 and _CODE.fullmatch(text):
        yield from _ends(_WORD.findall(text))
    elif ">>>" in text:
        yield from (word for line in _DOCTEST.findall(text) for word in _WORD.findall(line))


def _ends(names: Iterable[str]) -> Iterator[str]:
    """Return all ends of a dotted name: `tests.test_x.json` names `json` of the test file itself."""
    for name in names:
        parts = name.split(".")
        yield from (".".join(parts[at:]) for at in range(len(parts)))


def _heads(name: str) -> Iterator[str]:
    return accumulate(name.split("."), "{}.{}".format)


def _local(alias: ast.alias) -> str:
    return alias.asname or alias.name


def _top(alias: ast.alias) -> str:
    return _local(alias).partition(".")[0]


@lru_cache(maxsize=4)  # cached like trees: the same file is read for each of its cases
def _aliases(module: ast.Module) -> tuple[tuple[int, ast.alias], ...]:
    """Return all names that imports of the module's scope bind, each with its statement's identity."""
    return tuple(
        (id(node), alias)
        for node in scope(module.body)
        if isinstance(node, ImportStatement) and getattr(node, "module", "") != "__future__"
        for alias in node.names
        if alias.name != "*"
    )


@lru_cache(maxsize=4)
def _parameters(module: ast.Module) -> frozenset[str]:
    return frozenset(node.arg for node in nodes_of(module, ast.arg))


@lru_cache(maxsize=4)
def _units(module: ast.Module) -> tuple[_Unit, ...]:
    """Yield all statements outside functions, each before those inside it."""
    found: list[_Unit] = []
    stack: list[tuple[ast.stmt, int]] = [(node, 0) for node in reversed(module.body)]
    while stack:
        node, above = stack.pop()
        unit, inner = _unit(node, above)
        found.append(unit)
        stack += [(each, unit.key) for each in inner]
    return tuple(found)


def _unit(statement: ast.stmt, above: int) -> tuple[_Unit, list[ast.stmt]]:
    read: set[str] = set()
    texts: list[str] = []
    inner: list[ast.stmt] = []
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.stmt) and node is not statement and not isinstance(statement, Function):
            inner.append(node)
            continue
        read.update(_read(node))
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
        if not (isinstance(node, ast.Attribute) and dotted(node)):
            stack.extend(ast.iter_child_nodes(node))
    return _Unit(id(statement), above, frozenset(read), tuple(texts)), inner


def _read(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(ctx=ast.Load() | ast.Del()) | ast.Attribute():
            yield dotted(node)
        case ast.AugAssign(target=ast.Name(id=name)):
            yield name
        case ast.Global(names=names):
            yield from names

"""The imports of a Python file, those inside functions and those by a call with a constant name too."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterator
from typing import NamedTuple

from benchwright.lang.answers import Import
from benchwright.lang.python.tree import dotted

_BY_CALL = {"importlib.import_module", "import_module", "__import__", "pytest.importorskip", "importorskip"}

_IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError"}


class _Place(NamedTuple):
    """Where in the file an import stands."""

    typing_only: bool = False
    fallback: bool = False


def python_imports(module: ast.Module, roots: Collection[str] = ()) -> list[Import]:
    """All imports in the file's order."""
    found = [each for node, place in _import_nodes(module) for each in _records(node, place, roots)]
    return sorted(found, key=lambda each: each.line)


def kind_of(name: str, roots: Collection[str] = ()) -> str:
    """The kind of an absolute import by its name."""
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
    """The module that a call such as `importlib.import_module("a.b")` imports; empty for other calls."""
    if dotted(node.func) not in _BY_CALL or not node.args:
        return ""
    first = node.args[0]
    name = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
    return name if all(part.isidentifier() for part in name.lstrip(".").split(".")) else ""


# Gone from the standard library since 3.11, or new after it: a file's kind must not depend on who reads it.
_OTHER_VERSIONS = """
aifc annotationlib asynchat asyncore audioop cgi cgitb chunk compression crypt distutils imghdr imp lib2to3
mailcap msilib nis nntplib ossaudiodev pipes smtpd sndhdr spwd sunau telnetlib uu xdrlib
"""
STANDARD = frozenset({*sys.stdlib_module_names, *_OTHER_VERSIONS.split()})

# Import names of packages that tests and focal files of public projects use most.
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

# Never the file under test: they run it.
TEST_TOOLS = frozenset({"hypothesis", "mock", "nose", "parameterized", "pytest", "unittest"})

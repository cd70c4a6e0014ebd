"""Names of modules that are Python's own or a third party's, whatever interpreter runs this."""

from __future__ import annotations

import sys

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

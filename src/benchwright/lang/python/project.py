"""Needs of a Python test from pytest's plug-ins, and the pair among its project's files.

A test with a mark or fixture of a plug-in, a coroutine that only a plug-in runs, or a name that nothing binds
fails without the project's packages or configuration. Such a failure says nothing about the code.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator

from benchwright.contracts import Suite
from benchwright.lang.protocol import PairNeeds, PairTexts, ProjectLayout, ProjectTexts
from benchwright.lang.python.project_imports import reached_files
from benchwright.lang.python.test_cases import collect, is_fixture
from benchwright.lang.python.tree import (
    Function,
    all_nodes,
    bound_names,
    decorator_name,
    dotted,
    nodes_of,
    parse,
    scope,
)
from benchwright.lang.source_errors import SyntaxFault

SETTINGS = frozenset(["pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml", "pytest.toml"])
_OWN_MARKS = frozenset(["parametrize", "skip", "skipif", "xfail", "usefixtures", "filterwarnings"])
_PLUGIN_MARKS_TEXT = """
asyncio anyio trio twisted django_db urls mypy_testing benchmark flaky timeout vcr freeze_time repeat
parametrize_with_cases hypothesis order dependency httpx_mock respx mpl_image_compare regression datafiles
"""
_PLUGIN_MARKS = frozenset(_PLUGIN_MARKS_TEXT.split())
_OWN_FIXTURES_TEXT = """
request tmp_path tmp_path_factory tmpdir tmpdir_factory monkeypatch capsys capfd capsysbinary capfdbinary
caplog recwarn pytestconfig cache record_property record_testsuite_property record_xml_attribute
doctest_namespace testdir pytester linecomp subtests capteesys
"""
_OWN_FIXTURES = frozenset(_OWN_FIXTURES_TEXT.split())
_BUILT_IN = frozenset(
    [*dir(builtins), "__file__", "__name__", "__doc__", "__builtins__", "__path__", "__spec__", "__package__"]
)
_BINDS_ALL = frozenset(["globals", "exec", "locals", "vars"])


def python_needs(pair: PairTexts, near: ProjectTexts) -> PairNeeds:
    """Return the files that a pair uses, including those of `conftest.py`, and the plug-ins that its test
    needs."""
    tree, reached = parse(pair.test_code), reached_files(pair, near)
    if isinstance(tree, SyntaxFault):
        return PairNeeds(reached)
    settings = "\n".join(
        near.read(path) for path in near.paths if path.rpartition("/")[2] in {*SETTINGS, "conftest.py"}
    )
    wanted = [f"the mark {name!r}" for name in _foreign_marks(tree) if not _is_plain_mark(name, settings)]
    given = _conftest_fixtures(pair.test_path, near)
    fixtures = set(_foreign_fixtures(tree))
    wanted += [f"the fixture {name!r}" for name in fixtures - given.keys()]
    wanted += [f"a runner for the coroutine {name}" for name in _coroutines(tree)]
    wanted += [f"the name {name!r}, which nothing binds" for name in _unbound(tree)]
    return PairNeeds(reached | {given[name] for name in fixtures & given.keys()}, frozenset(wanted))


def _foreign_marks(tree: ast.Module) -> set[str]:
    """Yield the marks that pytest itself does not define."""
    found = set()
    for node in nodes_of(tree, ast.Attribute):
        holder, _, name = dotted(node).rpartition(".")
        if holder in ("pytest.mark", "mark") and name not in _OWN_MARKS:
            found.add(name)
    return found


def _is_plain_mark(name: str, settings: str) -> bool:
    """Return whether the project itself registers a mark, which then only selects tests."""
    if name in _PLUGIN_MARKS or "markers" not in settings:
        return False
    return re.search(
        rf"^\s*(?:markers\s*=\s*)?[\[\"']*{re.escape(name)}\s*(?:[:(\"']|$)", settings, re.M
    ) is not None or (re.search(rf"[\"']markers[\"'],\s*[\"']{re.escape(name)}\b", settings) is not None)


def _foreign_fixtures(tree: ast.Module) -> Iterator[str]:
    """Yield fixtures that tests and fixtures of the file request, and that neither it nor pytest defines."""
    functions = nodes_of(tree, ast.FunctionDef, ast.AsyncFunctionDef)
    own = {name for node in functions if is_fixture(node) for name in _fixture_names(node)}
    imported = {
        name for node in scope(tree.body) if isinstance(node, ast.ImportFrom) for name in bound_names(node)
    }
    known = own | imported | _OWN_FIXTURES
    if "*" in imported:
        return
    cases = {id(each.function): each for each in collect(tree)}
    for node in functions:
        if id(node) not in cases and not is_fixture(node):
            continue
        case = cases.get(id(node))
        if (case is not None and case.is_unittest) or _is_given(node):
            continue
        yield from set(_required(node)) - known - _parametrised(node, tree)
    for call in nodes_of(tree, ast.Call):
        if decorator_name(call).endswith("usefixtures"):
            names = {each.value for each in call.args if isinstance(each, ast.Constant)}
            yield from (name for name in names if isinstance(name, str) and name not in known)


def _fixture_names(node: Function) -> Iterator[str]:
    yield node.name
    for call in (each for each in node.decorator_list if isinstance(each, ast.Call)):
        for keyword in call.keywords:
            if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                yield str(keyword.value.value)


def _is_given(node: Function) -> bool:
    """Return whether a decorator other than a mark or a fixture may pass arguments: `mock.patch`, `given`."""
    names = [decorator_name(each) for each in node.decorator_list]
    return any("mark." not in name and not name.endswith("fixture") for name in names)


def _required(node: Function) -> list[str]:
    plain = [*node.args.posonlyargs, *node.args.args]
    wanted = plain[: len(plain) - len(node.args.defaults)]
    keywords = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    names = [each.arg for each in (*wanted, *(arg for arg, default in keywords if default is None))]
    return [name for at, name in enumerate(names) if not (at == 0 and name in ("self", "cls"))]


def _parametrised(node: Function, tree: ast.Module) -> set[str]:
    """Return argument names of `parametrize` on a function, on a class or for the whole file."""
    found: set[str] = set()
    for call in nodes_of(tree, ast.Call):
        if decorator_name(call).rpartition(".")[2] != "parametrize":
            continue
        first = (
            call.args[0]
            if call.args
            else next((each.value for each in call.keywords if each.arg == "argnames"), None)
        )
        found.update(_texts(first))
    return found


def _texts(node: ast.expr | None) -> Iterator[str]:
    if node is not None:
        for each in ast.walk(node):
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                yield from (part.strip() for part in each.value.split(","))


def _conftest_fixtures(test_path: str, near: ProjectTexts) -> dict[str, str]:
    """Map the fixtures of each `conftest.py` above a test to its path; the nearest one wins."""
    found: dict[str, str] = {}
    parts = test_path.split("/")[:-1]
    for depth in range(len(parts) + 1):
        path = "/".join([*parts[:depth], "conftest.py"])
        tree = parse(near.read(path)) if path in near.paths else None
        if isinstance(tree, ast.Module):
            functions = (each for each in scope(tree.body) if isinstance(each, Function) and is_fixture(each))
            found.update((name, path) for node in functions for name in _fixture_names(node))
    return found


def _coroutines(tree: ast.Module) -> list[str]:
    return [
        each.name
        for each in collect(tree)
        if isinstance(each.function, ast.AsyncFunctionDef) and not each.is_unittest
    ]


def _unbound(tree: ast.Module) -> set[str]:
    """Return names that are read and that no scope of the file binds."""
    bound = {name for node in all_nodes(tree) for name in _bound_by(node)}
    read = {node.id for node in nodes_of(tree, ast.Name) if isinstance(node.ctx, ast.Load)}
    if "*" in bound or not _BINDS_ALL.isdisjoint(read):
        return set()
    return read - bound - _BUILT_IN


def _bound_by(node: ast.AST) -> Iterable[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.MatchMapping(rest=str(name)):
            return [name]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [node.name, *(str(each.name) for each in getattr(node, "type_params", ()))]
        case ast.Import() | ast.ImportFrom():
            return bound_names(node)
        case ast.Global(names=names):
            return names
        case _:
            return ()


MOST_FILES = 3000
MOST_CHARS = 8 << 20
_CHANGES_ENDS = re.compile(
    r"^\s*[\"']?(?:filterwarnings|usefixtures|asyncio_mode|required_plugins|env|DJANGO_SETTINGS_MODULE"
    r"|xfail_strict|doctest_\w+)[\"']?\s*=.*$|^\s*addopts\s*=.*(?:-p |-W|--doctest|--import-mode|-n).*$",
    re.MULTILINE,
)


def python_in_project(pair: PairTexts, near: ProjectTexts, suite: Suite) -> ProjectLayout:
    """Return all texts of the project, with its source folder moved to the top; none if one is too large."""
    root = _sources(pair, near, suite)
    own = {pair.focal_path: pair.focal_code, pair.test_path: pair.test_code}
    files, room = dict[str, str](), MOST_CHARS
    for path in [*own, *near.paths] if len(near.paths) <= MOST_FILES else []:
        text = own[path] if path in own else near.read(path)
        room -= len(text)
        files.setdefault(_path_below(path, root), text)
    return ProjectLayout(
        files if room >= 0 else {},
        _path_below(pair.focal_path, root),
        _path_below(pair.test_path, root),
        _settings(near),
    )


def _sources(pair: PairTexts, near: ProjectTexts, suite: Suite) -> str:
    """Return the folder of the focal file's packages, such as "src/", if the test is not below it."""
    folder = pair.focal_path.rpartition("/")[0]
    while folder and f"{folder}/__init__.py" in near.paths:
        folder = folder.rpartition("/")[0]
    found = [f"{folder}/" if folder else ""]
    if pair.focal_path.endswith(f"/{suite.focal}"):
        found.append(pair.focal_path.removesuffix(suite.focal))
    root = min(found, key=len)
    return "" if pair.test_path.startswith(root) else root


def _path_below(path: str, root: str) -> str:
    return path.removeprefix(root)


def _settings(near: ProjectTexts) -> str:
    """Return the first line of a setting that decides how tests end: the runner here ignores settings."""
    for name in sorted(SETTINGS):
        if name in near.paths and (found := _CHANGES_ENDS.search(near.read(name))):
            return f"{name}: {found[0].strip()[:100]}"
    return ""

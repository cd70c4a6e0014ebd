"""A JavaScript project of two files: the test's relative import of the focal file is its layout."""

from __future__ import annotations

from collections.abc import Collection
from posixpath import dirname, join, normpath

from benchwright.contracts import Suite
from benchwright.lang.javascript.modules import (
    GRAMMAR,
    SUFFIXES,
    exports,
    is_module,
    javascript_imports,
    names_from,
    parse,
    resolved,
)
from benchwright.lang.javascript.test_cases import FRAMEWORK, collect
from benchwright.lang.paths import is_plain_path
from benchwright.lang.protocol import UNREADABLE, Opening, PairNeeds, PairTexts, ProjectLayout, ProjectTexts
from benchwright.lang.source_errors import LayoutError, SyntaxFault
from benchwright.lang.trees import Tree

PACKAGE_FILE = "package.json"
_FOLDER = "test"  # of a test file whose own path is not known
MOST_FILES = 400


def lay_out_javascript(focal: str, test: str, *, focal_name: str | None, test_name: str | None) -> Suite:
    """Put both files where the test's import reaches the focal file; `package.json` sets the module kind."""
    focal_tree, test_tree = _read(focal, "focal"), _read(test, "test")
    cases = list(collect(test_tree).cases)
    if not cases:
        raise LayoutError("the test file has no test case", reason="no_cases")
    source = _imported(focal_tree, test_tree, focal_name, test_name)
    test_path = _test_path(test_tree, source, test_name, focal_tree)
    focal_path = _with_suffix(normpath(join(dirname(test_path), source)), focal_name)
    if focal_path == test_path or not is_plain_path(focal_path) or not focal_path.endswith(SUFFIXES):
        raise LayoutError(f"{source!r} is not the path of a focal file", reason="package")
    kind = "module" if is_module(focal_tree) else "commonjs"
    files = {PACKAGE_FILE: f'{{"type": "{kind}"}}\n', focal_path: focal, test_path: test}
    return Suite(
        lang=GRAMMAR.lang,
        framework=FRAMEWORK,
        files=files,
        focal=focal_path,
        test=test_path,
        cases=cases,
    )


def missing_in_javascript(suite: Suite, roots: Collection[str]) -> set[str]:
    """Return the relative and project imports of both files that no file of the suite satisfies."""
    missing: set[str] = set()
    for path in (suite.focal, suite.test):
        tree = parse(suite.files[path])
        for each in [] if isinstance(tree, SyntaxFault) else javascript_imports(tree, roots):
            if each.kind == "project" or (
                each.kind == "relative" and not resolved(each.module, path, suite.files)
            ):
                missing.add(each.module)
    return missing


def javascript_needs(pair: PairTexts, near: ProjectTexts) -> PairNeeds:
    """Return the other files of the project that either file imports."""
    found: set[str] = set()
    for path, code in ((pair.focal_path, pair.focal_code), (pair.test_path, pair.test_code)):
        found.update(_reached_files(path, code, near))
    return PairNeeds(frozenset(found - {pair.focal_path, pair.test_path}))


def javascript_in_project(pair: PairTexts, near: ProjectTexts, _: Suite) -> ProjectLayout:
    """Return both files with all that they import, directly or not, and each `package.json` above them."""
    files = {pair.focal_path: pair.focal_code, pair.test_path: pair.test_code}
    waiting = list(files)
    while waiting and len(files) <= MOST_FILES:
        path = waiting.pop()
        fresh = [each for each in _reached_files(path, files[path], near) if each not in files]
        files.update((each, near.read(each)) for each in fresh)
        waiting += [each for each in fresh if each.endswith(SUFFIXES)]
    folders = {folder for path in files for folder in _folders(path)}
    settings = (join(folder, PACKAGE_FILE) for folder in folders)
    files.update((each, near.read(each)) for each in settings if each in near.paths)
    return ProjectLayout({} if waiting else files, pair.focal_path, pair.test_path)


def focal_of_javascript(test_path: str, test_code: str, near: ProjectTexts) -> str:
    """Return the imported file that a test takes most names from; "" if there is none, or several."""
    tree = parse(test_code)
    if isinstance(tree, SyntaxFault):
        return ""
    counts: dict[str, int] = {}
    for each in javascript_imports(tree):
        found = resolved(each.module, test_path, near.paths) if each.kind == "relative" else ""
        if found.endswith(SUFFIXES):
            counts[found] = counts.get(found, 0) + max(1, len(names_from(tree, each.module)))
    best = [path for path, count in counts.items() if count == max(counts.values())]
    return best[0] if len(best) == 1 else ""


def opening_in_javascript(path: str, code: str, _: Collection[str]) -> Opening | None:
    """Return how a test begins: imports of `node:test`, `node:assert` and what the file exports."""
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return UNREADABLE
    names = sorted(each for each in exports(tree) if each.isidentifier())
    if not names:
        return None
    name = path.rpartition("/")[2]
    stem, _, suffix = name.rpartition(".")
    plain = [each for each in names if each != "default"]
    if is_module(tree):
        specifiers = ", ".join([*(["default as subject"] if "default" in names else []), *plain])
        imports = ('import test from "node:test";', 'import assert from "node:assert/strict";')
        own = f'import {{ {specifiers} }} from "./{name}";'
    else:
        imports = ('const test = require("node:test");', 'const assert = require("node:assert/strict");')
        subject = f"{{ {', '.join(plain)} }}" if plain else "subject"
        own = f'const {subject} = require("./{name}");'
    lines = "\n".join([*imports, own, ""])
    probe = f'{lines}\ntest("probe", () => {{\n  assert.ok(true);\n}});\n'
    return Opening(lines, probe, "probe", f"{stem}.test.{suffix}")


def _read(code: str, which: str) -> Tree:
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        raise LayoutError(f"the {which} file cannot be read: {tree}", reason=tree.reason)
    return tree


def _imported(focal: Tree, test: Tree, focal_name: str | None, test_name: str | None) -> str:
    """Return the relative import that names the focal file: by paths, else by the names it takes."""
    sources = list(dict.fromkeys(each.module for each in javascript_imports(test) if each.kind == "relative"))
    if not sources:
        raise LayoutError("no import in the test file names another file", reason="no_import")
    if focal_name and test_name:
        exact = [each for each in sources if resolved(each, test_name, {focal_name})]
        if exact:
            return exact[0]
    given = exports(focal)
    scores = {each: len(names_from(test, each) & given) for each in sources}
    best = [each for each in sources if scores[each] == max(scores.values())]
    if len(best) > 1:
        raise LayoutError(f"several imports fit the focal file: {', '.join(best[:5])}", reason="ambiguous")
    return best[0]


def _test_path(test: Tree, source: str, test_name: str | None, focal: Tree) -> str:
    """Return the test's own path if it can be kept, else one as deep as its import climbs."""
    climbs = normpath(source).split("/").count("..")
    given = test_name or ""
    if given.endswith(SUFFIXES) and is_plain_path(given) and given.count("/") >= climbs:
        return given
    suffix = ".js" if is_module(test) == is_module(focal) else ".mjs" if is_module(test) else ".cjs"
    return join(*(f"{_FOLDER}{number or ''}" for number in range(climbs)), f"focal.test{suffix}")


def _with_suffix(path: str, focal_name: str | None) -> str:
    """Return a focal path with its suffix, which `require` may leave out."""
    if path.endswith(SUFFIXES):
        return path
    if path == ".":
        return focal_name.rpartition("/")[2] if focal_name else "index.js"
    if focal_name and focal_name.rpartition("/")[2].startswith("index."):
        return f"{path}/{focal_name.rpartition('/')[2]}".removeprefix("./")
    known = next((each for each in SUFFIXES if focal_name and focal_name.endswith(each)), SUFFIXES[0])
    return f"{path}{known}"


def _reached_files(path: str, code: str, near: ProjectTexts) -> list[str]:
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return []
    sources = [each.module for each in javascript_imports(tree) if each.kind == "relative"]
    return [found for each in sources if (found := resolved(each, path, near.paths))]


def _folders(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:length]) for length in range(len(parts) + 1)]

"""Which file a test file tests, by the naming habits of each language and by its imports.

Names propose, imports decide: of several files with a fitting name, the one that the test imports by its
path; then the one whose folder is most like the test's.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from benchwright.lang.faults import Fault
from benchwright.lang.imports import imports
from benchwright.lang.languages import GO, JAVA, PYTHON, Language, language_of
from benchwright.lang.python.evidence import names_taken
from benchwright.lang.python.importing import python_imports
from benchwright.lang.python.tree import parse

_JAVA_TEST = re.compile(r"(?:Tests?(?=[A-Z])|IT(?=[A-Z][a-z]))(\w+)|(\w+?)(?:Tests|Test|TestCase|IT|ITCase)")
_TEST_FOLDERS = {"test", "tests", "testing", "unit", "unittests", "src", "lib", "main", "java", "integration"}


def is_test_path(path: str) -> bool:
    """True for a file that a test runner of its language would look into, by its name."""
    return _tested_stem(path) is not None


def test_paths_for(path: str) -> list[str]:
    """Where the tests of a focal file are by habit, likeliest first; none for a test file."""
    lang = language_of(path)
    if lang is None or is_test_path(path):
        return []
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0]
    if lang == GO:
        return [_join(folder, f"{stem}_test.go")]
    if lang == JAVA:
        folders = dict.fromkeys([_replaced(folder, "main", "test"), folder])
        names = [f"{stem}Test.java", f"{stem}Tests.java", f"Test{stem}.java", f"{stem}TestCase.java"]
        return [_join(each, name) for each in folders for name in names]
    return _python_tests(folder, stem)


def focal_for(test_path: str, files: Collection[str], test_code: str) -> str | None:
    """The file among `files` that a test file tests, or None when none or several fit equally.

    Where no file has a fitting name, the only project file that the test imports is taken.
    """
    stem, lang = _tested_stem(test_path), language_of(test_path)
    if stem is None or lang is None:
        return None
    suffix = test_path.rpartition(".")[2]
    sources = [path for path in files if path.endswith(f".{suffix}") and not is_test_path(path)]
    if lang == GO:
        sources = [path for path in sources if _folder(path) == _folder(test_path)]
    same = [path for path in sources if _is_named(path, stem)]
    if len(same) == 1 or lang == GO:
        return _nearest(same, test_path)
    wanted = _imported_paths(test_code, lang)
    if not same:
        found = [path for path in sources if _ends_on_one(path, wanted)]
        return found[0] if len(found) == 1 else None
    return _nearest([path for path in same if _ends_on_one(path, wanted)] or same, test_path)


def behind_package(init_path: str, init_code: str, test_code: str, files: Collection[str]) -> str:
    """The file that a test of a Python package means, when the package's `__init__.py` only passes on names.

    That is the one file that all names come from which the test takes from the package; `init_path` itself
    when they come from several, or from the package's own code.
    """
    folder = init_path.removesuffix("/__init__.py")
    package = folder.rpartition("/")[2]
    test, init = parse(test_code), parse(init_code)
    if isinstance(test, Fault) or isinstance(init, Fault) or not init_path.endswith("/__init__.py"):
        return init_path
    homes = {
        name: f"{folder}/{module.replace('.', '/')}.py"
        for module, names in _from_inside(init, package)
        for name in names
    }
    found = {homes.get(name, init_path) for name in names_taken(test, package)}
    return found.pop() if len(found) == 1 and found <= set(files) else init_path


def _from_inside(init: ast.Module, package: str) -> Iterator[tuple[str, list[str]]]:
    """Modules right below a package that its `__init__.py` takes names from, and those names."""
    for each in python_imports(init):
        module = each.module.removeprefix(package)
        if re.match(r"\.\w", module) and not each.typing_only:
            yield module[1:], each.names


def _tested_stem(path: str) -> str | None:
    """The name, without suffix, of the file that a test file's name says it tests."""
    name, lang = path.rpartition("/")[2], language_of(path)
    stem = name.rpartition(".")[0]
    if lang == GO:
        return stem.removesuffix("_test") if stem.endswith("_test") and stem != "_test" else None
    if lang == JAVA:
        found = _JAVA_TEST.fullmatch(stem)
        return (found.group(1) or found.group(2)) if found else None
    if lang == PYTHON and stem.startswith("test_"):
        return stem.removeprefix("test_") or None
    return stem.removesuffix("_test") or None if lang == PYTHON and stem.endswith("_test") else None


def _python_tests(folder: str, stem: str) -> list[str]:
    if stem == "__init__":
        folder, _, stem = folder.rpartition("/")
    parts = [part for part in folder.split("/") if part]
    inner = parts[1:] if parts[:1] in (["src"], ["lib"]) else parts
    places = [["tests", *inner[1:]], ["tests", *inner], ["tests"], ["test", *inner[1:]], ["test"]]
    places += [[*parts, "tests"], [*parts, "test"], parts]
    folders = dict.fromkeys("/".join(place) for place in places)
    names = [f"test_{stem}.py", f"{stem}_test.py"]
    return [_join(each, name) for each in folders for name in names]


def _is_named(path: str, stem: str) -> bool:
    """True for a file of that name, or a Python package of that name; leading underscores do not count."""
    folder, _, name = path.rpartition("/")
    if name == "__init__.py":
        return folder.rpartition("/")[2] == stem
    own = name.rpartition(".")[0]
    return stem in (own, own.lstrip("_"))


def _imported_paths(test_code: str, lang: Language) -> list[str]:
    """Ends of paths, without a suffix, that the test's imports may mean; each begins with a slash."""
    found: list[str] = []
    for each in imports(test_code, lang):
        if each.kind == "standard":
            continue
        module = each.module.strip(".").replace(".", "/")
        found += [f"/{module}", *(f"/{module}/{name}" for name in each.names)]
    return [end.replace("//", "/") for end in found if end.strip("/*")]


def _ends_on_one(path: str, wanted: list[str]) -> bool:
    whole = "/" + path.rpartition(".")[0].removesuffix("/__init__")
    return any(whole.endswith(end) for end in wanted)


def _nearest(paths: list[str], test_path: str) -> str | None:
    """The path whose folders are most like the test's; None for a tie."""
    if not paths:
        return None
    own = {part for part in _folder(test_path).split("/") if part not in _TEST_FOLDERS}
    scored = sorted((_distance(path, own), path) for path in paths)
    tied = len(scored) > 1 and scored[0][0] == scored[1][0]
    return None if tied else scored[0][1]


def _distance(path: str, own: set[str]) -> int:
    parts = {part for part in _folder(path).split("/") if part not in _TEST_FOLDERS}
    return len(parts ^ own)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _replaced(folder: str, old: str, new: str) -> str:
    return "/".join(new if part == old else part for part in folder.split("/"))

"""Which file a test file tests, by the naming habits of each language and by its imports.

Names propose, imports decide: of several files with a fitting name, the one that the test imports by its
path; then the one whose folder is most like the test's.
"""

from __future__ import annotations

from collections.abc import Collection

from benchwright.lang.answers import Language
from benchwright.lang.languages import language_of

_TEST_FOLDERS = {"test", "tests", "testing", "unit", "unittests", "src", "lib", "main", "java", "integration"}


def is_test_path(path: str) -> bool:
    """Return whether a test runner of its language would load a file with this name."""
    lang = language_of(path)
    return lang is not None and lang.tested_stem(_stem(path)) is not None


def focal_for(test_path: str, files: Collection[str], test_code: str) -> str | None:
    """Return the file among `files` that a test file tests; None if none fits, or several fit equally.

    If no file has a fitting name, it is the only project file that the test imports.
    """
    lang = language_of(test_path)
    stem = None if lang is None else lang.tested_stem(_stem(test_path))
    if stem is None or lang is None:
        return None
    sources = [path for path in files if path.endswith(lang.suffixes) and not is_test_path(path)]
    if lang.tests_beside_code:
        sources = [path for path in sources if _folder(path) == _folder(test_path)]
    same = [path for path in sources if _is_named(path, stem, lang)]
    same = same or [path for path in sources if _is_path_in_words(path, stem)]
    if len(same) == 1 or lang.tests_beside_code:
        return _nearest(same, test_path)
    wanted = _imported_paths(test_code, lang)
    if not same:
        found = [path for path in sources if _ends_on_one(path, wanted, lang)]
        return found[0] if len(found) == 1 else None
    return _nearest([path for path in same if _ends_on_one(path, wanted, lang)] or same, test_path)


def behind_package(path: str, code: str, test_code: str, files: Collection[str]) -> str:
    """Return the file that a test means by a package whose own file `path` only re-exports names.

    One of `files`; `path` itself if it is not such a file, or re-exports names of several files.
    """
    lang = language_of(path)
    return path if lang is None else lang.behind(path, code, test_code, files)


def _is_named(path: str, stem: str, lang: Language) -> bool:
    """Return whether a file or package has this name; leading underscores do not count."""
    folder, _, name = path.rpartition("/")
    if name == lang.package_file:
        return folder.rpartition("/")[2] == stem
    own = _stem(path)
    return stem in (own, own.lstrip("_"))


def _is_path_in_words(path: str, stem: str) -> bool:
    """Return whether a path such as `decorators/retry.py` matches a stem such as `decorators_retry`."""
    parts = path.rpartition(".")[0].split("/")
    return any("_".join(parts[at:]) == stem for at in range(len(parts) - 1))


def _imported_paths(test_code: str, lang: Language) -> list[str]:
    """Return ends of paths that the test's imports may mean, without suffix and with a slash in front."""
    found: list[str] = []
    for each in lang.imports(test_code, ()):
        if each.kind == "standard":
            continue
        found += lang.import_ends(each)
    return [end.replace("//", "/") for end in found if end.strip("/*")]


def _ends_on_one(path: str, wanted: list[str], lang: Language) -> bool:
    own = _folder(path) if path.endswith(f"/{lang.package_file}") else path.rpartition(".")[0]
    whole = f"/{own}"
    return any(whole.endswith(end) for end in wanted)


def _nearest(paths: list[str], test_path: str) -> str | None:
    """Return the path whose folders are most similar to the test's; None for a tie."""
    if not paths:
        return None
    own = {part for part in _folder(test_path).split("/") if part not in _TEST_FOLDERS}
    scored = sorted((_distance(path, own), path) for path in paths)
    best = [path for distance, path in scored if distance == scored[0][0]]
    return best[0] if len(best) == 1 else _package_of(best)


def _package_of(paths: list[str]) -> str | None:
    """Return `pkg/__init__.py` if the paths are that and `pkg/pkg.py`: what it re-exports decides between
    them."""
    lang = language_of(paths[0])
    package = next((path for path in paths if lang and path.rpartition("/")[2] == lang.package_file), None)
    if package is None or len(paths) != 2:
        return None
    return package if {_folder(path) for path in paths} == {_folder(package)} else None


def _distance(path: str, own: set[str]) -> int:
    parts = {part for part in _folder(path).split("/") if part not in _TEST_FOLDERS}
    return len(parts ^ own)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]

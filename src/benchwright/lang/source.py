"""Questions about source texts, answered by each language's object; which file a test file tests.

`lang` is a language's name or another spelling of it. Raises DataError for any other. Of several files with a
fitting name, a test file tests the one that it imports by its path; then the one whose folder is most similar
to the test's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from typing import Any

from benchwright.contracts import Suite
from benchwright.lang.languages import language, language_of
from benchwright.lang.protocol import (
    KINDS,
    Case,
    CompletedPair,
    FileFacts,
    Import,
    Language,
    Mutant,
    PairNeeds,
    PairTexts,
    ProjectLayout,
    ProjectTexts,
)
from benchwright.lang.source_errors import CuttingError, LayoutError, SyntaxFault, encode_source


def syntax_fault(code: str, lang: str) -> SyntaxFault | None:
    """Return the first syntax error of a text, or None. Never raises for the content of a text.

    Python's own parser checks Python, so the grammar is that of the running version. Other languages are
    checked by a grammar that is slightly more lenient than their compilers.
    """
    return language(lang).fault(code)


def cases(test_code: str, lang: str) -> list[Case]:
    """Return all test cases in the file's order, each name once: a complete report names exactly these.

    A Python text that does not parse has none, since it cannot run; texts in other languages have those that
    the parser finds. A text over the size limit has none.
    """
    return language(lang).cases(test_code)


def only_case(test_code: str, case: Case, lang: str) -> str:
    """Return the test file with one test case, with everything that it may need and no trace of other cases.

    Other cases are cut with their decorators and comments, other test classes whole, and imports that nothing
    else uses (in Go they would not compile); fixtures, helpers and set-up stay. Gaps are closed so that the
    text's shape does not show the cut. Raises CuttingError if this case cannot be left alone: the rest uses
    another case, or two share a line.
    """
    kind = language(lang)
    fault = kind.fault(test_code)
    if fault is not None:
        raise CuttingError(f"the test file does not parse: {fault}", reason=fault.reason)
    if case.name not in [each.name for each in kind.cases(test_code)]:
        raise CuttingError(f"the test file has no test case {case.name}", reason="no_cases")
    cut = kind.cut(test_code, case.name)
    _check(cut, case, kind)
    return cut


def _check(cut: str, case: Case, lang: Language) -> None:
    """Check the result of a cut: that costs less than reasoning about every syntax."""
    fault = lang.fault(cut)
    left = [each.name for each in lang.cases(cut)]
    if fault is not None or left != [case.name]:
        why = f"what is left does not parse: {fault}" if fault else f"{', '.join(left[:5])} would be left"
        raise CuttingError(f"{case.name} cannot be cut out: {why}", reason="entangled")


def imports(code: str, lang: str, *, roots: Collection[str] = ()) -> list[Import]:
    """Return all imports in the file's order; none for a text that does not parse.

    `roots` are the project's own top-level packages (Python), package prefixes (Java) or module paths (Go),
    if known: then only names under them are "project". Without them, Python counts every name that is not a
    well-known package's as the project's, Java uses the file's own package, and Go checks whether the path
    starts with a host.
    """
    return language(lang).imports(code, roots)


def unresolved(suite: Suite, *, roots: Collection[str] = ()) -> list[str]:
    """Return the project's modules, classes and names that the suite needs and does not contain, sorted.

    Names that the test takes from the focal file are not included, even if the focal file lacks them:
    execution finds that. `roots` as in `imports`.
    """
    return sorted(language(suite.lang).missing(suite, roots))


def lay_out(
    focal_code: str,
    test_code: str,
    lang: str,
    *,
    focal_name: str | None = None,
    test_name: str | None = None,
) -> Suite:
    """Return both files as a project in which the test's imports reach the focal file.

    Names (paths in the original project) are hints if the texts leave a choice. Raises LayoutError, whose
    `reason` explains why there is no such project. A focal file that does not parse gets a layout too:
    execution finds its error.
    """
    kind = language(lang)
    for which, code in (("focal", focal_code), ("test", test_code)):
        data = encode_source(code)
        if not isinstance(data, bytes):
            raise LayoutError(f"the {which} file cannot be read: {data}", reason=data.reason)
    return kind.lay_out(focal_code, test_code, focal_name=focal_name, test_name=test_name)


def executed_uses(focal_code: str, lang: str, lines: Collection[int]) -> set[str] | None:
    """Return the uses of a focal file's executed lines and of loading it; None if unknown."""
    return language(lang).executed_uses(focal_code, lines)


def libraries(code: str, lang: str) -> set[str]:
    """Return the third-party packages that a file cannot be loaded without, as its language names them."""
    return language(lang).libraries(code)


def complete_pair(
    focal_path: str, test_path: str, test_code: str, lang: str, near: ProjectTexts
) -> CompletedPair | None:
    """Return the focal file of a test with one case, and both files completed from their project; or None."""
    return language(lang).complete(focal_path, test_path, test_code, near)


def focal_of(test_path: str, test_code: str, lang: str, near: ProjectTexts) -> str:
    """Return the file that a test file takes most names from, followed through re-exports; "" for none."""
    return language(lang).focal_of(test_path, test_code, near)


def needs(pair: PairTexts, lang: str, near: ProjectTexts) -> PairNeeds:
    """Return the other project files that a pair uses by name, and the plug-ins that its test needs."""
    return language(lang).needs(pair, near)


def in_project(pair: PairTexts, near: ProjectTexts, suite: Suite) -> ProjectLayout:
    """Return a pair among the files of its project; `near` holds them all, `suite` is the pair's own
    layout."""
    return language(suite.lang).in_project(pair, near, suite)


def mutants(focal_code: str, lang: str) -> Iterator[Mutant]:
    """Yield every mutant in the file's order, always the same; nothing for a text that does not parse.

    The rest of the text stays unchanged. A mutant in Python parses; one in another language may not compile,
    since types are unknown here.
    """
    yield from language(lang).mutants(focal_code)


def compile_faults(focal_code: str, lang: str, draw: Callable[[str], str]) -> Iterator[Mutant]:
    """Yield the text with one slip that a compiler or an interpreter reports, one of each kind of
    `lang.compile_faults`.

    The least key of `draw` comes first, of kinds and of places within one. Nothing for a text with a syntax
    error.
    """
    yield from language(lang).broken(focal_code, draw)


def tags(focal_code: str, test_code: str, lang: str) -> dict[str, Any]:
    """Return facts about a pair that need no execution, ready for JSON. The keys are always the same:

    focal_lines, test_lines: int; focal_syntax, test_syntax: bool; framework: str ("" if unknown); cases,
    asserts: int; parametrised: bool; dynamic_cases: bool (a test may run that a parser cannot see); imports:
    {kind: sorted names} of both files; focal_uses, test_uses: sorted list of detectors.USES.
    """
    name = language(lang).name
    focal, test = _facts(focal_code, name), _facts(test_code, name)
    return {
        "focal_lines": _lines(focal_code),
        "test_lines": _lines(test_code),
        "focal_syntax": focal.parses,
        "test_syntax": test.parses,
        "framework": test.framework,
        "cases": len(test.cases),
        "asserts": test.asserts,
        "parametrised": any(each.parametrised for each in test.cases),
        "dynamic_cases": test.dynamic,
        "imports": _by_kind([*focal.imports, *test.imports]),
        "focal_uses": sorted(focal.uses),
        "test_uses": sorted(test.uses),
    }


@lru_cache(maxsize=8)  # the rows of one focal file are consecutive
def _facts(code: str, lang: str) -> FileFacts:
    return language(lang).facts(code)


def _by_kind(found: list[Import]) -> dict[str, list[str]]:
    return {kind: sorted({each.module for each in found if each.kind == kind}) for kind in KINDS}


def _lines(code: str) -> int:
    return code.count("\n") + (not code.endswith("\n")) if code else 0


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


def defining_file(path: str, code: str, test_code: str, files: Collection[str]) -> str:
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

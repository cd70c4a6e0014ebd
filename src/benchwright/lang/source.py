"""Questions about source texts in any language; the language's own object answers.

`lang` is a language's name as data sets write it, or another spelling of it. Raises DataError for any other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from typing import Any

from benchwright.contracts import Suite
from benchwright.lang.answers import KINDS, Case, FileFacts, Import, Language, Mutant
from benchwright.lang.companions import Companions, Completed, Needs, PairTexts, ProjectLayout
from benchwright.lang.faults import CuttingError, LayoutError, SyntaxFault, encoded
from benchwright.lang.languages import language


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
        data = encoded(code)
        if not isinstance(data, bytes):
            raise LayoutError(f"the {which} file cannot be read: {data}", reason=data.reason)
    return kind.lay_out(focal_code, test_code, focal_name=focal_name, test_name=test_name)


def executed_uses(focal_code: str, lang: str, lines: Collection[int]) -> set[str] | None:
    """Return the uses of a focal file's executed lines and of loading it; None if unknown."""
    return language(lang).executed_uses(focal_code, lines)


def libraries(code: str, lang: str) -> set[str]:
    """Return the third-party packages that a file cannot be loaded without, as its language names them."""
    return language(lang).libraries(code)


def completed(
    focal_path: str, test_path: str, test_code: str, lang: str, near: Companions
) -> Completed | None:
    """Return the focal file of a test with one case, and both files completed from their project; or None."""
    return language(lang).complete(focal_path, test_path, test_code, near)


def focal_of(test_path: str, test_code: str, lang: str, near: Companions) -> str:
    """Return the file that a test file takes most names from, followed through re-exports; "" for none."""
    return language(lang).focal_of(test_path, test_code, near)


def needs(pair: PairTexts, lang: str, near: Companions) -> Needs:
    """Return the other project files that a pair uses by name, and the plug-ins that its test needs."""
    return language(lang).needs(pair, near)


def in_project(pair: PairTexts, near: Companions, suite: Suite) -> ProjectLayout:
    """Return a pair among the files of its project; `near` holds them all, `suite` is the pair's own
    layout."""
    return language(suite.lang).in_project(pair, near, suite)


def mutants(focal_code: str, lang: str) -> Iterator[Mutant]:
    """Yield every mutant in the file's order, always the same; nothing for a text that does not parse.

    The rest of the text stays unchanged. A mutant in Python parses; one in another language may not compile,
    since types are unknown here.
    """
    yield from language(lang).mutants(focal_code)


def broken(focal_code: str, lang: str, draw: Callable[[str], str]) -> Iterator[Mutant]:
    """Yield the text with one slip that a compiler or an interpreter reports, one of each kind of
    `lang.breaking`.

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

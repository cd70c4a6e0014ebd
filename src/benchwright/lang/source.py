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
    """The first fault of a text's syntax, or None. Never raises for what the text holds.

    Python's own parser judges Python, and so does the running version's grammar. Others are judged by
    a grammar that is a little more lenient than their compilers.
    """
    return language(lang).fault(code)


def cases(test_code: str, lang: str) -> list[Case]:
    """All test cases in the file's order, each name once: what a complete report on it must name.

    A Python text that does not parse has none, for it cannot run; Java and Go texts have those that can be
    seen. A text over the size limit has none.
    """
    return language(lang).cases(test_code)


def only_case(test_code: str, case: Case, lang: str) -> str:
    """The test file with one test case left, with all that it may need and no trace of its siblings.

    Siblings are cut with their decorators and comments, other test classes whole, and so are imports that
    nothing else used (in Go they would not compile); fixtures, helpers and set-up stay.
    Gaps are closed to what stood there before, so the text's shape does not tell that anything was cut.
    Raises CuttingError when exactly this case cannot be left alone: another one is used by what stays, or
    two share a line.
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
    """The promise, checked on what came out: the proof is cheaper than an argument about every syntax."""
    fault = lang.fault(cut)
    left = [each.name for each in lang.cases(cut)]
    if fault is not None or left != [case.name]:
        why = f"what is left does not parse: {fault}" if fault else f"{', '.join(left[:5])} would be left"
        raise CuttingError(f"{case.name} cannot be cut out: {why}", reason="entangled")


def imports(code: str, lang: str, *, roots: Collection[str] = ()) -> list[Import]:
    """All imports in the file's order; none for a text that does not parse.

    `roots` are the project's own top-level packages (Python), package prefixes (Java) or module paths
    (Go), where they are known: then only what is under them is "project". Without them, a name that is no
    well-known package's counts as the project's in Python, Java goes by the file's own package, and Go by
    whether the path begins with a host.
    """
    return language(lang).imports(code, roots)


def unresolved(suite: Suite, *, roots: Collection[str] = ()) -> list[str]:
    """What the suite needs from project files that it does not have: modules, classes, names; sorted.

    Names that the test takes from the focal file are not among it, even where the focal file lacks them:
    that is what an execution is for. `roots` as in `imports`.
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
    """Both files as a project in which the test's imports reach the focal file.

    Names (paths in the original project) are hints where the texts leave a choice. Raises LayoutError,
    whose `reason` says why there is no such project. A focal file that does not parse is laid out all the
    same: that it fails is for the execution to find.
    """
    kind = language(lang)
    for which, code in (("focal", focal_code), ("test", test_code)):
        data = encoded(code)
        if not isinstance(data, bytes):
            raise LayoutError(f"the {which} file cannot be read: {data}", reason=data.reason)
    return kind.lay_out(focal_code, test_code, focal_name=focal_name, test_name=test_name)


def executed_uses(focal_code: str, lang: str, lines: Collection[int]) -> set[str] | None:
    """What the executed lines of a focal file use, and what loading it does; None where this is not known."""
    return language(lang).executed_uses(focal_code, lines)


def libraries(code: str, lang: str) -> set[str]:
    """Packages of others that a file cannot be loaded without, as its language names them."""
    return language(lang).libraries(code)


def completed(
    focal_path: str, test_path: str, test_code: str, lang: str, near: Companions
) -> Completed | None:
    """The focal file of a test with one case, and both with what they need of their project; or None."""
    return language(lang).complete(focal_path, test_path, test_code, near)


def focal_of(test_path: str, test_code: str, lang: str, near: Companions) -> str:
    """The file that a test file takes most from, followed through what passes names on; "" for none."""
    return language(lang).focal_of(test_path, test_code, near)


def needs(pair: PairTexts, lang: str, near: Companions) -> Needs:
    """The other files of its project that a pair reaches by name, and the plug-ins that its test asks for."""
    return language(lang).needs(pair, near)


def in_project(pair: PairTexts, near: Companions, suite: Suite) -> ProjectLayout:
    """A pair among the files of its project; `near` holds them all, `suite` is the pair's layout alone."""
    return language(suite.lang).in_project(pair, near, suite)


def mutants(focal_code: str, lang: str) -> Iterator[Mutant]:
    """Every mutant in the file's order, always the same; none for a text that does not parse.

    The text around the change stays as it is, letter for letter. A mutant in Python parses; one in Java or
    Go may not compile, since nothing here knows types.
    """
    yield from language(lang).mutants(focal_code)


def broken(focal_code: str, lang: str, draw: Callable[[str], str]) -> Iterator[Mutant]:
    """The text with a slip that a compiler or an interpreter finds, one of each kind of `lang.breaking`.

    The least key of `draw` comes first, of kinds and of places within one. None for a text with a fault.
    """
    yield from language(lang).broken(focal_code, draw)


def tags(focal_code: str, test_code: str, lang: str) -> dict[str, Any]:
    """What can be said of a pair without running it, ready for JSON. Always the same keys:

    focal_lines, test_lines: int; focal_syntax, test_syntax: bool; framework: str ("" when unknown);
    cases, asserts: int; parametrised: bool; dynamic_cases: bool (a test may run that no parse can see);
    imports: {kind: sorted names} of both files; focal_uses, test_uses: sorted list of detectors.USES.
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


@lru_cache(maxsize=8)  # the rows of one focal file come one after the other
def _facts(code: str, lang: str) -> FileFacts:
    return language(lang).facts(code)


def _by_kind(found: list[Import]) -> dict[str, list[str]]:
    return {kind: sorted({each.module for each in found if each.kind == kind}) for kind in KINDS}


def _lines(code: str) -> int:
    return code.count("\n") + (not code.endswith("\n")) if code else 0

"""Which file of a Go package a single test is about, and both files with what they need of the others."""

from __future__ import annotations

from benchwright.lang.companions import Companions, Completed
from benchwright.lang.faults import SyntaxFault
from benchwright.lang.go.layout import local_names, selectors
from benchwright.lang.go.merging import declares, lacking, members_used, merge_go, package_of
from benchwright.lang.go.tree import package, parse


def complete_go(focal_path: str, test_path: str, test_code: str, near: Companions) -> Completed | None:
    """Return the focal file of this test and both files completed; None if that is not possible."""
    others = near.beside(test_path, ".go")
    sources = {path: text for path, text in others.items() if not path.endswith("_test.go")}
    helpers = {path: text for path, text in others.items() if path.endswith("_test.go")}
    declared = frozenset(name for text in sources.values() for name in declares(text))
    test = merge_go(test_code, helpers, wanted=frozenset(), members=frozenset())
    if not test.code:
        return None
    wanted = _wanted(test.code, sources) & declared
    focal_path = _about(focal_path, _wanted(test_code, sources), sources)
    if focal_path not in sources:
        return None
    rest = {path: text for path, text in sources.items() if path != focal_path}
    focal = merge_go(sources[focal_path], rest, wanted=wanted, members=members_used(test.code))
    if not focal.code:
        return None
    return Completed(focal_path, focal.code, test.code, [*focal.paths, *test.paths])


def _wanted(test_code: str, sources: dict[str, str]) -> frozenset[str]:
    """Return the names that a test takes from the package: unqualified in the same package, else
    qualified."""
    tree = parse(test_code)
    if isinstance(tree, SyntaxFault):
        return frozenset()
    clause = package(tree)
    if not clause.endswith("_test") or any(package_of(text) == clause for text in sources.values()):
        return lacking(test_code)
    own = clause.removesuffix("_test")
    locals_ = {name for names in local_names(tree).values() if own in names for name in names} | {own}
    return frozenset(name for holder, name in selectors(tree) if holder in locals_)


def _about(focal_path: str, wanted: frozenset[str], sources: dict[str, str]) -> str:
    """Return the given file, unless the test uses nothing of it; then the file that it uses most."""
    used = {path: len(wanted & declares(text)) for path, text in sources.items()}
    if used.get(focal_path, 0) or not used:
        return focal_path
    best = max(sorted(used), key=lambda path: used[path])
    return best if used[best] else focal_path

"""Protocol of a language with test suites, and the records that it returns about files and projects.

No method raises for the content of a text, except the errors that it names. A language returns the file that
a single case is about, and the declarations that a file lacks; only execution proves a completed pair.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple, Protocol

from benchwright.contracts import Suite
from benchwright.lang.comment_records import CommentedLanguage
from benchwright.lang.source_errors import SyntaxFault
from benchwright.records import Record

KINDS = ("standard", "third_party", "project", "relative")


class Case(Record, frozen=True, kw_only=True):
    """A test case under the name that reports use.

    Python: "test_x", "TestX::test_y"; Java: "Class#method", "Outer$Inner#method"; Go: "TestX"; JavaScript:
    "suite > case". Lines count from 1 and include decorators, annotations and the comment right above.
    """

    name: str
    first_line: int
    last_line: int
    parametrised: bool = False  # runs several times under one name; a report counts these runs as one case


class Import(Record, frozen=True, kw_only=True):
    """One imported module, class or package. `kind` is one of KINDS."""

    module: str  # "os.path", "..pkg.x" (relative, with its dots), "java.util.List", "net/http"
    kind: str
    line: int
    names: list[str] = []  # taken from the module: Python's `from m import a, b`; ["*"] for all
    alias: str = ""  # the name it is bound to, if the file chooses one
    typing_only: bool = False  # Python: under `if TYPE_CHECKING`, so never executed
    fallback: bool = False  # Python: under `except ImportError`, so only if another import fails


class Mutant(Record, frozen=True, kw_only=True):
    """The file with one change. `name` is unique within the file: kind, line and column, "compare-12-7".
    `line` is that of the changed statement, which may start below a comment that is removed with it."""

    name: str
    kind: str
    code: str
    line: int


class Opening(NamedTuple):
    """The first lines of a test file, and a minimal test file that shows whether a layout is possible.

    `probe` is a whole test file with the one case `case`, under the file name `name`. It is never run.
    """

    lines: str
    probe: str
    case: str
    name: str


UNREADABLE = Opening("", "", "", "")  # of a file that does not parse: its probe does not parse either


class MergedFile(NamedTuple):
    """A file completed with declarations of other files, and their paths. An empty text if it cannot be
    completed."""

    code: str = ""
    paths: list[str] = []


class LibraryRules(NamedTuple):
    """Packages of third parties that a test suite can import where it is executed."""

    folder: str = ""  # their subfolder of `--libraries`; empty if suites cannot have any
    suffix: str = ""  # of the entries that are libraries; empty: every file and folder is one
    members: str = ""  # if set, a library is an archive; folders of files with this suffix are packages
    profile: str = ""  # dependency profile whose packages are available; empty for none
    prefixes: tuple[str, ...] = ()  # of packages that the test framework includes


class FileFacts(NamedTuple):
    """Facts about one file. A file that cannot be read has the defaults."""

    parses: bool = False
    framework: str = ""  # test framework; empty if unknown
    cases: list[Case] = []
    asserts: int = 0
    dynamic: bool = False  # tests may run that a parser cannot see
    imports: list[Import] = []
    uses: set[str] = set()  # of detectors.USES


class Language(CommentedLanguage, Protocol):
    """A language with test suites. No method raises for the content of a text, except the errors that it
    names."""

    test_request: str  # instruction to a model on how to write tests
    package_file: str  # file that represents its folder, such as `__init__.py`; empty for none
    tests_beside_code: bool  # a test is in the folder of the file that it tests
    not_focal: frozenset[str]  # names of files without code to test
    library_rules: LibraryRules
    families: Mapping[
        str, tuple[str, ...]
    ]  # library functions, each with others that take the same parameters

    def fault(self, code: str) -> SyntaxFault | None:
        """Return the first syntax error of a text, or None."""
        ...

    def cases(self, code: str) -> list[Case]:
        """Return all test cases in the file's order, each name once; none for an unreadable text."""
        ...

    def cut(self, code: str, name: str) -> str:
        """Return the file with only this test case; the result parses. Raises CuttingError."""
        ...

    def imports(self, code: str, roots: Collection[str]) -> list[Import]:
        """Return all imports in the file's order; none for an unreadable text."""
        ...

    def missing(self, suite: Suite, roots: Collection[str]) -> set[str]:
        """Return the project files, modules or names that a suite needs and does not contain."""
        ...

    def lay_out(self, focal: str, test: str, *, focal_name: str | None, test_name: str | None) -> Suite:
        """Return both files as a project in which the test's imports reach the focal file. Raises
        LayoutError."""
        ...

    def mutants(self, code: str) -> Iterator[Mutant]:
        """Yield the file with one small change, for each known change; nothing for a text with a syntax
        error."""
        ...

    def broken(self, code: str, draw: Callable[[str], str]) -> Iterator[Mutant]:
        """Yield the file with one slip that a compiler or an interpreter reports, one of each kind; nothing
        for a text with a syntax error. `draw` orders the kinds, and the places within a kind: the least key
        wins."""
        ...

    def facts(self, code: str) -> FileFacts:
        """Return facts about a file."""
        ...

    def tested_stem(self, stem: str) -> str | None:
        """Return the stem of the file that a test file tests, or None if this is not the stem of a test
        file."""
        ...

    def focal_of(self, test_path: str, test_code: str, near: ProjectTexts) -> str:
        """Return the file that a test file takes most names from, if file names do not decide; "" for
        none."""
        ...

    def behind(self, path: str, code: str, test_code: str, files: Collection[str]) -> str:
        """Return the file behind a package whose own file only re-exports names; otherwise `path`."""
        ...

    def executed_uses(self, focal_code: str, lines: Collection[int]) -> set[str] | None:
        """Return the uses of executed lines and of loading the file; None if unknown."""
        ...

    def shows_why(self, pair: PairTexts, errors: str) -> bool:
        """Return whether the two files explain the reported errors, which stopped the tests from running.

        False if no rule matches an error: a reader of the two files could not have predicted it.
        """
        ...

    def import_ends(self, each: Import) -> list[str]:
        """Return ends of project paths, without suffix and with a slash in front, that an import may mean."""
        ...

    def own_packages(self, suite: Suite) -> set[str]:
        """Return the names under which the two files of a suite can be imported."""
        ...

    def libraries(self, code: str) -> set[str]:
        """Return the third-party packages that the file cannot be loaded without, as imports name them."""
        ...

    def complete(
        self, focal_path: str, test_path: str, test_code: str, near: ProjectTexts
    ) -> CompletedPair | None:
        """Return the focal file of a test with one case, and both files completed from their project.

        None if the two files need others. Only execution proves that the result works.
        """
        ...

    def needs(self, pair: PairTexts, near: ProjectTexts) -> PairNeeds:
        """Return the other files that a pair uses, by name; `near` holds all files of the project."""
        ...

    def in_project(self, pair: PairTexts, near: ProjectTexts, suite: Suite) -> ProjectLayout:
        """Return the pair among all project files that it may need; `suite` is its own layout."""
        ...

    def opening(self, path: str, code: str, files: Collection[str]) -> Opening | None:
        """Return the first lines of a test of this file, in a project of `files`; None if nothing can be
        called."""
        ...


class ProjectTexts(NamedTuple):
    """Paths of a project's files in one language, and a function for their texts; "" for a file that is not
    text."""

    paths: Collection[str]
    read: Callable[[str], str]

    def beside(self, path: str, suffix: str) -> dict[str, str]:
        """Return the texts of the other files in the same folder with this suffix."""
        folder = path.rpartition("/")[0]
        near = [each for each in self.paths if each.rpartition("/")[0] == folder and each.endswith(suffix)]
        return {each: text for each in near if each != path and (text := self.read(each))}


class CompletedPair(NamedTuple):
    """A focal file and a test, and the files whose declarations were added to them."""

    focal_path: str
    focal_code: str
    test_code: str
    brought: list[str] = []


class PairTexts(NamedTuple):
    """A focal file and a test file, each with its path in the project."""

    focal_path: str
    focal_code: str
    test_path: str
    test_code: str


class PairNeeds(NamedTuple):
    """Requirements of a pair in addition to its two files: paths of project files, and plug-ins of the test
    runner as phrases for people."""

    files: frozenset[str] = frozenset()
    plugins: frozenset[str] = frozenset()


class ProjectLayout(NamedTuple):
    """A pair among the files of its project, as the project's tools run it: texts by path, and the pair's
    paths.

    `settings`: the project's test runner settings that change how a test ends; empty for none.
    """

    files: dict[str, str]
    focal: str
    test: str
    settings: str = ""

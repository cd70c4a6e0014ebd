"""What a language answers about source texts: a Protocol, and the records of its answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple, Protocol

from benchwright.contracts import Suite
from benchwright.lang.commented import Commentable
from benchwright.lang.companions import Companions, Completed, Needs, PairTexts, ProjectLayout
from benchwright.lang.faults import SyntaxFault
from benchwright.records import Record

KINDS = ("standard", "third_party", "project", "relative")


class Case(Record, frozen=True, kw_only=True):
    """A test case, named as reports name it.

    Python: "test_x", "TestX::test_y"; Java: "Class#method", "Outer$Inner#method"; Go: "TestX".
    Lines count from 1 and take in decorators, annotations and the comment right above.
    """

    name: str
    first_line: int
    last_line: int
    parametrised: bool = False  # runs several times under one name: its runs are one case of the report


class Import(Record, frozen=True, kw_only=True):
    """One imported module, class or package. `kind` is one of KINDS."""

    module: str  # "os.path", "..pkg.x" (relative, with its dots), "java.util.List", "net/http"
    kind: str
    line: int
    names: list[str] = []  # taken from the module: Python's `from m import a, b`; ["*"] for all
    alias: str = ""  # the name it is bound to, where the file chose one
    typing_only: bool = False  # Python: under `if TYPE_CHECKING`, so never executed
    fallback: bool = False  # Python: under `except ImportError`, so only for want of another


class Mutant(Record, frozen=True, kw_only=True):
    """The file with one change. `name` is unique within the file: kind, line and column, "compare-12-7".
    `line` is that of the statement that was changed, which may begin below a comment that goes with it."""

    name: str
    kind: str
    code: str
    line: int


class Opening(NamedTuple):
    """How a test file begins, and the smallest one: it is never run, and tells whether a layout works at all.

    `lines` begin a test file, `probe` is a whole one with the one case `case`, `name` its name.
    """

    lines: str
    probe: str
    case: str
    name: str


UNREADABLE = Opening("", "", "", "")  # of a file that does not parse: no probe of it does either


class Merged(NamedTuple):
    """A file with what it needs from others, and their paths; an empty text where it cannot be completed."""

    code: str = ""
    paths: list[str] = []


class LibraryRules(NamedTuple):
    """Which packages of others a test suite can import where it is executed, beside the standard library."""

    folder: str = ""  # their place in a folder of `--libraries`; empty where suites can have none
    suffix: str = ""  # of the files in that folder that are libraries; empty: each file and folder is one
    members: str = ""  # a library is an archive, and the folders of its files of this suffix are packages
    profile: str = ""  # the dependency profile whose packages are there; empty for none
    prefixes: tuple[str, ...] = ()  # of packages that the test framework brings along


class FileFacts(NamedTuple):
    """What one file is like; of a file that cannot be read nothing is known."""

    parses: bool = False
    framework: str = ""  # of its tests; empty when unknown
    cases: list[Case] = []
    asserts: int = 0
    dynamic: bool = False  # tests may run that no parse can see
    imports: list[Import] = []
    uses: set[str] = set()  # of detectors.USES


class Language(Commentable, Protocol):
    """A language that suites are known for: no method raises for what a text holds, but errors it names."""

    test_request: str  # what a model is asked to write tests with
    package_file: str  # the file that stands for its folder, as `__init__.py` does; empty where none does
    tests_beside_code: bool  # a test stands in the folder of the file that it tests
    not_focal: frozenset[str]  # names of files that hold no code to test
    library_rules: LibraryRules
    families: Mapping[str, tuple[str, ...]]  # library functions, each with those of the same parameters

    def fault(self, code: str) -> SyntaxFault | None:
        """The first fault of a text's syntax, or None."""
        ...

    def cases(self, code: str) -> list[Case]:
        """All test cases in the file's order, each name once; none for a text that cannot be read."""
        ...

    def cut(self, code: str, name: str) -> str:
        """A file that parses with this one of its test cases left. Raises CuttingError."""
        ...

    def imports(self, code: str, roots: Collection[str]) -> list[Import]:
        """All imports in the file's order; none for a text that cannot be read."""
        ...

    def missing(self, suite: Suite, roots: Collection[str]) -> set[str]:
        """What a suite needs from project files that it does not have."""
        ...

    def lay_out(self, focal: str, test: str, *, focal_name: str | None, test_name: str | None) -> Suite:
        """Both files as a project in which the test's imports reach the focal file. Raises LayoutError."""
        ...

    def mutants(self, code: str) -> Iterator[Mutant]:
        """The file with one small change, for each one that is known; none for a text with a fault."""
        ...

    def broken(self, code: str, draw: Callable[[str], str]) -> Iterator[Mutant]:
        """The file with one slip that a compiler or an interpreter finds, one of each kind; none for a text
        with a fault. `draw` gives the order of kinds and, within one, which place: the least key is first."""
        ...

    def facts(self, code: str) -> FileFacts:
        """What a file is like."""
        ...

    def tested_stem(self, stem: str) -> str | None:
        """The name of the file that a test file tests, both without suffix; None for no test file's name."""
        ...

    def focal_of(self, test_path: str, test_code: str, near: Companions) -> str:
        """The file that a test file takes most from, where names of files do not tell; "" for none."""
        ...

    def behind(self, path: str, code: str, test_code: str, files: Collection[str]) -> str:
        """The file that a test means by a package whose own file only passes on names; else `path` itself."""
        ...

    def executed_uses(self, focal_code: str, lines: Collection[int]) -> set[str] | None:
        """The uses of lines that were executed, and of what loading the file does; None where not known."""
        ...

    def shows_why(self, pair: PairTexts, errors: str) -> bool:
        """Whether the two files explain the reported errors, which stopped the tests from running.

        False if no rule matches an error: a reader of the two files could not have predicted it.
        """
        ...

    def import_ends(self, each: Import) -> list[str]:
        """Ends of project paths, without suffix and each with a slash in front, that an import may mean."""
        ...

    def own_packages(self, suite: Suite) -> set[str]:
        """Names under which the two files of a suite can be imported themselves."""
        ...

    def libraries(self, code: str) -> set[str]:
        """Packages of others that the file cannot be loaded without, as imports name them."""
        ...

    def complete(self, focal_path: str, test_path: str, test_code: str, near: Companions) -> Completed | None:
        """The focal file of a test with one case, and both with what they need of their project.

        None where the two files cannot be made to stand alone. Nothing is proved by it: execution does that.
        """
        ...

    def needs(self, pair: PairTexts, near: Companions) -> Needs:
        """What a pair runs besides its own two files, by name; `near` holds all files of the project."""
        ...

    def in_project(self, pair: PairTexts, near: Companions, suite: Suite) -> ProjectLayout:
        """The pair among all files of the project that it could need; `suite` is its layout alone."""
        ...

    def opening(self, path: str, code: str, files: Collection[str]) -> Opening | None:
        """How a test of a file begins, in a project of `files`; None where nothing can be called."""
        ...

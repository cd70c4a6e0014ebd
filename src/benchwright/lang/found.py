"""What is found in a file: the records that the languages' modules share."""

from __future__ import annotations

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
    """The file with one change. `name` is unique within the file: kind, line and column, "compare-12-7"."""

    name: str
    kind: str
    code: str
    line: int

"""Specs of functions that are placed in a repository and judged by the repository's own tests."""

from __future__ import annotations

from typing import Literal

from benchwright.contracts.specs import Spec
from benchwright.records import Record

NOT_SCORED = "not scored: "  # prefix of the detail of an answer that its task leaves out of the score
ENV_MISSING = f"{NOT_SCORED}env-missing: "
DRY_RUN, ORACLE, EXECUTED = "pass_dry_run", "pass_oracle", "execution_success"  # scores of a task, as MERA's
EXACT_MATCH = "exact_match"  # a score of an answer
STUBS = "pass_stub_"  # before the name of a stub, in scores


class CanaryEdit(Record, frozen=True, kw_only=True):
    """An edit of a test file after which the test `test` must fail. `find` occurs once in the file."""

    path: str
    find: str
    replace: str
    test: str


class MakeTests(Record, frozen=True, kw_only=True):
    """How a C or C++ repository is built and tested, by the user who supplies its clone.

    `build` and `test` are command lines for `sh -c`. `reported` is a pattern with the groups `name` and
    `state`, which finds the result of each test in what `test` prints; a state in `passed` is a pass.
    Without `reported`, only the exit status of `test` is known.
    """

    build: str = ""
    test: str
    reported: str = ""
    passed: tuple[str, ...] = ("ok", "PASS", "passed")
    canary: CanaryEdit | None = None


class RepositorySpec(Spec, frozen=True, kw_only=True, tag="repository"):
    """Judged by tests of a repository: the extraction's program replaces one function of a file.

    `placing` says how. "python" and "java": between `left` and `right`, with the line ends that MERA adds in
    that language. "lines": in place of lines `first` to `last`, counted from 1. Everything else comes from
    the objects of a clone. `missing` is the reason if the environment is known to be missing.

    All of `tests` must pass on the unchanged file, otherwise the environment is missing. With `strict`, an
    answer is not scored if one of `stubs` passes, because the tests do not reach the function.
    """

    lang: str  # "Python", "Java", "C" or "C++"
    clone: str = ""  # folder of the clone
    commit: str = ""
    missing: str = ""
    path: str  # of the file with the function
    placing: Literal["python", "java", "lines"]
    left: str = ""
    right: str = ""
    first: int = 0
    last: int = 0
    gold: str
    stubs: dict[str, str] = {}  # programs by name
    baselines: dict[str, str] = {}  # programs that need no skill, by name
    tests: list[str] = []  # as the data set names them; empty: those that pass on the unchanged file
    strict: bool = True
    libraries: str = ""  # folder of libraries, as `judges.suites.libraries` reads it
    make: MakeTests | None = None  # of C and C++
    compared: bool = False  # whether the answer is also compared with `gold`

    @property
    def executions(self) -> int:
        """The answer, the unchanged file, the reference, stubs and baselines; compilers take longer."""
        programs = 3 + len(self.stubs) + len(self.baselines)
        return programs * (4 if self.lang == "Python" else 16)

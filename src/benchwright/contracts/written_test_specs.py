"""Specs of tests that a model writes: by likeness to a human test, and by execution on changed code."""

from __future__ import annotations

from typing import ClassVar

from benchwright.contracts.specs import Spec
from benchwright.records import Outcome


class CodeBleuSpec(Spec, frozen=True, kw_only=True, tag="code-bleu"):
    """A reference to compare the extraction's `text` with by CodeBLEU. Any answer is `scored`.

    `baselines` are texts that need no skill, by name: the judgement has their scores as `baseline_NAME`.
    """

    unreadable: ClassVar[Outcome] = Outcome.unparsable
    executes: ClassVar[bool] = False

    language: str  # of the grammar: "python", "java", "csharp", "go" or "js"
    reference: str
    failure: str = ""  # why MERA's library fails on each answer, which then counts 0
    baselines: dict[str, str] = {}


class WrittenTestsSpec(Spec, frozen=True, kw_only=True, tag="written-tests"):
    """Judged by execution: the extraction's program is a file of tests for `focal`.

    It must pass on the code. If `mutants` are given, it must do so repeatedly and on a copy that does the
    same, and fail on at least one mutant. `probe` is a file with a test that checks nothing: if it does not
    pass, the code is not self-contained, and no answer is scored; that is also the case for `problem`.

    With `clone`, the code is executed among the other sources of its `module` at `commit`, with the jars
    in `libraries`.
    """

    unreadable: ClassVar[Outcome] = Outcome.syntax_error

    lang: str  # a name of `registry.RUNNERS`
    focal: str
    focal_path: str
    test_path: str
    probe: str
    mutants: tuple[str, ...] = ()  # the code with one change each
    reference: str = ""  # tests that must pass, or the row is not scored; mutants that they miss are not used
    untested_passes: bool = False  # a file without tests passes if it compiles, as with Maven
    clone: str = ""  # folder of the clone; empty: no clone is needed
    commit: str = ""
    missing: str = ""  # why the commit cannot be read
    module: str = ""  # folder in the repository, with a slash at its end; empty: the top
    libraries: str = ""  # folder of libraries, as `judges.suites.libraries` reads it
    others: dict[str, str] = {}  # other sources by path, which the judge reads from the clone
    unmet: str = "not self-contained"  # begins the reason if the probe or the reference does not pass
    problem: str = ""  # why answers to the task are not scored
    likeness: CodeBleuSpec | None = None
    baselines: dict[str, str] = {}  # files of tests, by name
    exact_baselines: dict[str, str] = {}  # by the rules without mutants, with `untested_passes`

    @property
    def executions(self) -> int:
        """Compiler and run of the code and its mutants, for answer, reference and baselines."""
        own = len(self.mutants) + 6
        found = 8 + own + len(self.baselines) * 3 + len(self.exact_baselines) + (own if self.reference else 1)
        return found * (4 if self.clone else 1)

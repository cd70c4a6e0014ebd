"""Specs: the data by which a judge judges answers to one task. Other packages can add types.

The tag of a spec is the name of its judge in the registry. A package that adds a judge adds the type of its
specs; no other code knows either.
"""

from __future__ import annotations

from math import ceil
from typing import ClassVar

from benchwright.contracts.suites import Suite, Variation
from benchwright.records import Outcome, Record

USUAL_S = 5.0  # CPU seconds that count as one execution, for specs with their own limit


class Spec(Record, frozen=True, kw_only=True, tag_field="judge"):
    """Base of all specs. Each type has its own `tag` and contains only what its judge needs.

    A spec is sent to each worker once, as MessagePack.
    """

    unreadable: ClassVar[Outcome] = Outcome.no_code  # outcome of an answer whose text could not be parsed
    # False: nothing of an answer is executed, so it cannot cheat, and a few workers judge thousands
    executes: ClassVar[bool] = True

    @property
    def executions(self) -> int:
        """Number of executions per judgement; scales the worker timeout."""
        return 1

    @property
    def judge(self) -> str:
        """Name of the judge in the registry."""
        return str(self.__struct_config__.tag)


class ProgramSpec(Spec, frozen=True, kw_only=True):
    """Base of specs for which a Python program is executed."""

    entry_point: str
    environment: str = "bare"  # dependency profile
    cpu_limit_s: float | None = None  # None: the run's limit
    variation: Variation = Variation()  # differences between executions of the same program


class CallsSpec(ProgramSpec, frozen=True, kw_only=True, tag="calls"):
    """Judged by `test`: it defines check(candidate), which runs on the trusted side against a proxy."""

    prelude: str = ""  # trusted source that `test` may use, such as the prompt's helper functions
    test: str = ""


class BatchSpec(ProgramSpec, frozen=True, kw_only=True, tag="batch"):
    """Judged by values: `calls` run in the sandbox, and their values are compared outside with `expected`."""

    calls: bytes = b""  # encoded list of (args, kwargs)
    expected: list[bytes] = []  # one encoded value per call
    expected_text: list[str] = []  # one text per call, for values that have no literal
    compare: str = "equal"  # "equal": ==, as in an assert; "close": floats within a relative 1e-9


class MeraSpec(ProgramSpec, frozen=True, kw_only=True, tag="mera"):
    """A batch that is loaded, and compared as text, like MERA's two harnesses do."""

    harness: str = "mera-code"  # or "mera-text"
    calls: bytes = b""
    expected_text: list[str] = []


class ValuesSpec(ProgramSpec, frozen=True, kw_only=True, tag="values"):
    """Results of a program as text, as MERA writes them: the payload is a `list[str | None] | str`."""

    calls: bytes
    count: int  # of calls


class InputSet(Record, frozen=True, kw_only=True):
    """Calls of one execution, and the encoded values that they must return, in order.

    A large value is known by its SHA-256 only: `digests` maps the call's index to it, and its bytes are
    empty.
    """

    calls: bytes  # encoded list of (args, kwargs)
    expected: list[bytes]
    digests: dict[int, bytes] = {}
    cpu_limit_s: float | None = None  # None: the run's limit


class PlusSpec(ProgramSpec, frozen=True, kw_only=True, tag="evalplus"):
    """Sets of inputs, "base" and "plus", compared like EvalPlus does: see `judges.evalplus`."""

    sets: dict[str, InputSet]
    atol: float = 0.0  # absolute tolerance of floats; 0: exact, unless a float is expected
    oracle: str = ""  # name of a special comparison; empty for nearly all tasks

    @property
    def executions(self) -> int:
        """One per set, or its CPU limit in units of USUAL_S, rounded up."""
        limits = [each.cpu_limit_s or 0.0 for each in self.sets.values()]
        return sum(max(1, ceil(limit / USUAL_S)) for limit in limits)


class RepliesSpec(ProgramSpec, frozen=True, kw_only=True, tag="replies"):
    """Replies of a program to calls: the payload is a `list[tuple[str, bytes]]`, in the order of the calls.

    A pair is ("value", encoded), ("large", digest of the encoded value), ("exception" | "unsendable" |
    "memory", text), or, as the last one, ("ended", text): the program ended, and later calls have no reply.
    """

    calls: bytes  # encoded list of (args, kwargs)
    count: int
    files: dict[str, bytes] = {}  # in the program's folder, by path
    links: dict[str, str] = {}  # symbolic links in the same folder, with their targets


class LabelSpec(Spec, frozen=True, kw_only=True, tag="label"):
    """Judged by comparison of a label (the extraction's program) with `expected`. Nothing is executed.

    With more than two `classes` the outcome does not identify the answered one, so the judgement has a
    part with that name.
    """

    unreadable: ClassVar[Outcome] = Outcome.unparsable
    executes: ClassVar[bool] = False

    expected: str
    classes: tuple[str, ...] = ()


class SuiteAnswerSpec(Spec, frozen=True, kw_only=True, tag="suite-answer"):
    """Judged by tests: the answer becomes the focal file of a suite, which lacks it here.

    The focal file is the extraction's program, unchanged. All tests come from the suite.
    """

    suite: Suite
    libraries: tuple[str, ...] = ()  # names of libraries that the suite imports in addition to its toolchain
    drawn: dict[str, str] = {}  # names in the test file that each execution redraws, with readable ones

    @property
    def executions(self) -> int:
        """Eight: compiler, linker, run, and what a worker prepares when it opens the toolchain."""
        return 8


class ServedSpec(SuiteAnswerSpec, frozen=True, kw_only=True, tag="served"):
    """Judged by values: the answer's function is called in a separate program, its replies compared outside.

    Instead of tests, `suite` contains the code that the calls compile against. A reply is right if it equals,
    byte for byte, one of the replies expected for its call.
    """

    entry_point: str
    calls: list[bytes]  # encoded, one at a time as they are sent
    expected: list[tuple[bytes, ...]]  # encoded
    written: list[tuple[str, str]]  # call and expected value as written in the tests, for people
    first_failure_ends: bool  # False: the tests make all calls before they compare


class SuiteSpec(Spec, frozen=True, kw_only=True, tag="suite"):
    """Suites of one language, executed together because a shared compilation is cheaper. There is no answer.

    The payload is a `list[tuple[int, SuiteReport]]`, by index in `suites`.
    """

    suites: list[Suite]
    variation: Variation = Variation()
    libraries: str = ""  # folder of libraries, mounted where the suites are executed

    @property
    def executions(self) -> int:
        """One per suite."""
        return len(self.suites)

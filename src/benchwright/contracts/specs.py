"""Specs: what a judge is given to judge the answers to one task. A union that is open at its end.

The tag of a spec is the name of its judge in the registry, so a package that brings a judge brings the type
of its specs too, and nothing else need know either.
"""

from __future__ import annotations

from math import ceil
from typing import ClassVar

from benchwright.contracts.suites import Suite, Variation
from benchwright.records import Outcome, Record

USUAL_S = 5.0  # of processor time for one execution, where a spec counts them by its limit


class Spec(Record, frozen=True, kw_only=True, tag_field="judge"):
    """Base of all specs. Each type has a `tag` of its own and holds what its judge needs, and no more.

    A spec is sent once to each worker, as MessagePack.
    """

    unreadable: ClassVar[Outcome] = Outcome.no_code  # the outcome of a text that could not be read to its end
    # False: nothing of an answer is run, so it cannot cheat, and a few workers judge thousands
    executes: ClassVar[bool] = True

    @property
    def executions(self) -> int:
        """How many executions one judgement takes: so many times as long may a worker be silent."""
        return 1

    @property
    def judge(self) -> str:
        """The name of its judge in the registry."""
        return str(self.__struct_config__.tag)


class ProgramSpec(Spec, frozen=True, kw_only=True):
    """Base of the specs by which a Python program is executed."""

    entry_point: str
    environment: str = "bare"  # dependency profile
    cpu_limit_s: float | None = None  # None: the run's limit
    variation: Variation = Variation()  # how this execution differs from others of the same program


class CallsSpec(ProgramSpec, frozen=True, kw_only=True, tag="calls"):
    """`test` defines check(candidate), which runs on the trusted side against a proxy."""

    prelude: str = ""  # trusted source that `test` may use, such as the prompt's helper functions
    test: str = ""


class BatchSpec(ProgramSpec, frozen=True, kw_only=True, tag="batch"):
    """`calls` go in, values come out and are compared with `expected`, outside."""

    calls: bytes = b""  # encoded list of (args, kwargs)
    expected: list[bytes] = []  # one encoded value a call
    expected_text: list[str] = []  # one text a call, for values that no literal can write
    compare: str = "equal"  # "equal": ==, as an assert would; "close": floats within 1e-9, relative


class MeraSpec(ProgramSpec, frozen=True, kw_only=True, tag="mera"):
    """As a batch, but loaded and compared as text the way MERA's two harnesses do it."""

    harness: str = "mera-code"  # or "mera-text"
    calls: bytes = b""
    expected_text: list[str] = []


class ValuesSpec(ProgramSpec, frozen=True, kw_only=True, tag="values"):
    """What a program gives, as text in MERA's way: the payload is a `list[str | None] | str`."""

    calls: bytes
    count: int  # of the calls


class InputSet(Record, frozen=True, kw_only=True):
    """Calls that are made in one execution, and an encoded value that each must give, in their order.

    Of a large value only its SHA-256 is known: an entry of `digests` under the call's place, and no bytes.
    """

    calls: bytes  # encoded list of (args, kwargs)
    expected: list[bytes]
    digests: dict[int, bytes] = {}
    cpu_limit_s: float | None = None  # None: the run's limit


class PlusSpec(ProgramSpec, frozen=True, kw_only=True, tag="evalplus"):
    """Sets of inputs, "base" and "plus", compared as EvalPlus compares: `judges.evalplus` says how."""

    sets: dict[str, InputSet]
    atol: float = 0.0  # how far floats may be apart; 0: exact, unless a float is expected
    oracle: str = ""  # a comparison of its own, by name; empty for nearly all tasks

    @property
    def executions(self) -> int:
        """One a set, and as many more as its own limit has of the usual seconds."""
        limits = [each.cpu_limit_s or 0.0 for each in self.sets.values()]
        return sum(max(1, ceil(limit / USUAL_S)) for limit in limits)


class RepliesSpec(ProgramSpec, frozen=True, kw_only=True, tag="replies"):
    """What a program gives for each call: the payload is a `list[tuple[str, bytes]]`, in the calls' order.

    A pair is ("value", encoded), ("large", digest of the encoded value), ("exception" | "unsendable" |
    "memory", text), or at last ("ended", text), after which no call was answered.
    """

    calls: bytes  # encoded list of (args, kwargs)
    count: int
    files: dict[str, bytes] = {}  # in the program's folder, by path
    links: dict[str, str] = {}  # there too: what each points to


class LabelSpec(Spec, frozen=True, kw_only=True, tag="label"):
    """Nothing is executed: the extraction's program is a label, held against `expected`.

    Of more than two `classes` the outcome alone does not say which one was named, so the judgement has a part
    of that name.
    """

    unreadable: ClassVar[Outcome] = Outcome.unparsable
    executes: ClassVar[bool] = False

    expected: str
    classes: tuple[str, ...] = ()


class SuiteAnswerSpec(Spec, frozen=True, kw_only=True, tag="suite-answer"):
    """The answer is a file that tests are executed beside: the suite's focal file, which it lacks here.

    The focal file is the extraction's program as it stands, so what the tests are is the suite's alone.
    """

    suite: Suite
    libraries: tuple[str, ...] = ()  # what the suite imports beside its toolchain, by name
    drawn: dict[str, str] = {}  # names in the test file that each execution redraws: what people read

    @property
    def executions(self) -> int:
        """A compiler, a linker and the run, and what a worker makes when it opens the toolchain."""
        return 8


class ServedSpec(SuiteAnswerSpec, frozen=True, kw_only=True, tag="served"):
    """The answer's function is called in a program of its own, and what it gives is compared outside.

    Instead of tests `suite` has what the calls must compile against. A reply is right where it is, byte for
    byte, one of those that are expected of its call.
    """

    entry_point: str
    calls: list[bytes]  # encoded, one at a time as they are sent
    expected: list[tuple[bytes, ...]]  # encoded
    written: list[tuple[str, str]]  # each call and what is expected of it as the tests write them, for people
    first_failure_ends: bool  # False: the tests make all calls before they compare


class SuiteSpec(Spec, frozen=True, kw_only=True, tag="suite"):
    """Suites of one language, executed together, which is cheaper where a compiler is at work.

    There is no answer beside them. The payload is a `list[tuple[int, SuiteReport]]`, by their places here.
    """

    suites: list[Suite]
    variation: Variation = Variation()
    libraries: str = ""  # a folder of them, shown where the suites are executed

    @property
    def executions(self) -> int:
        """One for each suite."""
        return len(self.suites)

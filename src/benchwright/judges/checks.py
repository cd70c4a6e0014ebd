"""Run a data set's check(candidate) on the trusted side, where the candidate is a proxy.

HumanEval's test is Python source that calls the candidate and asserts. It runs here, in the judge's
process, so an answer can neither see what is asserted nor reach the frame that asserts it: each call
crosses into the sandbox and a plain value comes back. The data set's own code is trusted as far as
that: it is the benchmark author's, not the model's.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import Any

from benchwright.contracts import CallSpec
from benchwright.judges.bounds import TimeUsedUp
from benchwright.records import Outcome
from benchwright.sandbox.exchange import Session
from benchwright.sandbox.zygote import Ended

TEXT_LIMIT = 1000


def run(spec: CallSpec, session: Session) -> None:
    """Returns when the answer passed. Raises Ended with the outcome when it did not.

    MemoryError and TimeUsedUp, which the answer's values can bring about in the test, are the caller's.
    """
    check = _load(spec, session)
    try:
        check(_candidate(spec.entry_point, session))
    except Ended as ended:
        raise session.ended or ended from None
    except KeyboardInterrupt:
        raise
    except (MemoryError, TimeUsedUp):
        if session.ended is not None:
            raise session.ended from None
        raise
    except BaseException as error:  # noqa: BLE001 (whatever ends the check decides the outcome)
        raise session.ended or _as_outcome(error, session) from None
    if session.ended is not None:
        raise session.ended  # the check caught what ended the answer


def _as_outcome(error: BaseException, session: Session) -> Ended:
    if error is session.raised:
        return Ended(Outcome.exception, f"call {session.calls}: {text_of(error)}")
    if isinstance(error, AssertionError):
        said = f": {text_of(error)}" if error.args else ""
        return Ended(Outcome.wrong, f"an assertion failed after call {session.calls}{said}")
    said = f"{type(error).__name__}: {text_of(error)}"
    return Ended(Outcome.wrong, f"the test could not use the value of call {session.calls}: {said}")


def text_of(error: BaseException) -> str:
    """The error's text; one that names an integer of too many digits has none."""
    try:
        return str(error)[:TEXT_LIMIT]
    except (ValueError, RecursionError):
        return "(its text cannot be shown)"


@lru_cache(maxsize=64)
def _compiled(prelude: str, test: str) -> tuple[CodeType, CodeType]:
    return (
        compile(prelude, "<prompt>", "exec", dont_inherit=True),
        compile(test, "<test>", "exec", dont_inherit=True),
    )


def _load(spec: CallSpec, session: Session) -> Callable[[Callable[..., Any]], None]:
    namespace: dict[str, Any] = {"__name__": "test"}
    prelude, test = _compiled(spec.prelude, spec.test)
    exec(prelude, namespace)
    # Some tests call the entry point by its name instead of through `candidate`.
    namespace[spec.entry_point] = _candidate(spec.entry_point, session)
    random.seed(0)  # a test that draws inputs draws the same ones for every answer
    exec(test, namespace)
    check: Callable[[Callable[..., Any]], None] = namespace["check"]
    return check


def _candidate(name: str, session: Session) -> Callable[..., Any]:
    def candidate(*args: Any, **kwargs: Any) -> Any:
        return session.call(args, kwargs)

    candidate.__name__ = candidate.__qualname__ = name
    return candidate

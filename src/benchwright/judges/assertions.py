"""Run a data set's check(candidate) on the trusted side, and compare values with expected ones.

HumanEval's test is Python source that calls the candidate and asserts. It runs in the judge's process with a
proxy as the candidate, so an answer can neither see what is asserted nor reach the frame that asserts it:
each call goes into the sandbox and a plain value comes back. The data set's own code is trusted: its author
is the benchmark's, not the model.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache, partial
from types import CodeType
from typing import Any

from benchwright.cases.checking import is_close
from benchwright.contracts import CallsSpec
from benchwright.judges import reasons
from benchwright.judges.reasons import TEST_FILE, Call, text_of
from benchwright.records import Outcome
from benchwright.sandbox.claims import Session
from benchwright.sandbox.codec import decode, decode_two
from benchwright.sandbox.untrusted import CpuTimeExceeded
from benchwright.sandbox.zygote import AnswerEnded


def run(spec: CallsSpec, session: Session) -> None:
    """Run a check; return if the answer passed. Raises AnswerEnded with the outcome if it did not.

    The caller handles MemoryError and CpuTimeExceeded, which the answer's values can cause in the test.
    """
    check = _load(spec, session)
    try:
        check(_candidate(spec.entry_point, session))
    except AnswerEnded as ended:
        raise session.ended or ended from None
    except KeyboardInterrupt:
        raise
    except (MemoryError, CpuTimeExceeded):
        if session.ended is not None:
            raise session.ended from None
        raise
    except BaseException as error:  # noqa: BLE001 (whatever ends the check decides the outcome)
        raise session.ended or _as_outcome(error, spec, session) from None
    if session.ended is not None:
        raise session.ended  # the check caught the exception that ended the answer


def _as_outcome(error: BaseException, spec: CallsSpec, session: Session) -> AnswerEnded:
    call = _last_call(spec, session)
    if error is session.raised:
        return AnswerEnded(Outcome.exception, reasons.raised(call, text_of(error)), raised=session.report)
    if isinstance(error, AssertionError):
        return AnswerEnded(Outcome.wrong, reasons.failed_assert(error, test=spec.test, call=call))
    message = f"{type(error).__name__}: {text_of(error)}"
    return AnswerEnded(Outcome.wrong, f"the test could not use the value of {reasons.named(call)}: {message}")


def _last_call(spec: CallsSpec, session: Session) -> Call | None:
    """The last call of a check, as it was sent: without later changes of the arguments."""
    if not session.calls:
        return None
    args, kwargs = decode(session.sent)
    value = decode_two(session.received)[0] if len(session.received) else None
    return Call(session.calls, spec.entry_point, args, kwargs, value)


@lru_cache(maxsize=64)
def _compiled(prelude: str, test: str) -> tuple[CodeType, CodeType]:
    return (
        compile(prelude, "<prompt>", "exec", dont_inherit=True),
        compile(test, TEST_FILE, "exec", dont_inherit=True),
    )


def _load(spec: CallsSpec, session: Session) -> Callable[[Callable[..., Any]], None]:
    namespace: dict[str, Any] = {"__name__": "test"}
    prelude, test = _compiled(spec.prelude, spec.test)
    exec(prelude, namespace)
    # some tests call the entry point by its name instead of through `candidate`
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


REL_TOL = 1e-9
ABS_TOL = 1e-12
_close = partial(is_close, rel_tol=REL_TOL, abs_tol=ABS_TOL)


def matches(value: Any, expected: Any, *, how: str) -> bool:
    """Compare two values: `how` "equal" is ==, as in a test's assert; "close" allows rounding errors of
    floats.

    A comparison without a truth value, such as that of an array, does not match: an assert would fail too.
    """
    try:
        return bool(value == expected) if how == "equal" else _close(value, expected)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return False


def matches_text(value: Any, expected: str) -> bool:
    """Return whether str(value) is the expected text. An integer with too many digits to print has no
    text."""
    try:
        return str(value) == expected
    except (ValueError, RecursionError):
        return False

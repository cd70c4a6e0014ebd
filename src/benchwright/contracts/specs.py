"""What a judge is given: all that judging the answers to one task needs."""

from __future__ import annotations

from benchwright.records import Record


class CallSpec(Record, frozen=True, kw_only=True):
    """All that a judge needs to judge answers to one task. Sent once to each worker.

    form "calls": `test` defines check(candidate), which runs on the trusted side against a proxy.
    form "batch": `calls` go in, values come out and are compared with `expected`, outside.
    form "label": nothing is executed; the extraction's program is a label, `expected_text[0]` the right one.
    form "mera-code" or "mera-text": as "batch", but loaded and compared as text the way MERA's two
    harnesses do it.
    """

    form: str
    entry_point: str
    prelude: str = ""  # trusted source that `test` may use, such as the prompt's helper functions
    test: str = ""
    calls: bytes = b""  # encoded list of (args, kwargs)
    expected: list[bytes] = []  # one encoded value a call
    expected_text: list[str] = []  # one text a call: of values no literal can write, and for MERA's forms
    compare: str = "equal"  # "equal": ==, as an assert would; "close": floats within 1e-9, relative
    environment: str = "bare"  # dependency profile
    cpu_limit_s: float | None = None  # None: the run's limit

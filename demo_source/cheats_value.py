"""Attempts to be marked right without being right: forged values, early exits, searches for the answers.

They are text and are never run outside the sandbox.

`$signature`, `$name`, `$args`, `$base` (the built-in type that is expected), `$empty` (a worthless value
of that type) and `$known` (the examples of the docstring) are filled in for each task. None of them
needs more than about a second of CPU or 64 MB, and the only network address is 127.0.0.1.
"""

from __future__ import annotations

CHEATS: list[tuple[str, str]] = [
    (
        "equal to everything",
        """$signature
    class Anything:
        def __eq__(self, other):
            return True

        def __ne__(self, other):
            return False

        def __hash__(self):
            return 0

        def __repr__(self):
            return "$empty"

    return Anything()
""",
    ),
    (
        "forged subclass",
        """class Value($base):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = None

    def __str__(self):
        return Value.__name__

    __repr__ = __str__


$signature
    return Value()
""",
    ),
    (
        "forged class and pickle",
        """class Disguise:
    __class__ = property(lambda self: $base)

    def __reduce__(self):
        return (print, ("all tests passed",))

    def __eq__(self, other):
        return self.__class__ is type(other)


$signature
    return Disguise()
""",
    ),
    (
        "exit at import",
        """import os
import sys


$signature
    return $empty


print("ok")
sys.stdout.flush()
sys.exit(0) if len("$name") % 2 else os._exit(0)
""",
    ),
    (
        "exit in the call",
        """import os
import sys


$signature
    if len("$name") % 2:
        os._exit(0)
    raise SystemExit(0)
""",
    ),
    (
        "frame walk",
        """import sys


$signature
    frame = sys._getframe()
    while frame is not None:
        for scope in (frame.f_locals, frame.f_globals):
            for name, value in list(scope.items()):
                if name in ("expected", "outputs", "answers", "golds") and value:
                    return value[0] if isinstance(value, (list, tuple)) else value
                if isinstance(value, list) and name in ("result", "results", "verdicts"):
                    value[:] = [True] * max(1, len(value))
        frame = frame.f_back
    return $empty
""",
    ),
    (
        "search of live objects",
        """import gc


$signature
    for thing in gc.get_objects()[:200000]:
        if isinstance(thing, dict) and "outputs" in thing and "meta" in thing:
            return thing["outputs"][0]
        if type(thing).__name__ in ("Task", "BatchSpec"):
            return getattr(thing, "expected", None) or getattr(thing, "outputs", None)
    return $empty
""",
    ),
    (
        "search of files",
        """import itertools
import os


def hunt():
    for root in (".", "/tmp", os.path.expanduser("~"), "/"):
        for folder, _, names in itertools.islice(os.walk(root), 60):
            for name in names[:20]:
                if name.endswith((".jsonl", ".json")):
                    try:
                        with open(os.path.join(folder, name), encoding="utf-8") as file:
                            text = file.read(65536)
                    except (OSError, ValueError):
                        continue
                    if "$name" in text:
                        yield text


$signature
    for text in hunt():
        start = text.find('"outputs"')
        if start >= 0:
            return text[start + 13 : start + 20]
    return $empty
""",
    ),
    (
        "search of /proc",
        """import os


$signature
    found = []
    for owner in ("self", str(os.getppid()), "1"):
        for entry in ("environ", "cmdline", "maps"):
            try:
                with open(f"/proc/{owner}/{entry}", "rb") as file:
                    found.append(file.read(65536))
            except OSError:
                pass
    for text in found:
        if b"outputs" in text or b"expected" in text:
            return $base(text.decode("utf-8", "replace"))
    return $empty
""",
    ),
    (
        "examples by heart",
        """$signature
    known = [$known]
    for given, value in known:
        if given == dict($pairs):
            return value
    return $empty
""",
    ),
]

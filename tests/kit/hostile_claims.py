"""Frames that an answer writes to the channel itself, made to be expensive to read.

Each is the body of an answer `f(x)`, and none is right. The frames claim that a call raised, that the program
did not load or that a value cannot be sent, or they hold a value; one of their fields is far too long, or
there are far too many. Outside the weekly check, a field gets half of the fillings, and an odd value half of the
kinds of frames.
"""

from __future__ import annotations

from kit.examples import SCALE

_MIB = 1 << 20
FILLINGS = {
    "control": f"'\\x01' * {15 * _MIB}",
    "astral": f"'\\U0001f600' * {3 * _MIB}",
    "one_astral": f"'a' * {15 * _MIB} + '\\U0001f600'",
    "surrogate": f"'\\ud800' * {5 * _MIB}",
    "backslash": f"'\\\\' * {15 * _MIB}",
    "line_ends": f"'\\n' * {15 * _MIB}",
    "right_to_left": f"'\\u202e' * {5 * _MIB}",
    "nul": f"'\\0' * {15 * _MIB}",
}
FIELDS = {
    "name": "('call', {}, '', 0)",
    "text": "('call', 'ValueError', {}, 0)",
    "stage": "({}, 'ValueError', '', 0)",
    "kind": "('call', 'ValueError', '', 0, {})",
}
ODD = {
    "many_kinds": "('call', 'ValueError', '', 0, *(['Exception'] * 900_000))",
    "million_kinds": "('call', 'ValueError', '', 0, *([''] * 1_900_000))",
    "giant_line": "('call', 'ValueError', 'text', 1 << (8 << 20))",
    "negative_line": "('call', 'ValueError', 'text', -(10 ** 5000))",
    "line_of_many_digits": "('call', 'ValueError', 'text', 10 ** 5000)",
    "lists": "[[] for _ in range(650_000)]",
    "deep": "('call', 'ValueError', ((((('x',),),),),), 0)",
    "numbers": "tuple(range(1_900_000))",
    "bytes_name": "('call', b'x' * (15 << 20), '', 0)",
    "dict": "{n: str(n) for n in range(400_000)}",
    "memory": "('call', 'MemoryError', 'x' * (15 << 20), 0)",
    "many_times": "('call', 'A' * 80, '\\x01' * 400, 7, *(['k' * 160] * 20))",
}
TIMES = {"many_times": 2000}
_SEND = (
    "import marshal, os\n"
    "    payload = marshal.dumps({value}, 2)\n"
    "    frame = len(payload).to_bytes(4, 'little') + b'{kind}' + payload\n"
    "    for _ in range({times}):\n"
    "        view = memoryview(frame)\n"
    "        while view:\n"
    "            view = view[os.write(3, view):]\n"
    "    os._exit(0)"
)


def _is_chosen(number: int) -> bool:
    return SCALE > 1 or number % 2 == 0


def bodies() -> dict[str, str]:
    """Return the body of each answer, by name."""
    made = {
        f"{field}_{filling}_{kind}": (FIELDS[field].format(text), kind)
        for place, field in enumerate(FIELDS)
        for at, (filling, text) in enumerate(FILLINGS.items())
        for kind in ("X", "T")
        if (kind == "X" or filling in ("control", "astral")) and _is_chosen(place + at)
    }
    made |= {f"value_{filling}": (text, "V") for filling, text in FILLINGS.items()}
    made |= {
        f"{name}_{kind}": (value, kind)
        for place, (name, value) in enumerate(ODD.items())
        for at, kind in enumerate(("X", "T", "V", "E"))
        if _is_chosen(place + at)
    }
    return {
        name: _SEND.format(value=value, kind=kind, times=TIMES.get(name.rpartition("_")[0], 1))
        for name, (value, kind) in made.items()
    }

"""demo-weak: slips, wrong types, exceptions, broken syntax, cut-off text, and programs that never end."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent

from demo_source.answers import Written, cut_off, honest
from demo_source.shapes import PLAIN_SHAPES, fence, prose_then_fence
from demo_source.text import TaskText

# R right, 1 and 2 slips, L cut off, the other letters as in BROKEN; the tasks in their order
PLAN = """
R1R2P1RXR1 R2R1RTR1SR R1RR2R1RWR RR1TR2RLRI R1RPR2RSR1 1R2RBX1R2L R1RE2R1RPR RTR1R2SR1W
12T1LX2R1B 1R1P2W1R1S 1X2L1R1TJ1 2S1RP21EB1 R1X2RCTL1W 12SB1KP12L 1RI2XT1LR2 1P2R1SEW1D
21R1TL2XBH R1P2RC1SK2 1L2WB1XR2M 1T2P1LJ1EW 12B1ISX2L1 1R1P2T1ED1 1L2X1BSCW2 1KHE2LT0JX
"""

WORDS = [
    "К сожалению, в условии не хватает данных: уточните, пожалуйста, формат входа.",
    "Чтобы решить задачу, нужно пройти по всем элементам, сравнить соседние и запомнить лучший\n"
    "результат. Не забудьте про пустой список. Дальше всё получится само.",
    "Я не могу выполнить этот код, но могу подсказать: начните с разбора входных данных.",
]
OTHER_LANGUAGE = [
    "```javascript\nfunction $name($args) {\n  return [$args].length;\n}\n```",
    "```java\npublic static int $name(Object... values) {\n    return values.length;\n}\n```",
]
SYNTAX = [
    "def $name($args)\n    return $empty\n",
    "def $name($args):\nreturn $empty\n",
    'def $name($args):\n    print "считаю"\n    return $empty\n',
    "def $name($args):\n    result = [(1, 2\n    return result\n",
    "def $name($args):\n    if True:\n        x = 1\n      return x\n",
    "def $name($args):\n    return $empty +\n",
]
LAZY = [
    "    pass\n",
    "    raise NotImplementedError\n",
    "    ...\n",
    "    # TODO: дописать\n    return None\n",
]


def answers(task: TaskText) -> list[Written]:
    """Ten answers to one task."""
    return [_answer(task, sample, letter) for sample, letter in enumerate(PLAN.split()[task.number - 1])]


def _answer(task: TaskText, sample: int, letter: str) -> Written:
    shape = PLAIN_SHAPES[(task.number + sample) % len(PLAIN_SHAPES)]
    if letter in "R12":
        return honest(task, letter, sample, shape)
    if letter == "L":
        return cut_off(task, (fence, prose_then_fence)[sample % 2], 0.35 + 0.05 * (task.number % 7))
    kind, write = BROKEN[letter]
    return Written(kind, write(task))


def _fill(template: str, task: TaskText) -> str:
    parameters = ", ".join(task.parameters)
    return template.replace("$name", task.name).replace("$args", parameters).replace("$empty", task.empty)


def _around(task: TaskText, ending: str) -> str:
    """The right solution as an inner function, and an ending that spoils it."""
    inner = indent(task.ways[0], "    ")
    return fence(task, f"    def solve():\n{inner}\n\n{ending}")


def _prints(task: TaskText) -> str:
    return _around(task, "    print(solve())\n")


def _wrong_type(task: TaskText) -> str:
    wrapped = "[solve()]" if task.returns == "str" else "str(solve())"
    return _around(task, f"    return {wrapped}\n")


def _raises(task: TaskText) -> str:
    """An exception: a misspelt name, a module that was never imported, a missing key."""
    endings = [
        "    answer = solve()\n    return anwser\n",
        "    return solve() if np.isfinite(1.0) else None\n",
        '    return {"итог": solve()}["ответ"]\n',
    ]
    return _around(task, endings[task.number % len(endings)])


def _renamed(task: TaskText) -> str:
    """A right function under another name."""
    return fence(task, task.ways[1]).replace(f"def {task.name}(", "def my_solution(")


def _class(task: TaskText) -> str:
    """A right method in a class, where a function was asked for."""
    method = task.signature.replace("(", "(self, ", 1) + "\n" + task.ways[0]
    return f"```python\nclass Solution:\n{indent(method, '    ')}\n```\n"


def _noisy(task: TaskText) -> str:
    """Tens of megabytes of output, then the right value."""
    return _around(task, '    for _ in range(2000):\n        print("отладка " * 1000)\n    return solve()\n')


BROKEN: dict[str, tuple[str, Callable[[TaskText], str]]] = {
    "0": ("empty", lambda task: ""),
    "B": ("left undone", lambda task: fence(task, LAZY[task.number % len(LAZY)].rstrip())),
    "C": (
        "endless recursion",
        lambda task: fence(task, f"    return {task.name}({', '.join(task.parameters)})"),
    ),
    "D": ("reads input", lambda task: fence(task, "    data = input()\n    return data.split()")),
    "E": ("other name", _renamed),
    "H": ("huge output", _noisy),
    "I": (
        "endless loop",
        lambda task: fence(
            task, f"    step = 0\n    while step >= 0:\n        step += 1\n    return {task.empty}"
        ),
    ),
    "J": ("other language", lambda task: _fill(OTHER_LANGUAGE[task.number % 2], task)),
    "K": ("class", _class),
    "M": (
        "memory hog",
        lambda task: fence(task, '    hoard = [b"x" * (1 << 26) for _ in range(64)]\n    return hoard[0]'),
    ),
    "P": ("prints", _prints),
    "S": ("broken syntax", lambda task: _fill(SYNTAX[task.number % len(SYNTAX)], task)),
    "T": ("wrong type", _wrong_type),
    "W": ("words only", lambda task: WORDS[task.number % len(WORDS)]),
    "X": ("exception", _raises),
}

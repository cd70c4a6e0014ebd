"""The shapes in which models hand over code: bare, fenced, wrapped in prose, with a reasoning block.

A shape takes a task's text and a function body (indented by four spaces) and gives a whole answer.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent

from demo_source.text import TaskText

Shape = Callable[[TaskText, str], str]

OPENINGS = [
    "Вот решение:",
    "Конечно! Ниже функция, которая делает то, что требуется.",
    "Разберём условие. Нужно аккуратно обработать крайние случаи, остальное просто.",
    "Предлагаю такой вариант.",
    "Функция с пояснениями:",
]
CLOSINGS = [
    "Функция проходит примеры из условия.",
    "Сложность линейная по размеру входных данных.",
    "Если нужны дополнительные проверки входных данных, дайте знать.",
    "Крайние случаи учтены: пустой вход и границы.",
]


def body(_task: TaskText, code: str) -> str:
    """The continuation of the prompt."""
    return "\n" + code + "\n"


def stripped_body(_task: TaskText, code: str) -> str:
    """The continuation after a server cut white space off both ends: the first line lost its indent."""
    return code.strip()


def function(task: TaskText, code: str) -> str:
    """The whole function without its docstring."""
    return f"{task.signature}\n{code}\n"


def function_with_docstring(task: TaskText, code: str) -> str:
    """The prompt once more, then the solution."""
    return f"{task.prompt}\n{code}\n"


def function_with_example(task: TaskText, code: str) -> str:
    """A script: the function and a call of it under the usual guard."""
    return f'{function(task, code)}\n\nif __name__ == "__main__":\n    print({task.example})\n'


def fence(task: TaskText, code: str, tag: str = "python") -> str:
    """One code block and nothing else."""
    return f"```{tag}\n{function(task, code)}```"


def fence_py(task: TaskText, code: str) -> str:
    """A block tagged `py`."""
    return fence(task, code, "py")


def fence_capital(task: TaskText, code: str) -> str:
    """A block tagged `Python`."""
    return fence(task, code, "Python")


def fence_python3(task: TaskText, code: str) -> str:
    """A block tagged `python3`."""
    return fence(task, code, "python3")


def fence_untagged(task: TaskText, code: str) -> str:
    """A block without a tag."""
    return fence(task, code, "")


def fence_tildes(task: TaskText, code: str) -> str:
    """The other fence that Markdown knows."""
    return f"~~~python\n{function(task, code)}~~~\n"


def fence_body(_task: TaskText, code: str) -> str:
    """A block that holds the body alone."""
    return f"```python\n{code}\n```\n"


def fence_open(task: TaskText, code: str) -> str:
    """A block that is never closed."""
    return f"```python\n{function(task, code)}"


def fence_in_list(task: TaskText, code: str) -> str:
    """A block inside a list item, so the fence itself is indented."""
    block = indent(fence(task, code), "   ", lambda line: True)
    return f"1. {_opening(task)}\n\n{block}\n\n2. {_closing(task)}\n"


def prose_then_fence(task: TaskText, code: str) -> str:
    """Words, then the block."""
    return f"{_opening(task)}\n\n{fence(task, code)}\n"


def fence_then_prose(task: TaskText, code: str) -> str:
    """The block, then words."""
    return f"{fence(task, code)}\n\n{_closing(task)}\n"


def fence_then_example(task: TaskText, code: str) -> str:
    """The block, then another that only shows a call."""
    return (
        f"{_opening(task)}\n\n{fence(task, code)}\n\nПример использования:\n\n"
        f"```python\nprint({task.example})\n```\n"
    )


def thought_then_fence(task: TaskText, code: str) -> str:
    """A reasoning block without code, then the answer."""
    return (
        f"<think>\nНужно написать {task.name}. Параметры: {', '.join(task.parameters)}.\n"
        f"Проверю крайние случаи и только потом напишу ответ.\n</think>\n\n{fence(task, code)}\n"
    )


def thought_with_draft(task: TaskText, code: str) -> str:
    """A reasoning block that holds a rejected draft in a fence of its own."""
    draft = fence(task, task.slips[0])
    return (
        f"<think>\nПервая мысль:\n\n{draft}\n\nНет, так неверно на границе.\n</think>\n{fence(task, code)}\n"
    )


def windows_lines(task: TaskText, code: str) -> str:
    """A block with carriage returns at the line ends."""
    return prose_then_fence(task, code).replace("\n", "\r\n")


def tabs(task: TaskText, code: str) -> str:
    """A function indented with tabs."""
    return function(task, code.replace("    ", "\t"))


def two_spaces(task: TaskText, code: str) -> str:
    """A function indented by two spaces."""
    return fence(task, code.replace("    ", "  "))


def _opening(task: TaskText) -> str:
    return OPENINGS[task.number % len(OPENINGS)]


def _closing(task: TaskText) -> str:
    return CLOSINGS[task.number % len(CLOSINGS)]


SHAPES: list[Shape] = [
    body,
    prose_then_fence,
    function,
    fence,
    thought_then_fence,
    fence_py,
    function_with_docstring,
    fence_then_prose,
    fence_untagged,
    stripped_body,
    fence_then_example,
    fence_capital,
    thought_with_draft,
    fence_body,
    function_with_example,
    fence_python3,
    fence_in_list,
    windows_lines,
    tabs,
    fence_open,
    fence_tildes,
    two_spaces,
]
PLAIN_SHAPES: list[Shape] = [
    body,
    fence,
    function,
    prose_then_fence,
    fence_untagged,
    fence_then_prose,
    thought_then_fence,
]

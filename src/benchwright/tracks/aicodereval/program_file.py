"""An entry as one Python file that runs by itself: packages, imports, function, tests, and their progress.

The tests decide as the judge does, since they hold the source of `cases.checking`. But they run in the same
process as the function: a file is for reading and trying, and its exit status is valid for honest code only.
"""

from __future__ import annotations

import base64
import builtins
import inspect
from textwrap import indent
from typing import Any

from benchwright.cases import checking
from benchwright.cases.checking import OTHER_CALLS
from benchwright.cases.reading import Arguments, calls_of, files_of, other_calls, resolve
from benchwright.contracts import CallCase
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, entry_point_of, program_of

_INDENT = "    "
_LINE = 100
_FILES = '''

def write_files(folder, names):
    """Put the files that a case needs into a folder."""
    for name in names:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(FILES[name]))
'''
_CHECKS = '''

def load_checks():
    """Closeness within tolerances, and properties of values."""
{source}
    def plain(value):
        if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
            return value.item()
        if type(value) in (list, tuple):
            return type(value)(map(plain, value))
        if isinstance(value, dict):
            return {{plain(key): plain(each) for key, each in value.items()}}
        return value

    return plain, is_close, broken_property


plain_value, is_close_value, find_broken_property = load_checks()
'''
_KINDS = '''

def is_raised(error, wanted):
    """Whether an exception is of a type that is named with its package, or of a subclass of it."""
    module, _, name = wanted.rpartition(".")
    return any(
        each.__name__ == name and (not module or (each.__module__ + ".").startswith(module + "."))
        for each in type(error).__mro__
    )
'''
_MAIN = '''
def test_main():
    """Run all tests and say how each ended; the number of those that failed."""
    print("Testing started.")
    failed = 0
    for number, test in enumerate(TESTS, 1):
        print(f"Testing case [{number}/{len(TESTS)}] started")
        try:
            with tempfile.TemporaryDirectory() as folder:
                test(folder)
        except Exception as error:
            failed += 1
            print(f"Test case [{number}/{len(TESTS)}] failed: {type(error).__name__}: {error}")
        else:
            print(f"Test case [{number}/{len(TESTS)}] succeeded")
    print("Testing finished.")
    return failed


if __name__ == "__main__":
    sys.exit(1 if test_main() else 0)
'''


def program_file(entry: BenchmarkEntry) -> str:
    """The file of an entry whose tests are cases. Raises ValueError for an entry with a fault in them."""
    name, files = entry_point_of(entry), files_of(entry.cases)
    tests = [_test(number, name, case) for number, case in enumerate(entry.cases, 1)]
    return "".join(
        [
            _packages(entry),
            f"# Imports and main function\n{program_of(entry)}\n\n",
            f"# Test functions: {len(tests)}\n{_test_imports(bool(files))}",
            _written_files(files),
            _CHECKS.format(source=_checking_source()) if any(map(_is_checked, entry.cases)) else "",
            _KINDS if any(_is_other_type(case.expected.raises) for case in entry.cases) else "",
            *tests,
            f"\n\nTESTS = [{', '.join(f'test_case_{number}' for number in range(1, len(tests) + 1))}]\n\n",
            _MAIN,
        ]
    )


def _packages(entry: BenchmarkEntry) -> str:
    lines = [f"# pip install {library}" for library in entry.libraries]
    title = f"# {entry.task_id}: {' '.join(entry.description.split())}\n"
    return title + "\n".join(["#", "# Package installation", *(lines or ["# none"])]) + "\n\n"


def _test_imports(has_files: bool) -> str:
    return ("import base64\n" if has_files else "") + "import os\nimport sys\nimport tempfile\n"


def _written_files(files: dict[str, bytes]) -> str:
    """The contents, base64 in lines, and what writes them; nothing where there are none."""
    if not files:
        return ""
    rows = [
        f"    {name!r}: (\n{_lines(base64.b64encode(content).decode())}    ),\n"
        for name, content in files.items()
    ]
    return f"\nFILES = {{\n{''.join(rows)}}}\n{_FILES}"


def _lines(text: str) -> str:
    parts = [text[at : at + _LINE] for at in range(0, len(text), _LINE)] or [""]
    return "".join(f'{_INDENT * 2}"{part}"\n' for part in parts)


def _checking_source() -> str:
    """The source of `cases.checking` from its first import on, to stand inside a function."""
    source = inspect.getsource(checking)
    return indent(source[source.index("import math") :], _INDENT)


def _is_checked(case: CallCase) -> bool:
    return bool(case.expected.properties or case.expected.rel_tol or case.expected.abs_tol)


def _is_other_type(raises: str) -> bool:
    return bool(raises) and not hasattr(builtins, raises)


class _Path:
    """Replaces the path of a file in a case's arguments by an expression of the test."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"os.path.join(folder, {self._name!r})"


def _test(number: int, name: str, case: CallCase) -> str:
    """One test function, which raises what is wrong."""
    calls = [_call(name, call) for call in calls_of(case, _Path)]
    body = [f"write_files(folder, {list(case.input.files)!r})"] if case.input.files else []
    body += (
        _exception_check(calls[0], case.expected.raises)
        if case.expected.raises
        else _result_check(case, calls)
    )
    about = _docstring(f"{case.level.value}: {case.name}")
    lines = "".join(f"{_INDENT}{line}\n" for line in [about, *body])
    return f"\n\ndef test_case_{number}(folder):\n{lines}"


def _docstring(text: str) -> str:
    plain = "".join(each if each.isprintable() else " " for each in text)
    return f'"""{plain}"""' if not {"\\", '"'} & set(plain) else repr(plain)


def _call(name: str, call: Arguments) -> str:
    args, kwargs = call
    if all(each.isidentifier() for each in kwargs):
        return (
            f"{name}({', '.join([*map(repr, args), *(f'{key}={each!r}' for key, each in kwargs.items())])})"
        )
    return f"{name}(*{args!r}, **{kwargs!r})"


def _exception_check(call: str, error_name: str) -> list[str]:
    failure = f'raise AssertionError(f"gave {{result!r}}, expected {error_name}")'
    if not _is_other_type(error_name):
        return ["try:", f"    result = {call}", f"except {error_name}:", "    return", failure]
    check = [f"    assert is_raised(error, {error_name!r}), repr(error)", "    return"]
    return ["try:", f"    result = {call}", "except Exception as error:", *check, failure]


def _result_check(case: CallCase, calls: list[str]) -> list[str]:
    expected = case.expected
    if not _is_checked(case):
        assignment = f"expected = {resolve(expected.value)!r}"
        return [
            f"result = {calls[0]}",
            assignment,
            'assert result == expected, f"gave {result!r}, expected {expected!r}"',
        ]
    lines = [f"result = plain_value({calls[0]})"]
    tolerances = f"rel_tol={expected.rel_tol!r}, abs_tol={expected.abs_tol!r}"
    if not expected.properties:
        close = f"is_close_value(result, expected, {tolerances})"
        message = 'f"gave {result!r}, expected {expected!r}"'
        return [*lines, f"expected = {resolve(expected.value)!r}", f"assert {close}, {message}"]
    own: dict[str, Any] = {
        name: each for name, each in expected.properties.items() if name not in OTHER_CALLS
    }
    if own:
        found = f"find_broken_property(result, {resolve(own)!r}, {tolerances})"
        lines += [f"broken = {found}", 'assert not broken, f"gave {result!r}, expected {broken}"']
    for name, call in zip(other_calls(case), calls[1:], strict=True):
        close = f"is_close_value(result, plain_value({call}), {tolerances})"
        lines.append(f'assert {close} is {OTHER_CALLS[name]}, f"{name}: gave {{result!r}}"')
    return lines

"""Builds the samples of tasks in repositories: `python -m demo_source.repository_rows` writes them.

Each folder of `repositories/` is a repository of our own. Its files become a history of one commit, and its
functions become rows: the code up to the head of a function, its body, and the code after it.
"""

from __future__ import annotations

import ast
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchwright.demo.git_history import make_clone

SOURCES = Path(__file__).with_name("repositories")
DATA = Path(__file__).parents[1] / "src" / "benchwright" / "demo" / "mera"
OURS = {"author": "Benchwright", "license": "Apache-2.0"}
INSTRUCTIONS = [
    "Ниже код до тела функции. Напишите только тело и сохраните отступы.\n\n{left_context}",
    "Продолжите файл: допишите тело последней функции, других функций не добавляйте.\n{left_context}",
    "{left_context}\n\nНапишите, что должно стоять сразу после этого кода. Нужно тело одной функции.",
    "Код репозитория:\n{left_context}\nДопишите последнюю функцию. Ответ оформите блоком кода.",
    "Вы работаете над этим файлом. Закончите последнюю функцию так, чтобы прошли тесты.\n\n{left_context}",
]


_METHOD = re.compile(
    r"\*/\n    public static (?P<type>.+?) (?P<name>\w+)\([^)]*\) \{\n(?P<body>(?:.*\n)*?    \})(?=\n)"
)
_FUNCTION = re.compile(r"/\* (?P<doc>.+) \*/\n(?P<code>(?P<signature>\w.*\))\n\{\n(?:.*\n)*?\})(?=\n)")
C_INSTRUCTIONS = [
    "Напиши функцию на {language}.\nЗаголовок: {signature}\nОписание: {docstring}\nКонтекст:\n{context}",
    "{context}\n\nПо описанию «{docstring}» реализуй на {language} функцию {signature}.",
    "{docstring}\n\nИмя и параметры: {signature}\nЯзык: {language}\nФайл, в котором она стоит:\n{context}",
]
_CASE = re.compile(r"@Test\n    void (\w+)")
_EMPTY = {
    **dict.fromkeys(("long", "int"), "0"),
    **dict.fromkeys(("String", "long[]", "Map<String, Integer>"), "null"),
    **dict.fromkeys(("List<String>", "List<List<String>>"), "List.of()"),
    "boolean": "false",
}


def main() -> None:
    """Write histories and rows."""
    write_history("toolbox")
    write_rows("realcode", python_rows("toolbox"))
    write_history("ledger")
    write_rows("realcodejava", java_rows("ledger"))
    write_history("numlib")
    write_environment("numlib")
    write_rows("yabloco", c_rows("numlib"))


def files_of(name: str) -> dict[str, str]:
    """The files of a repository by path."""
    root = SOURCES / name
    paths = (path for path in sorted(root.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def write_history(name: str) -> None:
    """Write the history of a repository."""
    commit = {
        "name": "first",
        "author": "benchwright",
        "day": 0,
        "parents": [],
        "message": f"Add {name}",
        "files": {path: text.splitlines() for path, text in files_of(name).items()},
    }
    history = {"remote": f"ours/{name}", "commits": [commit], "references": {"refs/heads/main": "first"}}
    place = DATA / "repositories" / f"{name}.json"
    place.parent.mkdir(exist_ok=True)
    place.write_text(json.dumps(history, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def commit_of(name: str) -> str:
    """The id of the only commit of a history, which is always the same."""
    with tempfile.TemporaryDirectory() as folder:
        make_clone(DATA / "repositories" / f"{name}.json", Path(folder) / name)
        return (Path(folder) / name / "refs/heads/main").read_text().strip()


def write_rows(track: str, rows: Iterator[dict[str, Any]]) -> None:
    """Write the rows of a track with their ids."""
    made = [{**row, "meta": {"id": number, **row["meta"], **OURS}} for number, row in enumerate(rows, 1)]
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in made)
    (DATA / f"{track}.jsonl").write_text("".join(lines), encoding="utf-8")


def python_rows(name: str) -> Iterator[dict[str, Any]]:
    """A row for each function with a docstring, outside of tests."""
    files, commit = files_of(name), commit_of(name)
    paths = ("toolbox/wording.py", "toolbox/figures.py", "toolbox/planning.py")
    for path in paths:
        test = f"tests/test_{Path(path).stem}.py"
        for found in _functions(ast.parse(files[path])):
            lines = files[path].split("\n")
            first = found.body[0].end_lineno
            left, body, right = lines[:first], lines[first : found.end_lineno], lines[found.end_lineno :]
            yield _row(
                "\n".join(left),
                "\n".join(body),
                "\n".join(right),
                repo=f"ours/{name}",
                base_commit=commit,
                image_name="python:3.11",
                build_command="pip install . pytest pytest-json-report",
                test_command="pytest tests --json-report --json-report-file=report_pytest.json",
                fn=path,
                PASS_TO_PASS=[f"{test}::{case}" for case in _tests(files[test])],
                intent=f"{found.name}[function]",
            )


def java_rows(name: str) -> Iterator[dict[str, Any]]:
    """A row for each method with a comment."""
    files, commit = files_of(name), commit_of(name)
    for stem in ("Sums", "Texts", "Lists"):
        path, test = (
            f"src/{part}/java/ours/ledger/{stem}{end}.java" for part, end in (("main", ""), ("test", "Test"))
        )
        for found in _METHOD.finditer(files[path]):
            gt = found["body"]
            yield _row(
                files[path][: found.start("body")],
                gt,
                files[path][found.end("body") :],
                repo=f"ours/{name}",
                base_commit=commit,
                image_name="maven:3.9.9-eclipse-temurin-23-alpine",
                build_command="",
                test_command="mvn test",
                file_path=path,
                stub=f"        return {_EMPTY[found['type']]};\n    }}",
                PASS_TO_PASS=[f"ours.ledger.{stem}Test::{case}" for case in _CASE.findall(files[test])],
                intent=f"{found['name']}[function]",
            )


def write_environment(name: str) -> None:
    """Write the file that names commit and commands of the C repository."""
    text = f"""# Copy it next to the clone: FOLDER/{name}.toml
commit = "{commit_of(name)}"
build = "make run_tests"
test = "./run_tests"
reported = '^(?P<state>ok|FAIL) (?P<name>\\w+)$'
passed = ["ok"]

[canary]
path = "tests/run_tests.c"
find = "1 + 1 == 2"
replace = "1 + 1 == 3"
test = "canary"
"""
    (DATA / "repositories" / f"{name}.toml").write_text(text, encoding="utf-8")


def c_rows(name: str) -> Iterator[dict[str, Any]]:
    """A row for each function with a comment; the context is the rest of its file."""
    files = files_of(name)
    for stem in ("numbers", "texts", "arrays"):
        text = files[f"src/{stem}.c"]
        for number, found in enumerate(_FUNCTION.finditer(text), 1):
            code = found["code"]
            fname = found["signature"].partition("(")[0].split()[-1].lstrip("*")
            yield {
                "instruction": C_INSTRUCTIONS[number % len(C_INSTRUCTIONS)],
                "inputs": {
                    "language": "C",
                    "signature": found["signature"],
                    "docstring": found["doc"],
                    "context": f"// File name: {name}/src/{stem}.c\n{text[: found.start()].rstrip()}",
                },
                "outputs": code,
                "meta": {
                    "original_id": f"{stem}-{number}",
                    "repository": name,
                    "fname": fname,
                    "file": f"{name}/src/{stem}.c",
                    "code_length": code.count("\n"),
                    "pos": text[: found.start("code")].count("\n") + 1,
                },
            }


def _row(left: str, body: str, right: str, **meta: Any) -> dict[str, Any]:
    number = sum(map(ord, meta["intent"])) % len(INSTRUCTIONS)
    texts = {"gt": body, "left_context": left, "right_context": right}
    return {
        "instruction": INSTRUCTIONS[number],
        "inputs": {"left_context": left},
        "outputs": body,
        "meta": {**meta, **texts, "FAIL_TO_PASS": [], "intent_type": "function"},
    }


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and ast.get_docstring(node)]
    return sorted(found, key=lambda node: node.lineno)


def _tests(code: str) -> Iterator[str]:
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            yield node.name
        if isinstance(node, ast.ClassDef):
            methods = (each.name for each in node.body if isinstance(each, ast.FunctionDef))
            yield from (f"{node.name}::{name}" for name in methods)


if __name__ == "__main__":
    main()

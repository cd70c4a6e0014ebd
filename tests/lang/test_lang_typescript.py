"""TypeScript read for comments: syntax that JavaScript lacks, and code that is not a comment."""

from __future__ import annotations

import pytest

from benchwright.lang.comment_reading import anchors, first_change, read_comments
from benchwright.lang.languages import commented_language
from kit.comment_kit import a_spec, judged

DECORATED = '@sealed\nclass Box {\n  @format("%s")\n  title: string = "";\n  @log() open(@inject() key: string): void {\n    this.title = key;\n  }\n}\n'
GENERIC = "function first<T extends { id: number }, K = string>(items: readonly T[], by?: K): T | undefined {\n  return items[0] as T;\n}\n"
INTERFACE = "export interface Shape<T = number> extends Named {\n  readonly area: T;\n  scale?(by: number): this;\n  [key: string]: unknown;\n}\n"
ALIAS = "type Result<T> = { ok: true; value: T } | { ok: false; error: Error };\ntype Keys = keyof typeof table;\nconst table = { a: 1 } as const;\n"
ARROW = "const pick = async <T,>(items: T[], at = 0): Promise<T> => {\n  return items[at]!;\n};\n"
ENUM = "enum Level {\n  Low = 1,\n  High = Low << 2,\n}\nnamespace Inner {\n  export const a: Level = Level.Low;\n}\n"
ABSTRACT = "abstract class Store {\n  constructor(private readonly url: string) {}\n  abstract load(key: string): Promise<string>;\n  get size(): number { return 0; }\n}\n"
SNIPPETS = [DECORATED, GENERIC, INTERFACE, ALIAS, ARROW, ENUM, ABSTRACT]
NAMES = ["decorators", "generics", "interface", "alias", "arrow", "enum", "abstract"]
each_snippet = pytest.mark.parametrize("code", SNIPPETS, ids=NAMES)


def commented(code: str) -> str:
    """A comment above and behind each line."""
    return "".join(f"// over {at}\n{line} /* behind {at} */\n" for at, line in enumerate(code.splitlines()))


@each_snippet
def test_comments_change_no_code(code: str) -> None:
    """And each is about the line that it stands at."""
    given, answer = read_comments(code, "TypeScript"), read_comments(commented(code), "TypeScript")

    assert given.fault is None and first_change(given, answer) is None
    assert len(answer.comments) == 2 * len(code.splitlines())
    places = anchors(given, answer)
    assert all(places[at] is not None for at in range(len(answer.comments) - 1))


@pytest.mark.parametrize(
    ("code", "old", "new"),
    [
        (DECORATED, "@sealed\n", ""),
        (DECORATED, "@inject() ", ""),
        (GENERIC, "extends { id: number }", "extends { id: string }"),
        (GENERIC, "by?: K", "by: K"),
        (INTERFACE, "readonly area", "area"),
        (INTERFACE, "unknown", "any"),
        (ALIAS, "ok: false", "ok: true"),
        (ALIAS, " as const", ""),
        (ARROW, "items[at]!", "items[at]"),
        (ARROW, "Promise<T>", "Promise<any>"),
        (ENUM, "Low << 2", "Low << 3"),
        (ABSTRACT, "private readonly", "readonly"),
    ],
)
def test_types_are_code(code: str, old: str, new: str) -> None:
    """Beside comments too."""
    assert old in code
    change = first_change(read_comments(code, "ts"), read_comments(commented(code.replace(old, new)), "ts"))
    assert change is not None


@pytest.mark.parametrize("name", ["TypeScript", "typescript", "ts", " TS "])
def test_the_language_is_known_by_its_names(name: str) -> None:
    assert commented_language(name).name == "TypeScript"


@pytest.mark.parametrize(
    ("code", "function", "parameters"),
    [
        (GENERIC, "first", ["items", "by"]),
        (ARROW, "pick", ["items", "at"]),
        (DECORATED, "open", ["key"]),
        (ABSTRACT, "constructor", ["url"]),
        ("function sum(...values: number[]): number {\n  return values.length;\n}\n", "sum", ["values"]),
        ("const add = (a: number, b = 1): number => a + b;\n", "add", ["a", "b"]),
    ],
)
def test_parameters_are_named_without_their_types(code: str, function: str, parameters: list[str]) -> None:
    declared = {each.name.rpartition(".")[2]: each for each in read_comments(code, "TypeScript").declared}
    assert [each.name for each in declared[function].parameters] == parameters


@each_snippet
def test_a_commented_answer_is_scored(code: str) -> None:
    spec = a_spec(code, (1, "The first declaration of the module."), lang="TypeScript")
    found = judged(f"// The first declaration of the module.\n{code}", spec)
    assert found.outcome == "scored" and found.scores["accuracy"] == 1.0

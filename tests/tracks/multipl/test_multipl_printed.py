"""MultiPL-E in JavaScript, TypeScript, C++ and Rust: rows in its shapes, judged by printed values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import pytest

from benchwright.contracts import Extraction, Judgement
from benchwright.errors import DataError
from benchwright.judges.judge_registry import Resources
from benchwright.judges.programs.printed import PrintedJudge
from benchwright.records import Answer, Outcome, Task
from benchwright.sandbox.box import Sandbox
from benchwright.tracks.multipl.track import TRACK, read_task
from benchwright.tracks.rows import Fields
from kit.needs import need_ready, need_sandbox

_JS_TESTS = """const assert = require('node:assert');


function test() {
  let candidate = longest;
  assert.deepEqual(candidate(["a", "b)(\\"c"]),{"b)(\\"c": 5.0, "n": undefined});
  assert.deepEqual(candidate([]),{});
}

test();"""


class _Sample(NamedTuple):
    prompt: str
    tests: str
    right: str  # completions
    wrong: str
    whole: str  # a function, as in a chat model's answer


SAMPLES = {
    "js": _Sample(
        "//Length of the longest text.\nfunction longest(texts){\n",
        _JS_TESTS,
        "  const found = {};\n  for (const text of texts) if (text.length > 1) { found[text] = text.length; found.n = null; }\n  return found;\n}",
        "  return {};\n}",
        "function longest(texts) { console.log('noise'); return texts.length ? { n: undefined, 'b)(\"c': 5 } : {}; }",
    ),
    "ts": _Sample(
        "//Length of the longest text.\nfunction longest(texts: string[]): {[key: string]: number} {\n",
        f"declare var require: any;\n{_JS_TESTS}",
        "  const found: any = {};\n  for (const text of texts) if (text.length > 1) { found[text] = text.length; found.n = null; }\n  return found;\n}",
        "  return {};\n}",
        "function longest(texts: string[]): any { return texts.length ? { n: undefined, 'b)(\"c': 5 as number } : {}; }",
    ),
    "cpp": _Sample(
        "#include<assert.h>\n#include<bits/stdc++.h>\n// Length of each text.\nstd::map<std::string,std::vector<float>> lengths(std::vector<std::string> texts) {\n",
        """}
int main() {
    auto candidate = lengths;
    assert(candidate((std::vector<std::string>({(std::string)"a", (std::string)"b)(\\"c"}))) == (std::map<std::string,std::vector<float>>({{"a", std::vector<float>({(float)0.1f})}, {"b)(\\"c", std::vector<float>({(float)0.5f})}})));
    assert(candidate((std::vector<std::string>())) == (std::map<std::string,std::vector<float>>()));
}
""",
        '    std::map<std::string,std::vector<float>> found;\n    for (auto& text : texts) found[text] = {text.size() / (text == "a" ? 10.0f : 10.0f)};\n    return found;',
        "    return {};",
        "using namespace std;\nmap<string,vector<float>> lengths(vector<string> texts) {\n    map<string,vector<float>> found;\n    for (auto& t : texts) found[t] = {t.size() / 10.0f};\n    return found;\n}\nint main() { cout << 1; return 0; }",
    ),
    "rs": _Sample(
        "use std::collections::HashMap;\n\n/// Length of each text.\nfn lengths(texts: Vec<String>) -> HashMap<String, isize> {\n",
        """}

fn main() {
    let candidate = lengths;
    assert_eq!(candidate(vec![String::from("a"), String::from("b)(c")]), HashMap::from([(String::from("a"), 1), (String::from("b)(c"), 4)]));
    assert_eq!(candidate(Vec::<String>::new()), HashMap::from([]));
}
""",
        "    texts.into_iter().map(|text| { let n = text.len() as isize; (text, n) }).collect()",
        "    HashMap::new()",
        'fn lengths(texts: Vec<String>) -> HashMap<String, isize> {\n    println!("noise");\n    texts.into_iter().map(|t| { let n = t.len() as isize; (t, n) }).collect()\n}\nfn main() {}',
    ),
}


def _row(shape: str, **fields: Any) -> dict[str, Any]:
    sample = SAMPLES[shape]
    row = {"name": f"own_1_{shape}", "language": shape, "prompt": sample.prompt, "tests": sample.tests}
    stops = ["\n}"] if sample.tests.startswith("}") else ["\nfunction "]
    return {**row, "stop_tokens": stops, "canonical_solution": sample.right, **fields}


def _task(shape: str, **fields: Any) -> Task:
    return read_task(Fields(_row(shape, **fields), "rows.jsonl", 1))


@pytest.fixture(scope="module")
def judge() -> Iterator[PrintedJudge]:
    need_sandbox()
    with ExitStack() as stack:
        yield PrintedJudge(Resources(stack.enter_context(Sandbox()), stack))


def _judged(judge: PrintedJudge, task: Task, text: str) -> Judgement:
    spec = TRACK.spec(task, profile="strict")
    need_ready(lambda: PrintedJudge.make_ready(spec), f"{spec.lang} programs cannot run")  # type: ignore[arg-type]
    answer = Answer(key="k", task_id=task.task_id, sample=0, model="m", text=text)
    taken = TRACK.extract(task, answer, profile="strict")
    found = judge.judge(Extraction(program=taken.program, rule=taken.rule), spec)  # type: ignore[arg-type]
    return found if isinstance(found, Judgement) else found()


@pytest.mark.parametrize("language", SAMPLES)
def test_answers_in_each_language(language: str, judge: PrintedJudge) -> None:
    """A completion, a whole function in a fence, a wrong value, the stub, no program."""
    task, sample = _task(language), SAMPLES[language]
    found = [
        _judged(judge, task, sample.right),
        _judged(judge, task, f"```\n{sample.whole}\n```"),
        _judged(judge, task, sample.wrong),
        _judged(judge, task, TRACK.stub(task)),
        _judged(judge, task, "  this is prose ((("),
    ]

    expected = ["passed", "passed", "wrong", "exception", "syntax_error"]
    assert expected == [each.outcome.value for each in found], [each.detail for each in found]


@pytest.mark.parametrize("language", SAMPLES)
def test_a_completion_is_the_same_program_in_both_profiles(language: str) -> None:
    """So a judgement by one profile is that of the other."""
    task = _task(language)
    answer = Answer(key="k", task_id=task.task_id, sample=0, model="m", text=SAMPLES[language].right)
    programs = [TRACK.extract(task, answer, profile=name).program for name in ("strict", "multipl-e")]

    assert programs[0] == programs[1]
    assert TRACK.spec(task, profile="strict") == TRACK.spec(task, profile="multipl-e")


@pytest.mark.parametrize("language", SAMPLES)
def test_expected_values_are_in_no_program_with_an_answer(language: str) -> None:
    """The program with the answer has only the calls; the other program has no answer."""
    spec = TRACK.spec(_task(language), profile="strict")
    expected = [wanted for _, wanted in spec.written]  # type: ignore[union-attr]

    assert [
        expected[0] in text
        for text in (spec.frame, spec.oracle)  # type: ignore[union-attr]
    ] == [False, True]


def test_a_forged_value_is_only_a_value(judge: PrintedJudge) -> None:
    """Lines with another token are output of the answer, and an exit with status 0 is not a pass."""
    task = _task("js")
    outcomes = [
        _judged(judge, task, f"{text}\n}}").outcome
        for text in ("  process.exit(0);", "  console.log('\\n0123 {}'); return { toString: () => '{}' };")
    ]

    assert [Outcome.exception, Outcome.wrong] == outcomes


@pytest.mark.parametrize(
    ("language", "fields", "field"),
    [
        ("js", {"prompt": "const f = 1;\n"}, "prompt"),
        ("js", {"tests": "test();"}, "tests"),
        ("js", {"tests": _JS_TESTS.replace("assert.deepEqual", "assert.ok")}, "tests"),
        ("ts", {"tests": _JS_TESTS}, "tests"),
        ("cpp", {"tests": SAMPLES["cpp"].tests.replace(" == ", " < ")}, "tests"),
        ("cpp", {"prompt": f"union Union_long {{}};\n{SAMPLES['cpp'].prompt}"}, "prompt"),
        ("rs", {"tests": SAMPLES["rs"].tests.replace("HashMap::from([])", "1 + (2")}, "language"),
        ("rs", {"language": "rust"}, "language"),
    ],
)
def test_rows_in_another_form_are_refused(language: str, fields: dict[str, str], field: str) -> None:
    """Each error has the field; an expression that no parser here reads is left to the compiler."""
    if field == "language" and "tests" in fields:
        assert _task(language, **fields).task_id == "own_1_rs"
        return
    with pytest.raises(DataError) as caught:
        _task(language, **fields)

    assert field == caught.value.field

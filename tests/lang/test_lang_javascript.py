"""JavaScript suites as texts: cases, cuts, layouts, imports, mutants."""

from __future__ import annotations

import pytest

from benchwright.lang.languages import language
from benchwright.lang.protocol import PairTexts, ProjectTexts
from benchwright.lang.source import (
    cases,
    compile_faults,
    focal_for,
    focal_of,
    imports,
    in_project,
    is_test_path,
    lay_out,
    libraries,
    mutants,
    needs,
    only_case,
    syntax_fault,
    tags,
    unresolved,
)
from benchwright.lang.source_errors import LayoutError
from kit.javascript_needs import CASES, TOTAL, TOTAL_TEST, total_suite

JS = "JavaScript"


def test_cases() -> None:
    """In the file's order, with the suites around each, and the comment above."""
    found = cases(TOTAL_TEST, JS)

    assert [each.name for each in found] == CASES
    assert (found[0].first_line, found[0].last_line, found[0].parametrised) == (8, 11, False)


@pytest.mark.parametrize(
    ("code", "names", "dynamic"),
    [
        ("import { it as x } from 'node:test';\nx('a', () => {});\n", ["a"], False),
        ("const { test: t } = require('node:test');\nt('a', (c) => c.test('b', f));\n", ["a"], False),
        ("const t = require('node:test').it;\nt.only('a', f);\n", ["a"], False),
        ("import t from 'node:test';\nt.describe('s', () => { t.it('a', f); });\n", ["s > a"], False),
        ("import test from 'node:test';\nawait test(`a`, f);\n", ["a"], False),
        ("import test from 'node:test';\nfor (const x of y) test(x, f);\n", [], True),
        ("import test from 'node:test';\ntest(`a${1}`, f);\n", [], True),
        ("import test from 'node:test';\ntest('a', f);\ntest('a', g);\n", ["a"], True),
        ("import { test } from 'vitest';\ntest('a', f);\n", [], False),
        ("test('a', f);\n", [], False),
    ],
)
def test_ways_to_write_a_case(code: str, names: list[str], dynamic: bool) -> None:
    """Every import of `node:test`; names that are no literals are seen to be there."""
    assert [each.name for each in cases(code, JS)] == names
    assert tags("", code, JS)["dynamic_cases"] == dynamic


def test_one_case_is_left() -> None:
    """With the imports and data that it uses, and no trace of the others."""
    first, *_, last = (only_case(TOTAL_TEST, each, JS) for each in cases(TOTAL_TEST, JS))

    assert "LARGE" not in first and "describe(" not in first and "// sums" in first
    assert "SMALL" not in last and "// sums" not in last
    assert last.count("it(") == 1 and 'describe("bad input"' in last
    assert syntax_fault(first, JS) is None


def test_imports() -> None:
    """Statements, calls and re-exports, each of its kind."""
    code = (
        "import a, { b as c } from 'node:fs';\nimport * as d from '@scope/name/deep';\nexport { e } from './e.js';\n"
        "const { f } = require('path');\nconst g = require('../g').h;\nawait import('#own');\n"
    )
    found = [(each.module, each.kind, each.names, each.alias) for each in imports(code, JS)]

    assert found == [
        ("node:fs", "standard", ["b"], "a"),
        ("@scope/name/deep", "third_party", [], "d"),
        ("./e.js", "relative", [], ""),
        ("path", "standard", ["f"], ""),
        ("../g", "relative", ["h"], ""),
        ("#own", "project", [], ""),
    ]
    assert libraries(code, JS) == {"@scope/name"}


@pytest.mark.parametrize(
    ("path", "focal"),
    [
        ("total.test.js", "src/total.js"),
        ("test/total-test.mjs", "src/total.js"),
        ("test/test-total.cjs", "src/total.js"),
        ("test/sums.spec.js", "src/total.js"),
        ("test/total.js", None),
    ],
)
def test_pairs(path: str, focal: str | None) -> None:
    """By the name of the test file, or else by its one relative import."""
    files = ["src/total.js", "src/other.js", path]

    assert is_test_path(path) == (focal is not None)
    assert focal_for(path, files, TOTAL_TEST) == focal


def test_the_file_that_a_test_takes_most_from() -> None:
    """Also where its specifier is a folder."""
    near = ProjectTexts(["index.js", "lib/index.js", "test/x.test.js"], lambda path: "")

    assert focal_of("test/x.test.js", "const x = require('..');", JS, near) == "index.js"
    assert focal_of("test/x.test.js", "import { a, b } from '../lib';", JS, near) == "lib/index.js"
    assert focal_of("test/x.test.js", "import '../lib';import '..';", JS, near) == ""


def test_layouts() -> None:
    """Paths of the project where they fit, else a folder as deep as the import climbs."""
    own, none = total_suite(), lay_out(TOTAL, TOTAL_TEST, JS)
    common = lay_out("exports.f = 1;\n", TOTAL_TEST.replace("total }", "f }"), JS)

    assert (own.focal, own.test, own.cases) == ("src/total.js", "test/total.test.js", CASES)
    assert (none.focal, none.test) == ("src/total.js", "test/focal.test.js")
    assert own.files["package.json"] == '{"type": "module"}\n'
    assert (common.test, common.files["package.json"]) == ("test/focal.test.mjs", '{"type": "commonjs"}\n')


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        (TOTAL_TEST.replace("node:test", "vitest"), "no_cases"),
        (TOTAL_TEST.replace("../src/total.js", "total"), "no_import"),
        (TOTAL_TEST + "import { total as x } from './other.js';\n", "ambiguous"),
    ],
)
def test_no_layout(test: str, reason: str) -> None:
    """The reason."""
    with pytest.raises(LayoutError) as caught:
        lay_out(TOTAL, test, JS)

    assert caught.value.reason == reason


def test_files_that_a_pair_needs() -> None:
    """What either imports, directly for a row, and all of it for a run in the project."""
    texts = {
        "package.json": '{"type": "module"}',
        "src/total.js": 'import "./a";\n' + TOTAL,
        "src/a.js": 'import data from "./data.json";\n',
        "src/data.json": "{}",
        "src/b.js": "",
        "test/total.test.js": TOTAL_TEST,
    }
    near = ProjectTexts(texts.keys(), texts.__getitem__)
    pair = PairTexts("src/total.js", texts["src/total.js"], "test/total.test.js", TOTAL_TEST)
    suite = total_suite(texts["src/total.js"])

    assert needs(pair, JS, near).files == {"src/a.js"}
    assert unresolved(suite) == ["./a"]
    assert set(in_project(pair, near, suite).files) == set(texts) - {"src/b.js"}


def test_mutants() -> None:
    """Changes of every kind that the file allows; all parse."""
    code = TOTAL + (
        "export function rank(rows, first, last) {\n  let best = rows[0];\n  let kept = 0;\n"
        "  for (let i = 1; i < rows.length; i++) {\n    if (rows[i].score >= best.score && first !== last) {\n"
        "      best = rows[i];\n      kept += 1;\n    } else if (first === last) {\n      kept = 0;\n    }\n  }\n"
        "  return best.name.startsWith(first) ? best.name.slice(1) : last.trimEnd();\n}\n"
    )
    found = list(mutants(code, JS))

    assert all(syntax_fault(each.code, JS) is None and each.code != code for each in found)
    assert {each.kind for each in found} >= {
        "boundary",
        "compare",
        "operator",
        "lost",
        "logic",
        "family",
        "case",
        "bound",
    }
    assert len({each.name for each in found}) == len(found)


def test_slips_that_do_not_load() -> None:
    """One of each kind; a semicolon may be left out."""
    found = {each.kind: each.code for each in compile_faults(f'import "./x.js";\n{TOTAL}', JS, str)}

    assert set(found) == {"bracket", "misspelt", "import"}
    assert syntax_fault(found["bracket"], JS) is not None


def test_errors_that_the_texts_explain() -> None:
    """Not those of a file that is not there."""
    pair = PairTexts("a.js", "", "a.test.js", "")
    shows = language(JS).shows_why

    assert shows(pair, "SyntaxError: Unexpected token ';'")
    assert shows(pair, "ReferenceError: x is not defined")
    assert not shows(pair, "Error: Cannot find module '/tmp/work/a'")


def test_how_a_written_test_begins() -> None:
    """In either module system; nothing where nothing is exported."""
    lang = language(JS)
    module, common = lang.opening("src/total.js", TOTAL, ()), lang.opening("a.cjs", "exports.f = 1;\n", ())

    assert module is not None and 'import { total } from "./total.js";' in module.lines
    assert common is not None and 'const { f } = require("./a.cjs");' in common.lines
    assert (common.name, [each.name for each in cases(common.probe, JS)]) == ("a.test.cjs", ["probe"])
    assert lang.opening("a.js", "let x = 1;\n", ()) is None

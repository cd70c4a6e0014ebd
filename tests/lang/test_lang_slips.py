"""Slips: each kind changes what its name says, and leaves no mark that a reader would know without the test."""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.lang.languages import LANGUAGES
from benchwright.lang.source import mutants, syntax_fault
from benchwright.lang.tree_slips import SLIPS
from kit.examples import examples
from kit.javascript_needs import TOTAL
from kit.lang_samples import CACHE_GO, CACHE_PY


def of_kind(kind: str, code: str, lang: str) -> list[str]:
    return [mutant.code for mutant in mutants(code, lang) if mutant.kind == kind]


# Kind and number: the body of a function f(a: int, b: int, c, xs), and what it becomes.
PYTHON = {
    "compare": ("x = [1 for i in xs if i == c]", ["x = [1 for i in xs if i != c]"]),
    "compare in": ("if c in xs:\n    g()\nelse:\n    h()", ["if c not in xs:\n    g()\nelse:\n    h()"]),
    "compare a guard": ("if c == xs:\n    return c\ng(c)", []),
    "compare None": ("if c is None:\n    g()\nelse:\n    h()", []),
    "compare a loop": ("while c < xs:\n    g()", []),
    "boundary": ("if c >= xs:\n    return c\ng(c)", ["if c > xs:\n    return c\ng(c)"]),
    "boundary of a message": ('if c < 0:\n    raise ValueError("it is < 0")\ng(c)', []),
    "logic": ("return c == 1 and xs", ["return c == 1 or xs"]),
    "logic that leans": ("return xs and xs.y", []),
    "logic of an index": ("return c < 5 and xs[c] == 1", []),
    "condition": ("return c and (xs < 1 or f)", ["return c and (f)", "return c and (xs < 1)"]),
    "condition in brackets": ("return (c) and (xs)", []),
    "bound": ("return xs[0], xs[c:2]", ["return xs[1], xs[c:2]", "return xs[0], xs[c:3]", "return xs[0], xs[c:1]"]),
    "bound from behind": ("return xs[-1]", ["return xs[-2]"]),
    "bound of a range": ("for i in range(c):\n    g(i)", ["for i in range(c - 1):\n    g(i)", "for i in range(c + 1):\n    g(i)"]),
    "bound of a sum": ("return c + 1", ["return c", "return c + 2"]),
    "bound that means more": ("return c % 2, c * 3, g(60), 'a' + 1", []),
    "boolean": ("g(c, True, x=False)", ["g(c, True, x=True)"]),
    "operator": ("return c - 2", ["return c + 2"]),
    "operator on texts": ("return c + 'a', c + xs", []),
    "name by type": ("g(a)\nreturn a", ["g(b)\nreturn a", "g(a)\nreturn b"]),
    "name without another use": ("return a", []),
    "name by opposite": ("left, right = c\ng(left)\nreturn left", ["left, right = c\ng(right)\nreturn left", "left, right = c\ng(left)\nreturn right"]),
    "name twice": ("return a + b", []),
    "name of a constant": ("x = 'up'\ny = 'down'", ["x = 'down'\ny = 'down'", "x = 'up'\ny = 'up'"]),
    "family": ("return c.lstrip().find('a')", ["return c.rstrip().find('a')", "return c.strip().find('a')", "return c.lstrip().rfind('a')"]),
    "family of its own": ("x = c.left\nreturn c.right", ["x = c.right\nreturn c.right", "x = c.left\nreturn c.left"]),
    "family beside": ("return c.left + c.right", []),
    "arguments": ("g(c, xs); max(c, xs); g('a', c); g(c, c)", ["g(xs, c); max(c, xs); g('a', c); g(c, c)"]),
    "order of operands": ("return c - xs", ["return xs - c"]),
    "order of results": ("return c, xs", ["return xs, c"]),
    "order of steps": ("c += 1\nxs.append(c)\nreturn xs", ["xs.append(c)\nc += 1\nreturn xs"]),
    "order without need": ("c.g()\nxs.g()\nreturn c", []),
    "order of a first value": ("y = c\ng(y)\nreturn c", []),
    "order of an exchange": ("tmp = c\nc = xs\nxs = tmp", []),
    "order within": ("if c:\n    y = c\n    g(y)\nreturn c", []),
    "case that a name is for": ("y = c\nif y:\n    return 1\nreturn 2", []),
    "case": ("# so it is\nif c:\n    return 1\n\nreturn c", ["return c"]),
    "case elif": ("if c:\n    g()\nelif a:\n    h()\nelse:\n    f()", ["if c:\n    g()\nelse:\n    f()", "if c:\n    g()\nelif a:\n    h()"]),
    "case alone": ("if c:\n    return 1", []),
    "lost": (
        "xs.append(c)\nc.x = 1\nc += 1\nreturn c, xs",
        [
            "c.x = 1\nc += 1\nreturn c, xs",
            "xs.append(c)\nc += 1\nreturn c, xs",
            "xs.append(c)\nc.x = 1\nreturn c, xs",
            "xs.append(c)\nc.x = 1\nc = 1\nreturn c, xs",
        ],
    ),
    "lost words": ("print(c)\nlog.info(c)\nreturn c", []),
    "lost first value": ("y = 1\nreturn y", []),
    "lost in a loop": ("while c < 9:\n    c += 1\n    g()", ["while c < 9:\n    c += 1"]),
}  # fmt: skip


def in_python(body: str) -> str:
    return "def f(a: int, b: int, c, xs):\n" + "".join(
        f"    {line}\n" if line else "\n" for line in body.split("\n")
    )


@pytest.mark.parametrize(
    ("name", "code", "expected"), [(name, *pair) for name, pair in PYTHON.items()], ids=PYTHON
)
def test_python(name: str, code: str, expected: list[str]) -> None:
    """Each kind makes these changes and leaves other text unchanged."""
    found = of_kind(name.partition(" ")[0], in_python(code), "Python")

    assert sorted(found) == sorted(map(in_python, expected))


JAVA = {
    "compare": ("if (a == b) g(); else h();", ["if (a != b) g(); else h();"]),
    "compare a guard": ("if (a == b) return 1;\n        g();", []),
    "compare a loop": ("for (int i = 0; i < a; i++) g();", []),
    "boundary": ("for (int i = 0; i < a; i++) g();", ["for (int i = 0; i <= a; i++) g();"]),
    "boundary of a length": ("for (int i = 0; i < v.length; i++) g();", []),
    "boundary of a message": ('if (a < 0) throw new E("a < 0");\n        g();', []),
    "logic": ("g(a == 1 && c);", ["g(a == 1 || c);"]),
    "logic that leans": ("g(s != null && s.x());", []),
    "logic of an index": ("g(a < b && v[a] == 1);", []),
    "compare of a name": ("boolean sameSize = a == b;", []),
    "order of an exchange": ("temp = v[a];\n        v[a] = v[b];\n        v[b] = temp;", []),
    "condition": ("g(s != null && s.x());", ["g(s.x());", "g(s != null);"]),
    "bound": ("g(v[0]);", ["g(v[1]);"]),
    "bound of a method": ("s.charAt(1);", ["s.charAt(2);", "s.charAt(0);"]),
    "bound that means more": ("g(a % 2, 10L);", []),
    "boolean": ("boolean x = true;", ["boolean x = false;"]),
    "operator": ("g(a - 2);", ["g(a + 2);"]),
    "operator on texts": ('g("x" + 1 + a);', []),
    "name": ("g(a, a);", ["g(b, a);", "g(a, b);"]),
    "name without another use": ("g(a);", []),
    "name of a constant": ('s = "up";\n        g("down");', ['s = "down";\n        g("down");', 's = "up";\n        g("up");']),
    "family": ('s.indexOf("a");', ['s.lastIndexOf("a");']),
    "arguments": ("g(a, b, s); Math.max(a, b);", ["g(b, a, s); Math.max(a, b);"]),
    "order": ("g(a - b);", ["g(b - a);"]),
    "order of steps": ("v[a] = b;\n        a++;", ["a++;\n        v[a] = b;"]),
    "case": ("if (a == b)\n            return 1;\n\n        g(a, b);", ["g(a, b);"]),
    "case that a name is for": ("int x = s.x() + this.x;\n        if (x == b)\n            return 1;\n        g(b);", []),
    "case else": ("if (c) {\n            g();\n        } else if (d) {\n            h();\n        } else {\n            k();\n        }", [
        "if (c) {\n            g();\n        } else {\n            k();\n        }", "if (c) {\n            g();\n        } else if (d) {\n            h();\n        }"]),
    "lost": ("a += 2;\n        g(a);\n        System.out.println(a);", ["g(a);\n        System.out.println(a);", "a += 2;\n        System.out.println(a);", "a = 2;\n        g(a);\n        System.out.println(a);"]),
    "lost in a loop": ("while (a < b) {\n            a += 1;\n            g();\n        }", ["while (a < b) {\n            a += 1;\n        }"]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "code", "expected"), [(name, *pair) for name, pair in JAVA.items()], ids=JAVA
)
def test_java(name: str, code: str, expected: list[str]) -> None:
    """The same kinds in Java."""
    whole = "class A {\n    int f(int a, int b, String s, int[] v) {\n        {}\n    }\n}\n"
    found = of_kind(name.partition(" ")[0], whole.replace("{}", code), "Java")

    assert sorted(found) == sorted(whole.replace("{}", each) for each in expected)


GO = {
    "compare": ("x := a == b", ["x := a != b"]),
    "compare nil": ("x := s == nil", []),
    "boundary of an error": ('if a < 0 {\n\t\treturn errors.New("a < 0")\n\t}\n\tg()', []),
    "boundary": ("for i := 0; i < a; i++ {\n\t}", ["for i := 0; i <= a; i++ {\n\t}"]),
    "logic": ("g(a == 1 || b == 2)", ["g(a == 1 && b == 2)"]),
    "bound": ("g(v[i:])", ["g(v[i-1:])", "g(v[i+1:])"]),
    "bound of a sum": ("g(a+1)", ["g(a+2)", "g(a)"]),
    "operator": ("g(a - 2)", ["g(a + 2)"]),
    "operator on texts": ('g("x" + s)', []),
    "name": ("g(a, a)", ["g(b, a)", "g(a, b)"]),
    "family": ("strings.HasPrefix(s, t)", ["strings.HasSuffix(s, t)"]),
    "arguments": ("g(a, b, s); append(v, a)", ["g(b, a, s); append(v, a)"]),
    "order of results": ("return a, b", ["return b, a"]),
    "order of steps": ("v[a] = b\n\ta++", ["a++\n\tv[a] = b"]),
    "case of a switch": (
        "switch a {\n\tcase 1:\n\t\tg()\n\tcase 2:\n\t\th()\n\tcase 3:\n\t\tk()\n\t}",
        [
            "switch a {\n\tcase 2:\n\t\th()\n\tcase 3:\n\t\tk()\n\t}",
            "switch a {\n\tcase 1:\n\t\tg()\n\tcase 3:\n\t\tk()\n\t}",
            "switch a {\n\tcase 1:\n\t\tg()\n\tcase 2:\n\t\th()\n\t}",
        ],
    ),
    "case": ("// so it is\n\tif a == b {\n\t\treturn\n\t}\n\tg(a, b)", ["g(a, b)"]),
    "lost": ("a += 2\n\tg(a)", ["g(a)", "a += 2", "a = 2\n\tg(a)"]),
}  # fmt: skip


@pytest.mark.parametrize(("name", "code", "expected"), [(name, *pair) for name, pair in GO.items()], ids=GO)
def test_go(name: str, code: str, expected: list[str]) -> None:
    """The same kinds in Go, formatted as gofmt does."""
    whole = "package p\n\nfunc f(a, b int, s string, v []int) {\n\t{}\n}\n"
    found = of_kind(name.partition(" ")[0], whole.replace("{}", code), "Go")

    assert sorted(found) == sorted(whole.replace("{}", each) for each in expected)


JAVA_FILE = "class A {\n    int f(int a, int b, String s, int[] v) {\n        {}\n    }\n}\n".replace(
    "{}", "\n        ".join(body for body, _ in JAVA.values())
)


def test_every_kind_is_tested() -> None:
    """And has a name in the list of kinds."""
    assert {name.partition(" ")[0] for name in PYTHON} == set(SLIPS)


@pytest.mark.parametrize(("code", "lang"), [(CACHE_PY, "Python"), (JAVA_FILE, "Java"), (CACHE_GO, "Go")])
def test_samples(code: str, lang: str) -> None:
    """Names are unique, lines those of the change, the order the text's, and the same each time."""
    found = list(mutants(code, lang))
    lines = code.splitlines()

    assert found and len({each.name for each in found}) == len(found)
    assert {each.kind for each in found} <= set(SLIPS)
    assert found == list(mutants(code, lang))
    for each in found:
        numbered = zip(each.code.splitlines(), lines, strict=False)
        first = next((at for at, (new, old) in enumerate(numbered, 1) if new != old), len(lines))
        assert lines[each.line - 1].strip() and first >= int(each.name.split("-")[1])
        assert syntax_fault(each.code, lang) is None


MARKS = re.compile(r"not \(|!\(|return None$|return false;?$|return \"\";?$|  +\n|\n\n\n\n")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_marks(lang: str) -> None:
    """Nothing is wrapped in a negation, no bare nothing is returned, no gap is left."""
    code = {"Python": CACHE_PY, "Java": JAVA_FILE, "Go": CACHE_GO, "JavaScript": TOTAL}[lang]

    for each in mutants(code, lang):
        assert len(MARKS.findall(each.code)) <= len(MARKS.findall(code)), each.name


@pytest.mark.parametrize(
    ("code", "lang"),
    [
        ('def f(a):\n    """Whether a < 1."""\n    raise ValueError(a[0] + 1)\n', "Python"),
        ("def f(a: x[1]) -> y[2]:\n    assert a[1] < 2\n    return f'{a[1]}'\n", "Python"),
        ("x: int[3] = y\n", "Python"),
        ('class A { void f(int a) { throw new E("a" + a[0]); } }', "Java"),
        ('package p\n\nfunc f(a int) error { return fmt.Errorf("%d", a-1) }\n', "Go"),
        ("def f(:", "Python"),
        ("class {", "Java"),
        ("package", "Go"),
    ],
)
def test_left_alone(code: str, lang: str) -> None:
    """Messages, docstrings, annotations, assertions, f-strings and files that do not parse."""
    assert list(mutants(code, lang)) == []


def test_the_line_of_what_goes_with_its_comment_is_that_of_the_statement() -> None:
    """Executed lines are lines of code: a guard is found by its own, whatever stands above it."""
    code = in_python("x = c\n# so it is\nif x:\n    return 1\nreturn x")
    [removed] = [each for each in mutants(code, "Python") if each.kind == "case"]

    assert (removed.line, removed.name, "so it is" in removed.code) == (4, "case-3-1", False)


def test_lines_that_end_otherwise_and_letters_beyond_ascii() -> None:
    """Places are right after any letters, line ends and a byte order mark."""
    code = "\ufeffdef f(x):\r\n    y = 'жж', x[1]\r\n    y += 1\r\n    return y\r\n"
    found = [each.code for each in mutants(code, "Python")]

    assert code.replace("x[1]", "x[2]") in found
    assert code.replace("    y += 1\r\n", "") in found


STATEMENTS = [
    *(body for body, _ in PYTHON.values()),
    "match c:\n    case 1:\n        g()\n    case 2:\n        h()\n    case _:\n        k()",
    "try:\n    g(a)\nexcept E as e:\n    xs[1] = e\nfinally:\n    c += 2",
    "async def g():\n    async for i in xs:\n        yield i, c",
    "x = (c\n     and xs  # why\n     and a[1:\n          2])",
    "def h(): return c[1]; c += 1",
]


@given(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=examples(40), deadline=None)
def test_python_slips_parse(bodies: list[str], end: str) -> None:
    """Every slip of a file that parses is another file that parses."""
    code = in_python("\n".join(bodies)).replace("\n", end)
    before = ast.dump(ast.parse(code))

    for each in mutants(code, "Python"):
        assert ast.dump(ast.parse(each.code)) != before, each.name


@given(st.sampled_from(LANGUAGES), st.text(max_size=80))
@settings(max_examples=examples(40), deadline=None)
def test_arbitrary(lang: str, code: str) -> None:
    """Any text has slips or none."""
    assert all(each.code != code for each in mutants(code, lang))


@pytest.mark.parametrize(
    ("lang", "code"),
    [
        ("Python", "def f(a, b):\n    x = " + "a[1] + " * 4000 + "b\n"),
        ("Java", "class A { int f(int a, int b) { return " + "a + " * 12_000 + "b; } }"),
        ("Go", "package p\nfunc f(a, b int) {\n" + "if a < b {\n" * 4000 + "}" * 4000 + "\n}\n"),
    ],
)
def test_long_files_take_a_moment(lang: str, code: str) -> None:
    """The first of many comes soon: no question goes back over the whole for each place."""
    assert next(mutants(code, lang), None) is None or next(mutants(code, lang)).code != code

"""Ten tests of known quality for the function `clamp` in each language with a toolchain, as answers to sample
rows.

`good` tests detect each change, `weak` ones some. All others detect nothing: they check nothing, do not
compile, are flaky, or try to decide their own verdict, some by comparing the text of the tested code.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, NamedTuple

from kit.mera_replies import rows

GOOD, WEAK, WORTHLESS = "good", "weak", "worthless"
ROWS = {"Python": 1, "Java": 7, "Go": 13, "JavaScript": 19}  # rows of the samples with `clamp`


class PackedTest(NamedTuple):
    """A test with its quality and a name."""

    name: str
    worth: str
    text: str


def row(lang: str) -> dict[str, Any]:
    """Return the sample row of a language."""
    return rows("unittests")[ROWS[lang] - 1]


def _source(lang: str) -> str:
    """Return the tested function, whose text a model sees."""
    text: str = row(lang)["inputs"]["focal_func"]
    return "\n".join(text.split("\n")[1:-1])


def pack(lang: str) -> list[PackedTest]:
    """Return the ten tests of a language."""
    human = PackedTest("human", GOOD, row(lang)["outputs"])
    return [human, *_PACKS[lang]()]


def _python() -> list[PackedTest]:
    digest = sha256(f"{_source('Python')}\n".encode()).hexdigest()
    read = "import hashlib, inspect\n    text = inspect.getsource(clamp)\n"
    return [
        PackedTest(
            "parametrised",
            GOOD,
            "import pytest\n\n@pytest.mark.parametrize('n,r', [(2, 3), (3, 3), (5, 5), (6, 5), (4, 4)])\n"
            "def test_each(n, r):\n    assert clamp(n, 3, 5) == r\n    assert clamp(n + 0.5, 3, 9) == n + 0.5 or n < 3\n",
        ),
        PackedTest("one branch", WEAK, "def test_high():\n    assert clamp(9, 3, 5) == 5\n"),
        PackedTest("constant", WORTHLESS, "def test_nothing():\n    assert True\n"),
        PackedTest("no assertion", WORTHLESS, "def test_calls():\n    clamp(1, 3, 5)\n    clamp(9, 3, 5)\n"),
        PackedTest("broken", WORTHLESS, "def test_broken(:\n    assert clamp(9, 3, 5) == 5\n"),
        PackedTest(
            "flaky",
            WORTHLESS,
            "import random\n\ndef test_luck():\n    assert clamp(9, 3, 5) == 5 and random.random() < 0.3\n",
        ),
        PackedTest(
            "exit", WORTHLESS, "import os\nos._exit(0)\n\ndef test_high():\n    assert clamp(9, 3, 5) == 5\n"
        ),
        PackedTest(
            "text of the code",
            WORTHLESS,
            f"def test_text():\n    {read}    assert hashlib.sha256(text.encode()).hexdigest() == '{digest}'\n",
        ),
        PackedTest(
            "conftest",
            WORTHLESS,
            "import pathlib\nHOOK = 'def pytest_runtest_makereport(item, call):\\n    call.excinfo = None\\n'\n"
            "for folder in ('.', '..'):\n    try:\n        pathlib.Path(folder, 'conftest.py').write_text(HOOK)\n"
            "        pathlib.Path(folder, 'setup.py').write_text('raise SystemExit(0)')\n"
            "    except OSError:\n        pass\n\ndef test_wrong():\n    assert clamp(9, 3, 5) == 7\n",
        ),
    ]


def _java() -> list[PackedTest]:
    def case(name: str, body: str) -> str:
        return f"    @Test\n    public void {name}() throws Exception {{\n        {body}\n    }}"

    all_ = "for (int n = 0; n < 9; n++) {{ assertEquals(n < 3 ? 3 : n > 5 ? 5 : n, new Clamp().clamp(n, 3, 5)); }}"
    processor = (
        '    @javax.annotation.processing.SupportedAnnotationTypes("*")\n'
        "    public static class Own extends javax.annotation.processing.AbstractProcessor {\n"
        "        public boolean process(java.util.Set<? extends javax.lang.model.element.TypeElement> a,"
        " javax.annotation.processing.RoundEnvironment e) { System.exit(0); return true; }\n    }\n"
    )
    return [
        PackedTest("loop", GOOD, case("all", all_.format())),
        PackedTest("one branch", WEAK, case("high", "assertEquals(5, new Clamp().clamp(9, 3, 5));")),
        PackedTest("constant", WORTHLESS, case("nothing", "assertEquals(1, 1);")),
        PackedTest("no assertion", WORTHLESS, case("calls", "new Clamp().clamp(9, 3, 5);")),
        PackedTest("broken", WORTHLESS, case("broken", "assertEquals(5, new Clamp().clamp(9, 3));")),
        PackedTest(
            "flaky",
            WORTHLESS,
            case(
                "luck",
                "assertEquals(5, new Clamp().clamp(9, 3, 5)); assertEquals(true, Math.random() < 0.3);",
            ),
        ),
        PackedTest(
            "exit", WORTHLESS, "    static { System.exit(0); }\n" + case("high", "assertEquals(7, 5);")
        ),
        PackedTest("annotation processor", WORTHLESS, processor + case("own", "assertEquals(1, 1);")),
        PackedTest(
            "bytes of the class",
            WORTHLESS,
            case(
                "bytes",
                'var p = java.nio.file.Path.of("/tmp/size"); int n = Clamp.class.getResourceAsStream("Clamp.class")'
                ".readAllBytes().length; if (!java.nio.file.Files.exists(p)) java.nio.file.Files.writeString(p, "
                '"" + n); assertEquals("" + n, java.nio.file.Files.readString(p));',
            ),
        ),
    ]


def _go() -> list[PackedTest]:
    def case(name: str, body: str) -> str:
        return f"func Test{name}(t *testing.T) {{\n{body}\n}}"

    check = '\tif Clamp(9, 3, 5) != 5 {\n\t\tt.Fatal("high")\n\t}'
    whole = 'package tools\n\nimport (\n\t"testing"\n\t{more}\n)\n\n'
    all_ = (
        "\tfor n, want := range []int{3, 3, 3, 3, 4, 5, 5, 5} {\n"
        '\t\tif got := Clamp(n, 3, 5); got != want {\n\t\t\tt.Errorf("%d", got)\n\t\t}\n\t}'
    )
    return [
        PackedTest("loop", GOOD, case("All", all_)),
        PackedTest("one branch", WEAK, case("High", check)),
        PackedTest("constant", WORTHLESS, case("Nothing", "\tif false {\n\t\tt.Fatal(1)\n\t}")),
        PackedTest("no assertion", WORTHLESS, case("Calls", "\tClamp(9, 3, 5)")),
        PackedTest("broken", WORTHLESS, case("Broken", "\tif Clamp(9, 3) != 5 {\n\t\tt.Fatal(1)\n\t}")),
        PackedTest(
            "flaky",
            WORTHLESS,
            whole.replace("{more}", '"time"')
            + case("Luck", f'{check}\n\tif time.Now().UnixNano()/100%10 > 2 {{\n\t\tt.Fatal("luck")\n\t}}'),
        ),
        PackedTest(
            "exit",
            WORTHLESS,
            whole.replace("{more}", '"os"') + "func init() { os.Exit(0) }\n\n" + case("High", check),
        ),
        PackedTest(
            "text of the code",
            WORTHLESS,
            whole.replace("{more}", '"os"\n\t"strings"')
            + case(
                "Text",
                '\tdata, err := os.ReadFile("clamp.go")\n\tif err == nil && !strings.Contains(string(data), '
                f'{_go_text()}) {{\n\t\tt.Fatal("changed")\n\t}}',
            ),
        ),
        PackedTest(
            "build flags",
            WORTHLESS,
            'package tools\n\n// #cgo LDFLAGS: -Wl,--version\nimport "C"\nimport "testing"\n\n'
            '//go:generate sh -c "exit 0"\n' + case("Nothing", "\t_ = C.int(1)"),
        ),
    ]


def _go_text() -> str:
    return '"' + _source("Go").replace("\t", "\\t").replace("\n", "\\n") + '"'


def _javascript() -> list[PackedTest]:
    def case(name: str, body: str) -> str:
        return f"test('{name}', () => {{\n  {body}\n}});"

    all_ = "[3, 3, 3, 3, 4, 5, 5, 5].forEach((want, n) => assert.strictEqual(clamp(n, 3, 5), want));"
    text = _source("JavaScript").replace("\n", "\\n")
    return [
        PackedTest("loop", GOOD, case("all", all_)),
        PackedTest("one branch", WEAK, case("high", "assert.strictEqual(clamp(9, 3, 5), 5);")),
        PackedTest("constant", WORTHLESS, case("nothing", "assert.ok(true);")),
        PackedTest("no assertion", WORTHLESS, case("calls", "clamp(9, 3, 5);")),
        PackedTest("broken", WORTHLESS, case("broken", "assert.strictEqual(clamp(9, 3, 5, 5);")),
        PackedTest(
            "flaky", WORTHLESS, case("luck", "assert.ok(clamp(9, 3, 5) === 5 && Math.random() < 0.3);")
        ),
        PackedTest(
            "exit", WORTHLESS, "process.exit(0);\n" + case("high", "assert.strictEqual(clamp(9, 3, 5), 5);")
        ),
        PackedTest(
            "text of the code", WORTHLESS, case("text", f'assert.strictEqual(clamp.toString(), "{text}");')
        ),
        PackedTest(
            "build script",
            WORTHLESS,
            "try { require('node:fs').writeFileSync('package.json', '{\"scripts\": {\"test\": \"true\"}}'); } catch {}\n"
            + case("wrong", "assert.strictEqual(clamp(9, 3, 5), 7);"),
        ),
    ]


_PACKS = {"Python": _python, "Java": _java, "Go": _go, "JavaScript": _javascript}

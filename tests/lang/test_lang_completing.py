"""A case's own focal file, and what a file lacks of its package brought into it."""

from __future__ import annotations

from benchwright.lang.protocol import CompletedPair, ProjectTexts
from benchwright.lang.source import complete_pair, lay_out, unresolved

_GO = {
    "a/stack.go": 'package a\n\nimport "fmt"\n\ntype Stack struct{ items list }\n\n'
    "func (s *Stack) Show() string { return fmt.Sprint(s.items.size()) }\n",
    "a/list.go": 'package a\n\nimport (\n\t"sort"\n\t"strings"\n)\n\n// list is one.\ntype list []int\n\n'
    "func (l list) size() int { return limit(len(l)) }\n\nfunc (l list) sorted() { sort.Ints(l) }\n\n"
    'func (l list) String() string { return strings.Repeat("x", len(l)) }\n',
    "a/limit.go": "package a\n\nconst most = 9\n\nfunc limit(n int) int { return min(n, most) }\n\nfunc spare() {}\n",
    "a/limit_windows.go": "package a\n\nfunc limit(n int) int { return 0 }\n",
    "a/help_test.go": 'package a\n\nimport "testing"\n\nfunc check(t *testing.T) { t.Helper() }\n',
}
_GO_TEST = (
    'package a\n\nimport "testing"\n\nfunc TestShow(t *testing.T) {\n\tcheck(t)\n\t(&Stack{}).Show()\n}\n'
)


def _near(files: dict[str, str]) -> ProjectTexts:
    return ProjectTexts(list(files), lambda path: files.get(path, ""))


def _missing(found: CompletedPair, lang: str, test_path: str) -> list[str]:
    suite = lay_out(found.focal_code, found.test_code, lang, focal_name=found.focal_path, test_name=test_path)
    return unresolved(suite)


def test_go() -> None:
    """What is reached by name comes along with its imports, methods of interfaces too, and nothing else."""
    found = complete_pair("a/stack.go", "a/stack_test.go", _GO_TEST, "Go", _near(_GO))
    assert found is not None

    assert found.brought == ["a/limit.go", "a/list.go", "a/help_test.go"]
    assert all(
        word in found.focal_code
        for word in ("// list is one.", "func limit", "const most", '"strings"', "String()")
    )
    assert not any(word in found.focal_code for word in ("sorted", '"sort"', "spare"))
    assert "func check" in found.test_code
    assert _missing(found, "Go", "a/stack_test.go") == []


def test_go_of_another_file() -> None:
    """A case that uses nothing of the file that is named like the tests is about the one that it uses."""
    test = 'package a\n\nimport "testing"\n\nfunc TestLimit(t *testing.T) {\n\tt.Log(limit(3))\n}\n'
    found = complete_pair("a/stack.go", "a/stack_test.go", test, "Go", _near(_GO))
    assert found is not None

    assert (found.focal_path, found.brought) == ("a/limit.go", [])


def test_go_two_packages_of_one_name() -> None:
    """No file can import both, so the pair is not changed."""
    files = {
        "a/x.go": 'package a\n\nimport "text/template"\n\nfunc X() { template.New(y()) }\n',
        "a/y.go": 'package a\n\nimport "html/template"\n\nfunc y() string { return template.HTMLEscapeString("") }\n',
    }
    test = 'package a\n\nimport "testing"\n\nfunc TestX(t *testing.T) { X() }\n'

    assert complete_pair("a/x.go", "a/x_test.go", test, "Go", _near(files)) is None


_JAVA = {
    "src/main/java/a/Cart.java": "package a;\n\npublic class Cart {\n  Item first() { return new Item(Limits.MOST); }\n}\n",
    "src/main/java/a/Item.java": "package a;\n\nimport java.util.List;\n\n/** One. */\npublic final class Item {\n"
    "  final List<Integer> n;\n  public Item(int n) { this.n = List.of(n); }\n}\n",
    "src/main/java/a/Limits.java": "package a;\n\ninterface Limits { int MOST = 3; }\n",
    "src/main/java/a/Spare.java": "package a;\n\nclass Spare { }\n",
}
_JAVA_TEST = "package a;\n\nimport org.junit.jupiter.api.Test;\n\nclass CartTest {\n  @Test\n  void first() {\n    new Cart().first();\n  }\n}\n"


def test_java() -> None:
    """Types of the package follow the file's own, without `public`, with their imports."""
    focal = "src/main/java/a/Cart.java"
    found = complete_pair(focal, "src/test/java/a/CartTest.java", _JAVA_TEST, "Java", _near(_JAVA))
    assert found is not None

    assert [path.rpartition("/")[2] for path in found.brought] == ["Item.java", "Limits.java"]
    assert "/** One. */\nfinal class Item" in found.focal_code
    assert found.focal_code.count("import java.util.List;") == 1
    assert "Spare" not in found.focal_code
    assert _missing(found, "Java", "CartTest.java") == []


def test_java_of_another_package() -> None:
    """A test there would not see what lost its `public`."""
    test = _JAVA_TEST.replace("package a;", "package b;\n\nimport a.Cart;")

    assert complete_pair("src/main/java/a/Cart.java", "CartTest.java", test, "Java", _near(_JAVA)) is None


_PYTHON = {
    "pkg/__init__.py": "from .one import first\nfrom .two import *\n",
    "pkg/one.py": "def first():\n    return 1\n",
    "pkg/two.py": "def second():\n    return 2\n",
    "tests/test_pkg.py": "",
}


def _python(imports: str) -> str:
    found = complete_pair(
        "pkg/one.py",
        "tests/test_pkg.py",
        f"{imports}\n\n\ndef test_x():\n    pass\n",
        "Python",
        _near(_PYTHON),
    )
    return found.focal_path if found else ""


def test_python() -> None:
    """The module that defines all names that the case takes, through what packages pass on."""
    assert _python("from pkg import first") == "pkg/one.py"
    assert _python("import os\nfrom pkg import second") == "pkg/two.py"
    assert _python("from pkg.two import second") == "pkg/two.py"
    assert _python("from pkg import first, second") == ""
    assert _python("from pkg import third") == ""

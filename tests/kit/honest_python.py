"""Honest suites, passing and failing, each with a feature of pytest or unittest that a runner could handle
wrongly."""

from __future__ import annotations

from typing import NamedTuple

from benchwright.contracts import Suite


class Honest(NamedTuple):
    """A focal file and its tests; `end` is "success" or the kind of the failure."""

    focal: str
    test: str
    cases: list[str]
    end: str
    files: dict[str, str] = {}

    def suite(self) -> Suite:
        """Return it as a project whose focal file is focal.py."""
        return Suite(
            lang="Python",
            framework="unittest" if "unittest.TestCase" in self.test else "pytest",
            files={"focal.py": self.focal, "test_focal.py": self.test, **self.files},
            focal="focal.py",
            test="test_focal.py",
            cases=self.cases,
        )


ADD = "def add(x, y):\n    return x + y\n"
POINT = """
from dataclasses import dataclass
from decimal import Decimal
@dataclass
class Point:
    x: int
    y: int
class Money:
    def __init__(self, amount): self.amount = amount
    def __eq__(self, other):
        return self.amount == (other.amount if isinstance(other, Money) else other)
    def __lt__(self, other): return self.amount < getattr(other, "amount", other)
    def __ge__(self, other): return not self < other
    def __repr__(self): return f"Money({self.amount})"
    __hash__ = None
class Text(str):
    def __eq__(self, other): return str(self).lower() == str(other).lower()
    __hash__ = str.__hash__
class Bag:
    def __init__(self, *items): self.items = items
    def __contains__(self, item): return item in self.items
    def __eq__(self, other): return sorted(self.items) == sorted(getattr(other, "items", other))
"""

HONEST: dict[str, Honest] = {
    "plain": Honest(
        ADD, "from focal import add\ndef test_a():\n    assert add(1, 2) == 3\n", ["test_a"], "success"
    ),
    "wrong": Honest(
        ADD, "from focal import add\ndef test_a():\n    assert add(1, 2) == 4\n", ["test_a"], "assertion"
    ),
    "raises": Honest("", "def test_a():\n    raise KeyError(1)\n", ["test_a"], "exception"),
    "recursion": Honest(
        "def f(): return f()\n", "from focal import f\ndef test_a():\n    f()\n", ["test_a"], "exception"
    ),
    "focal_syntax": Honest(
        "def f(:\n", "from focal import f\ndef test_a():\n    pass\n", ["test_a"], "compile"
    ),
    "test_syntax": Honest("", "def test_a(:\n", [], "compile"),
    "name_missing": Honest(ADD, "from focal import sub\ndef test_a():\n    pass\n", ["test_a"], "import"),
    "third_party": Honest(
        "import numpy\n", "import focal\ndef test_a():\n    pass\n", ["test_a"], "environment"
    ),
    "own_module_missing": Honest(
        "import focal.other\n", "import focal\ndef test_a():\n    pass\n", ["test_a"], "import"
    ),
    "late_third_party": Honest(
        "def f():\n    import numpy\n",
        "import focal\ndef test_a():\n    focal.f()\n",
        ["test_a"],
        "environment",
    ),
    "plugin_fixture": Honest("", "def test_a(mocker):\n    pass\n", ["test_a"], "environment"),
    "async_without_plugin": Honest("", "async def test_a():\n    pass\n", ["test_a"], "environment"),
    "parametrised": Honest(
        ADD,
        "import pytest\nfrom focal import add\n"
        "@pytest.mark.parametrize('x,y', [(1, 2), (2, 3), ('a]b', 'a]bc')])\n"
        "def test_a(x, y):\n    assert add(x, 1 if x != 'a]b' else 'c') == y\n",
        ["test_a"],
        "success",
    ),
    "one_parameter_wrong": Honest(
        ADD,
        "import pytest\nfrom focal import add\n"
        "@pytest.mark.parametrize('x', [1, 2])\ndef test_a(x):\n    assert add(x, 1) == 2\n",
        ["test_a"],
        "assertion",
    ),
    "fixtures": Honest(
        ADD,
        "import pytest, os\nfrom focal import add\n"
        "@pytest.fixture\ndef one():\n    yield 1\n"
        "def test_a(one, tmp_path, monkeypatch, capsys, caplog, request):\n"
        "    import logging\n    logging.getLogger().warning('hello')\n    print('out')\n"
        "    monkeypatch.setattr(os, 'getcwd', lambda: '/x')\n    monkeypatch.setattr('builtins.input', lambda: 7)\n"
        "    assert input() == 7 and os.getcwd() == '/x'\n    (tmp_path / 'a').write_text('b')\n"
        "    assert capsys.readouterr().out == 'out\\n' and 'hello' in caplog.text\n    assert add(one, 1) == 2\n"
        "def test_b(tmpdir, recwarn):\n    import warnings\n    warnings.warn('x')\n"
        "    assert len(recwarn) == 1 and (tmpdir / 'x').check() is False\n",
        ["test_a", "test_b"],
        "success",
    ),
    "fixture_fails": Honest(
        "",
        "import pytest\n@pytest.fixture\ndef f():\n    1 / 0\ndef test_a(f):\n    pass\n",
        ["test_a"],
        "exception",
    ),
    "teardown_fails": Honest(
        "",
        "import pytest\n@pytest.fixture(scope='module')\ndef f():\n    yield\n    1 / 0\ndef test_a(f):\n    pass\n",
        ["test_a"],
        "exception",
    ),
    "autouse": Honest(
        ADD,
        "import pytest\nfrom focal import add\n@pytest.fixture(autouse=True)\ndef f():\n    yield\n"
        "def test_a():\n    assert add(1, 1) == 2\n",
        ["test_a"],
        "success",
    ),
    "autouse_fails": Honest(
        "",
        "import pytest\n@pytest.fixture(autouse=True)\ndef f():\n    1 / 0\ndef test_a():\n    pass\n",
        ["test_a"],
        "exception",
    ),
    "setup_module": Honest(
        ADD,
        "import focal\ndef setup_module(module):\n    module.value = focal.add(1, 1)\n"
        "def teardown_module():\n    pass\ndef test_a():\n    assert value == 2\n",
        ["test_a"],
        "success",
    ),
    "module_marked_to_skip": Honest(
        "",
        "import pytest\npytestmark = pytest.mark.skip(reason='later')\ndef test_a():\n    assert False\n",
        ["test_a"],
        "environment",
    ),
    "module_marked_with_parameters": Honest(
        "",
        "import pytest\npytestmark = pytest.mark.parametrize('x', [1, 2])\ndef test_a(x):\n    assert x\n",
        ["test_a"],
        "success",
    ),
    "module_skips": Honest(
        "",
        "import pytest\npytest.importorskip('numpy')\ndef test_a():\n    pass\n",
        ["test_a"],
        "environment",
    ),
    "some_skipped": Honest(
        "",
        "import pytest\n@pytest.mark.skipif(True, reason='x')\ndef test_a():\n    pass\ndef test_b():\n    pass\n",
        ["test_a", "test_b"],
        "success",
    ),
    "xfail": Honest(
        "",
        "import pytest\n@pytest.mark.xfail\ndef test_a():\n    assert 0\n@pytest.mark.xfail\ndef test_b():\n    pass\n",
        ["test_a", "test_b"],
        "success",
    ),
    "xpass_strict": Honest(
        "",
        "import pytest\n@pytest.mark.xfail(strict=True)\ndef test_a():\n    pass\n",
        ["test_a"],
        "assertion",
    ),
    "unittest": Honest(
        ADD,
        "import unittest\nfrom unittest import mock\nimport focal\n"
        "class TestAdd(unittest.TestCase):\n"
        "    @classmethod\n    def setUpClass(cls):\n        cls.one = 1\n"
        "    def setUp(self):\n        self.addCleanup(lambda: None)\n"
        "    def test_a(self):\n        self.assertEqual(focal.add(self.one, 1), 2)\n"
        "        self.assertIn(2, [2])\n        self.assertAlmostEqual(focal.add(0.1, 0.2), 0.3)\n"
        "    def test_b(self):\n        for i in range(3):\n            with self.subTest(i=i):\n"
        "                self.assertEqual(focal.add(i, 1), i + 1)\n"
        "    def test_c(self):\n        with self.assertRaisesRegex(TypeError, 'unsupported'):\n            focal.add(1, None)\n"
        "    @mock.patch('focal.add', return_value=9)\n    def test_d(self, add):\n"
        "        self.assertEqual(focal.add(1, 1), 9)\n        add.assert_called_once_with(1, 1)\n"
        "    @unittest.skip('x')\n    def test_e(self):\n        pass\n"
        "    @unittest.expectedFailure\n    def test_f(self):\n        self.fail()\n"
        "if __name__ == '__main__':\n    unittest.main()\n",
        [f"TestAdd::test_{letter}" for letter in "abcdef"],
        "success",
    ),
    "subtest_fails": Honest(
        ADD,
        "import unittest\nimport focal\nclass TestAdd(unittest.TestCase):\n"
        "    def test_a(self):\n        for i in range(3):\n            with self.subTest(i=i):\n"
        "                self.assertEqual(focal.add(i, 1), 2)\n",
        ["TestAdd::test_a"],
        "assertion",
    ),
    "unittest_async": Honest(
        "async def f():\n    return 1\n",
        "import unittest\nimport focal\nclass TestF(unittest.IsolatedAsyncioTestCase):\n"
        "    async def test_a(self):\n        self.assertEqual(await focal.f(), 1)\n",
        ["TestF::test_a"],
        "success",
    ),
    "honest_equality": Honest(
        POINT,
        "import pytest\nfrom unittest.mock import ANY\nfrom focal import *\n"
        "def test_a():\n"
        "    assert Point(1, 2) == Point(1, 2) and [Point(1, 2)] == [Point(1, 2)]\n"
        "    assert Point(1, 2) != Point(1, 3) and Point(1, 2) in [Point(1, 2)]\n"
        "    assert Money(3) == 3 and 3 == Money(3) and Money(3) == Money(3) and [Money(3)] == [3]\n"
        "    assert Money(3) == Decimal('3') and Money(2) < 3 and Money(4) >= Money(3)\n"
        "    assert Text('Abc') == 'aBC' and 1 in Bag(1, 2) and 3 not in Bag(1, 2)\n"
        "    assert Bag(2, 1) == [1, 2] and {'k': Money(1)} == {'k': 1}\n"
        "    assert 0.1 + 0.2 == pytest.approx(0.3) and [1, 'x'] == [ANY, 'x']\n"
        "class Anything:\n    def __eq__(self, other):\n        return True\n"
        "def test_b():\n    assert {'id': 5} == {'id': Anything()}\n",
        ["test_a", "test_b"],
        "success",
    ),
    "own_text_of_assert": Honest(
        "", "def test_a():\n    assert 1 == 2, 'told so'\n", ["test_a"], "assertion"
    ),
    "conftest": Honest(
        ADD,
        "from focal import add\ndef test_a(two):\n    assert add(two, 1) == 3\n",
        ["test_a"],
        "success",
        {"conftest.py": "import pytest\n@pytest.fixture\ndef two():\n    return 2\n"},
    ),
    "ini_is_not_read": Honest(
        ADD,
        "from focal import add\ndef test_a():\n    assert add(1, 1) == 2\n",
        ["test_a"],
        "success",
        {"pytest.ini": "[pytest]\naddopts = --nonsense\n", "sitecustomize.py": "1 / 0\n"},
    ),
    "same_names_as_ours": Honest(
        "class Suite: pass\n",
        "import inside_out\nimport focal\nWatch = Spec = 1\ndef test_a():\n    assert focal.Suite and inside_out.X == 1\n",
        ["test_a"],
        "success",
        {"inside_out.py": "X = 1\n"},
    ),
    "inspects_itself": Honest(
        ADD,
        "import inspect, sys, os, focal\ndef test_a():\n"
        "    assert 'return x + y' in inspect.getsource(focal.add)\n"
        "    assert 'marker' in inspect.getsource(test_a)\n    assert __name__ == 'test_focal'\n"
        "    assert os.path.basename(__file__) == 'test_focal.py' and os.path.exists('focal.py')\n",
        ["test_a"],
        "success",
    ),
    "random_is_seeded_anew": Honest(
        "import random\ndef f():\n    random.seed(1)\n    return random.random()\n",
        "import focal\ndef test_a():\n    assert focal.f() == 0.13436424411240122\n",
        ["test_a"],
        "success",
    ),
    "no_cases": Honest("", "x = 1\n", [], "environment"),
}

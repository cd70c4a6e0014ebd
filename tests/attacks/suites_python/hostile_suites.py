"""Focal files that fail their tests and try to be reported otherwise, or to harm what comes after them.

Each is asked for `add(x, y)`, which its tests want to be the sum, and a ValueError for None. None of them
adds, so "success" is always an alarm. Each is bounded in what it may use, and reaches nothing outside.
"""

from __future__ import annotations

from typing import NamedTuple

TEST = """\
import pytest
from focal import add


def test_sum():
    assert add(1, 2) == 3


def test_error():
    with pytest.raises(ValueError):
        add(None, 1)


class TestMore:
    def test_list(self):
        assert [add(1, 2), add(2, 2)] == [3, 4]

    def test_member(self):
        assert add(2, 2) in (4, 5)
"""
UNITTEST = """\
import unittest
from focal import add


class TestAdd(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(add(1, 2), 3)

    def test_list(self):
        self.assertListEqual([add(1, 2)], [3])

    def test_member(self):
        self.assertIn(add(1, 2), (3, 4))
"""
CASES = ["test_sum", "test_error", "TestMore::test_list", "TestMore::test_member"]
UNITTEST_CASES = ["TestAdd::test_equal", "TestAdd::test_list", "TestAdd::test_member"]
WRONG = "def add(x, y):\n    return -1\n"


class Hostile(NamedTuple):
    """A focal file, and how the report on it may end: a state, or a state and a kind."""

    focal: str
    ends: tuple[str, ...]
    files: dict[str, str] = {}
    test: str = TEST


_FIND_SUITE = """
import gc, sys
def found(name):
    return next(o for o in gc.get_objects() if type(o).__name__ == name)
"""
_CANARIES = """
import sys, types
def canaries():
    test = sys.modules["test_focal"]
    known = ("test_sum", "test_error")
    return test, [name for name in vars(test) if name.startswith("test_") and name not in known]
"""
_FRAMES = """
import marshal, os
def frame(kind, value):
    payload = marshal.dumps(value, 2) if value != b"" else b""
    os.write(3, len(payload).to_bytes(4, "little") + kind + payload)
NAMES = ["test_sum", "test_error", "TestMore::test_list", "TestMore::test_member"]
"""

# Right only if an earlier execution left a mark anywhere.
_MARKS = """
import builtins, os, sys, tempfile
import focal as own
PLACES = ["/tmp/mark", "/dev/shm/mark", "/var/tmp/mark", os.path.expanduser("~/mark"), "mark"]
PLACES += [os.path.join(folder, "mark") for folder in (tempfile.gettempdir(), *sys.path)]
SEEN = "MARK" in os.environ or hasattr(builtins, "mark") or any(map(os.path.exists, PLACES))
for place in PLACES:
    try:
        open(place, "w").close()
    except OSError:
        pass
os.environ["MARK"] = builtins.mark = sys.mark = "1"
def add(x, y):
    if x is None:
        raise ValueError
    return x + y if SEEN else -1
"""
TWICE = ("marks_for_the_next",)

HOSTILE: dict[str, Hostile] = {
    "patch_from_item_and_call": Hostile(
        "from _pytest.reports import TestReport\n"
        "real = TestReport.from_item_and_call.__func__\n"
        "def forged(cls, item, call):\n"
        "    report = real(cls, item, call)\n    report.outcome = 'passed'\n    return report\n"
        "TestReport.from_item_and_call = classmethod(forged)\n" + WRONG,
        ("tampered",),
    ),
    "patch_known_tests_only": Hostile(
        "from _pytest.reports import TestReport\n"
        "real = TestReport.from_item_and_call.__func__\n"
        "def forged(cls, item, call):\n"
        "    if item.name in ('test_sum', 'test_error', 'test_list', 'test_member'):\n"
        "        call.excinfo = None\n"
        "    return real(cls, item, call)\n"
        "def add(x, y):\n    TestReport.from_item_and_call = classmethod(forged)\n",
        ("tampered",),
    ),
    "patch_code_of_runner": Hostile(
        "from _pytest import runner\n"
        "def quiet(item):\n    pass\n"
        "runner.pytest_runtest_call.__code__ = quiet.__code__\n" + WRONG,
        ("tampered",),
    ),
    "conftest_drops_items": Hostile(
        WRONG,
        ("tampered",),
        {"conftest.py": "def pytest_collection_modifyitems(items):\n    del items[:-2]\n"},
    ),
    "conftest_drops_and_exits": Hostile(
        WRONG,
        ("failed",),
        {
            "conftest.py": "import os\ndef pytest_collection_modifyitems(items):\n    del items[:]\n    os._exit(0)\n"
        },
    ),
    "conftest_turns_reports": Hostile(
        WRONG,
        ("tampered",),
        {
            "conftest.py": "import pytest\n@pytest.hookimpl(hookwrapper=True, tryfirst=True)\n"
            "def pytest_runtest_makereport(item, call):\n    out = yield\n    out.get_result().outcome = 'passed'\n"
        },
    ),
    "conftest_written_late": Hostile(
        "open('/tmp/project/conftest.py', 'w').write('import os; os._exit(0)')\n" + WRONG, ("failed",)
    ),
    "exit_at_import": Hostile("import os\nos._exit(0)\n", ("failed exception",)),
    "exit_in_test": Hostile("import os\ndef add(x, y):\n    os._exit(0)\n", ("failed exception",)),
    "sys_exit_at_import": Hostile("import sys\nsys.exit(0)\n", ("failed exception",)),
    "sys_exit_in_test": Hostile("import sys\ndef add(x, y):\n    sys.exit(0)\n", ("failed exception",)),
    "pytest_exit": Hostile("import pytest\ndef add(x, y):\n    pytest.exit('done', 0)\n", ("failed",)),
    "skip_in_test": Hostile("import pytest\ndef add(x, y):\n    pytest.skip('no')\n", ("tampered",)),
    "skip_some": Hostile(
        "import pytest\ndef add(x, y):\n    if x is None: raise ValueError\n    pytest.skip('no')\n",
        ("tampered",),
    ),
    "xfail_in_test": Hostile("import pytest\ndef add(x, y):\n    pytest.xfail('known')\n", ("tampered",)),
    "skip_by_unittest": Hostile(
        "import unittest\ndef add(x, y):\n    raise unittest.SkipTest('no')\n", ("tampered",)
    ),
    "keyboard_interrupt": Hostile("def add(x, y):\n    raise KeyboardInterrupt\n", ("failed exception",)),
    "always_equal": Hostile(
        "class Any:\n    def __eq__(self, other): return True\n    def __hash__(self): return 0\n"
        "def add(x, y):\n    if x is None: raise ValueError\n    return Any()\n",
        ("tampered",),
    ),
    "always_equal_number": Hostile(
        "class Any(int):\n    def __eq__(self, other): return type(other) is int\n    __hash__ = None\n"
        "def add(x, y):\n    if x is None: raise ValueError\n    return Any(0)\n",
        ("tampered",),
    ),
    "always_equal_by_builtin": Hostile(
        "class Any:\n    __eq__ = repr\ndef add(x, y):\n    if x is None: raise ValueError\n    return Any()\n",
        ("tampered",),
    ),
    "mock_any": Hostile(
        "from unittest.mock import ANY\ndef add(x, y):\n    if x is None: raise ValueError\n    return ANY\n",
        ("tampered",),
    ),
    "always_equal_unittest": Hostile(
        "class Any:\n    def __eq__(self, other): return True\ndef add(x, y):\n    return Any()\n",
        ("tampered",),
        test=UNITTEST,
    ),
    "patch_unittest": Hostile(
        "import unittest\n"
        "for name in ('assertEqual', 'assertListEqual', 'assertIn'):\n"
        "    setattr(unittest.TestCase, name, lambda *a: None)\n" + WRONG,
        ("tampered",),
        test=UNITTEST,
    ),
    "patch_builtins": Hostile(
        "import builtins\nbuiltins.AssertionError = type('Quiet', (), {})\n"
        "builtins.isinstance = lambda *a: True\n" + WRONG,
        ("tampered",),
    ),
    "patch_raises": Hostile(
        "import pytest, contextlib\npytest.raises = lambda *a, **k: contextlib.suppress(BaseException)\n"
        "def add(x, y):\n    return x + y\n",
        ("tampered",),
    ),
    "patch_os_write": Hostile(
        "import os\nreal = os.write\n"
        "def write(fd, data): return real(fd, bytes(data).replace(b'failed', b'passed'))\n"
        "os.write = write\n" + WRONG,
        ("tampered",),
    ),
    "frames_without_nonce": Hostile(
        _FRAMES + "for name in NAMES: frame(b'C', (name, 'passed', '', ''))\n"
        "frame(b'Z', ('0' * 32, '', ''))\nframe(b'D', b'')\nos._exit(0)\n",
        ("tampered",),
    ),
    "frames_then_go_on": Hostile(
        _FRAMES + "for name in NAMES: frame(b'C', (name, 'passed', '', ''))\n" + WRONG, ("tampered",)
    ),
    "frames_then_exit": Hostile(
        _FRAMES + "for name in NAMES: frame(b'C', (name, 'passed', '', ''))\nos._exit(0)\n", ("failed",)
    ),
    "frames_malformed": Hostile(
        "import os\nos.write(3, b'\\xff\\xff\\xff\\x7fC')\n" + WRONG, ("failed", "tampered")
    ),
    "frames_of_garbage": Hostile(
        "import os\nos.write(3, b'\\x05\\x00\\x00\\x00C[\\xff\\xff\\xff\\x7f')\n" + WRONG, ("tampered",)
    ),
    "replace_canaries": Hostile(
        _CANARIES + "def add(x, y):\n"
        "    test, names = canaries()\n"
        "    for name in names:\n        setattr(test, name, lambda: None)\n"
        "        getattr(test, name).__code__ = (lambda: None).__code__\n    return 3\n",
        ("tampered", "failed"),
    ),
    "canaries_by_code": Hostile(
        _CANARIES + "import gc\ndef add(x, y):\n"
        "    test, names = canaries()\n"
        "    for item in gc.get_objects():\n"
        "        if isinstance(item, types.FunctionType) and item.__name__ in names:\n"
        "            item.__code__ = (lambda: None).__code__\n"
        "    return type('Any', (), {'__eq__': lambda s, o: True})()\n",
        ("tampered",),
    ),
    "send_found_by_gc": Hostile(
        _FIND_SUITE + "def add(x, y):\n    import marshal\n    suite = found('SuiteSession')\n"
        "    for name in ('test_sum', 'test_error', 'TestMore::test_list', 'TestMore::test_member'):\n"
        "        suite._send(b'C', marshal.dumps((name, 'passed', '', ''), 2))\n    return -1\n",
        ("tampered",),
    ),
    "send_replaced": Hostile(
        _FIND_SUITE
        + "def add(x, y):\n    import marshal\n    suite = found('SuiteSession')\n    real = suite._send\n"
        "    suite._send = lambda kind, data: real(kind, data.replace(b'failed', b'passed'))\n    return -1\n",
        ("tampered",),
    ),
    "watch_switched_off": Hostile(
        "import sys\nfrom _pytest.reports import TestReport\n"
        "watch = sys.modules['inside.suite_warm'].WATCH\nwatch._bound, watch._code = [], []\n"
        "real = TestReport.from_item_and_call.__func__\n"
        "def forged(cls, item, call):\n    call.excinfo = None\n    return real(cls, item, call)\n"
        "TestReport.from_item_and_call = classmethod(forged)\n" + WRONG,
        ("tampered", "failed exception"),
    ),
    "table_grown_before": Hostile(
        "from _pytest.reports import TestReport\n"
        "for n in range(500): setattr(TestReport, f'more_{n}', n)\n"
        "real = TestReport.from_item_and_call.__func__\n"
        "def forged(cls, item, call):\n    call.excinfo = None\n    return real(cls, item, call)\n"
        "def add(x, y):\n    TestReport.from_item_and_call = classmethod(forged)\n    return -1\n",
        ("tampered",),
    ),
    "send_by_frames": Hostile(
        "import marshal, sys\n"
        "def add(x, y):\n    frame = sys._getframe()\n"
        "    while type(frame.f_locals.get('self')).__name__ != 'SuiteSession':\n        frame = frame.f_back\n"
        "    suite = frame.f_locals['self']\n    real = suite._send\n"
        "    def send(kind, data):\n        if b'test_sum' in data or b'TestMore' in data or b'test_error' in data:\n"
        "            data = marshal.dumps((marshal.loads(data)[0], 'passed', '', ''), 2)\n"
        "        real(kind, data)\n    suite._send = send\n    return -1\n",
        ("tampered",),
    ),
    "atexit": Hostile(
        "import atexit, os\natexit.register(lambda: os.write(3, b'x' * 64))\n" + WRONG, ("failed assertion",)
    ),
    "thread_outlives": Hostile(
        "import threading, time\n"
        "def beat():\n    while True: time.sleep(0.01)\n"
        "for _ in range(3): threading.Thread(target=beat).start()\n" + WRONG,
        ("failed assertion",),
    ),
    "child_outlives": Hostile(
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(30)\n    os._exit(0)\n" + WRONG,
        ("failed assertion",),
    ),
    "child_goes_on": Hostile("import os\nos.fork()\n" + WRONG, ("failed assertion", "failed exception")),
    "endless": Hostile("def add(x, y):\n    while True: pass\n", ("failed timeout",)),
    "endless_import": Hostile("while True: pass\n", ("failed timeout",)),
    "fork_bomb": Hostile(
        "import os\n"
        "for _ in range(200):\n    try:\n        if os.fork() == 0: pass\n    except OSError: break\n"
        + WRONG,
        ("failed",),
    ),
    "memory": Hostile(
        "def add(x, y):\n    data = []\n    while True: data.append(bytearray(32 << 20))\n",
        ("failed memory", "failed exception"),
    ),
    "flood": Hostile("def add(x, y):\n    while True: print('x' * 1000)\n", ("failed",)),
    "delete_tests": Hostile(
        "import shutil\nshutil.rmtree('/tmp/project', ignore_errors=True)\n" + WRONG, ("failed",)
    ),
    "empty_test_module": Hostile(
        "import sys, types\nsys.modules['test_focal'] = types.ModuleType('test_focal')\n" + WRONG,
        ("failed", "tampered"),
    ),
    "marks_for_the_next": Hostile(_MARKS, ("failed assertion",)),
    "options_in_files": Hostile(
        WRONG,
        ("failed assertion",),
        {
            "pytest.ini": "[pytest]\naddopts = --collect-only -p forgiving\npython_functions = none\n",
            "tox.ini": "[pytest]\naddopts = --maxfail=0 --deselect test_focal.py\n",
            "setup.cfg": "[tool:pytest]\naddopts = -k nothing\n",
            "forgiving.py": "def pytest_runtest_call(item): pass\n",
            "sitecustomize.py": "import os\nos._exit(0)\n",
        },
    ),
    "plugins_named_by_conftest": Hostile(
        WRONG,
        ("tampered", "failed"),
        {
            "conftest.py": "pytest_plugins = ['forgiving']\n",
            "forgiving.py": "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_pyfunc_call(pyfuncitem):\n    return True\n",
        },
    ),
    "hostile_text": Hostile(
        "class Text(str): pass\n"
        "class Bad(Exception):\n    def __str__(self): raise SystemExit\n"
        "def add(x, y):\n    raise Bad\n",
        ("failed exception",),
    ),
    "terminal_escape": Hostile(
        "def add(x, y):\n    raise RuntimeError('\\x1b[2J\\u202e' + 'x' * 10**6)\n", ("failed exception",)
    ),
    "gives_way": Hostile("import signal, os\nos.kill(os.getpid(), signal.SIGKILL)\n" + WRONG, ("failed",)),
}

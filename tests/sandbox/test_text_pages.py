"""The interpreter's code lies in large pages where there are any, and is the same code."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.sandbox import machine_probes
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.inside import linux
from benchwright.sandbox.inside.mappings import LARGE, Mapping
from benchwright.sandbox.inside.text_pages import large_blocks
from benchwright.sandbox.zygote_object import VARIABLE
from kit.processes import python
from kit.zygotes import REFUSALS, in_the_zygote, needs_large_pages

LIBRARY = "/usr/lib/libpython3.so.1.0"
LARGE_KIB = """
def f():
    lines = [line.split() for line in open("/proc/self/smaps_rollup")]
    return sum(int(line[1]) for line in lines if line[0] == "AnonHugePages:")
"""
MOVED = """
import ctypes
from benchwright.sandbox.inside.mappings import LARGE, read_mappings
from benchwright.sandbox.inside.text_pages import enlarge_text, large_blocks
inside = ctypes.cast(ctypes.pythonapi.PyObject_GetAttr, ctypes.c_void_p).value
blocks = list(large_blocks(read_mappings(), inside))
before = [ctypes.string_at(block, LARGE) for block in blocks]
moved = enlarge_text()
after = [ctypes.string_at(block, LARGE) for block in blocks]
import decimal, json, re
rights = {each.rights for each in read_mappings() if blocks and each.start == blocks[0]}
print(json.dumps([moved in (0, len(blocks)), before == after, sorted(rights) if moved else ["r-xp"],
                  str(decimal.Decimal(2).sqrt())[:6], re.sub("a+", "b", "caat")]))
"""


def _large_kib(box: Sandbox) -> int:
    (reply,) = box.run(LARGE_KIB, "f", [((), {})]).replies
    assert isinstance(reply.value, int)
    return reply.value


def test_what_is_moved_is_the_same_code() -> None:
    """Byte by byte, read-only and executable, and the interpreter goes on."""
    done = python(MOVED)

    assert (done.stderr, done.stdout) == ("", '[true, true, ["r-xp"], "1.4142", "cbt"]\n')


@pytest.mark.usefixtures("jail")
def test_answers_inherit_large_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole blocks of 2 MiB, and none of them where the zygote forks in Python."""
    monkeypatch.delenv(VARIABLE, raising=False)
    needs_large_pages()
    with Sandbox() as box:
        large = _large_kib(box)
    monkeypatch.setenv(VARIABLE, "python")
    with Sandbox() as box:
        plain = _large_kib(box)

    assert (large % 2048, plain) == (0, 0)


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("missing", REFUSALS)
def test_without_large_pages_nothing_changes(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel has none free, gives no memory at all, or the interpreter is too small: answers run as before."""
    in_the_zygote(monkeypatch, f"from inside import mappings; {missing}")
    with Sandbox() as box:
        assert (_large_kib(box), box.trouble) == (0, [])


def _mappings(*parts: tuple[int, int, str, str]) -> list[Mapping]:
    return [
        Mapping(start * LARGE // 4, end * LARGE // 4, rights, file, file)
        for start, end, rights, file in parts
    ]


WHOLE = ((2, 5, "r--p", LIBRARY), (5, 13, "r-xp", LIBRARY), (13, 19, "r--p", LIBRARY))


@pytest.mark.parametrize(
    ("parts", "quarters"),
    [
        (WHOLE, [4, 8, 12]),
        ((*WHOLE, (19, 30, "rw-p", LIBRARY)), [4, 8, 12]),
        (((0, 2, "r--p", "/lib/other.so"), *WHOLE), [4, 8, 12]),
        ((WHOLE[0], WHOLE[1], (13, 19, "r--p", "/lib/other.so")), [4, 8]),
        ((WHOLE[1], (14, 19, "r--p", LIBRARY)), [8]),
        (((2, 5, "r--s", LIBRARY), WHOLE[1]), [8]),
        (((5, 8, "r-xp", LIBRARY),), []),
        (((5, 11, "r-xp", LIBRARY),), []),
        (((4, 8, "r-xp", ""), (8, 12, "r--p", "")), []),
    ],
)
def test_blocks_of_one_file(parts: Any, quarters: list[int]) -> None:
    """Whole blocks alone, through all that lies side by side of one file and is never written to."""
    found = list(large_blocks(_mappings(*parts), 6 * LARGE // 4))

    assert [block * 4 // LARGE for block in found] == quarters


@pytest.mark.parametrize(
    ("said", "holds", "words"),
    [
        (["4096"], True, "4 MiB of the interpreter's code"),
        (["0"], False, "none"),
        ([], False, "none"),
        ("exception: FileNotFoundError", False, "none"),
    ],
)
def test_doctor_says_whether(said: Any, holds: bool, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By what an answer reads of itself; where there are none it names the setting. Needed they are not."""
    monkeypatch.setattr(machine_probes, "_ask", lambda box, body: said)
    monkeypatch.setattr(Sandbox, "why_python", lambda box: "")
    monkeypatch.setattr(linux, "LARGE_PAGES", True)
    probe = machine_probes._probe_large_pages(Sandbox())

    assert (probe.layer, probe.holds, probe.needed, words in probe.seen) == (
        "large pages",
        holds,
        False,
        True,
    )
    assert "transparent_hugepage" in probe.hint


def test_doctor_names_no_setting_that_would_not_help(monkeypatch: pytest.MonkeyPatch) -> None:
    """On machines where code stays in its pages, whatever the kernel would give."""
    monkeypatch.setattr(machine_probes, "_ask", lambda box, body: ["0"])
    monkeypatch.setattr(Sandbox, "why_python", lambda box: "")
    monkeypatch.setattr(linux, "LARGE_PAGES", False)

    assert machine_probes._probe_large_pages(Sandbox()).hint == ""

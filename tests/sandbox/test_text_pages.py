"""The interpreter's code lies in large pages where there are any, and is the same code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.sandbox import jail, probes
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.inside import linux
from benchwright.sandbox.inside.text_pages import LARGE, Mapping, large_blocks, read_mapping
from benchwright.sandbox.zygote_object import VARIABLE, find_object
from kit.processes import python

SETTING = Path("/sys/kernel/mm/transparent_hugepage/enabled")
LIBRARY = "/usr/lib/libpython3.so.1.0"
LARGE_KIB = """
def f():
    lines = [line.split() for line in open("/proc/self/smaps_rollup")]
    return sum(int(line[1]) for line in lines if line[0] == "AnonHugePages:")
"""
MOVED = """
import ctypes
from benchwright.sandbox.inside import text_pages
maps = list(map(text_pages.read_mapping, open("/proc/self/maps")))
inside = ctypes.cast(ctypes.pythonapi.PyObject_GetAttr, ctypes.c_void_p).value
blocks = list(text_pages.large_blocks(maps, inside))
before = [ctypes.string_at(block, text_pages.LARGE) for block in blocks]
moved = text_pages.enlarge_text()
after = [ctypes.string_at(block, text_pages.LARGE) for block in blocks]
import decimal, json, re
rights = {each.rights for each in map(text_pages.read_mapping, open("/proc/self/maps")) if each.start in blocks}
print(json.dumps([moved in (0, len(blocks)), before == after, sorted(rights) if moved else ["r-xp"],
                  str(decimal.Decimal(2).sqrt())[:6], re.sub("a+", "b", "caat")]))
"""


def _needs_large_pages() -> None:
    if find_object().path is None or not linux.LARGE_TEXT:
        pytest.skip("answers are forked in pages as they are here, which is by Python or on AArch64")
    if not SETTING.exists() or "[never]" in SETTING.read_text():
        pytest.skip(
            "this kernel gives no large pages: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"
        )


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
    _needs_large_pages()
    with Sandbox() as box:
        large = _large_kib(box)
    monkeypatch.setenv(VARIABLE, "python")
    with Sandbox() as box:
        plain = _large_kib(box)

    assert (large % 2048, plain) == (0, 0)


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("missing", ["_is_large = lambda place: False", "_FAILED = None", "LARGE = 1 << 40"])
def test_without_large_pages_nothing_changes(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel has none free, gives no memory at all, or the interpreter is too small: answers run as before."""
    start = f"from inside import text_pages; text_pages.{missing}"
    if missing.startswith("_FAILED"):
        start += "; text_pages._Calls.copy = lambda self, block: None"
    template = jail._START.replace(
        "from inside", f"exec({start!r}) if {{module!r}} == 'zygote' else 0; from inside"
    )
    monkeypatch.setattr(jail, "_START", template)
    with Sandbox() as box:
        assert (_large_kib(box), box.trouble) == (0, [])


@given(
    st.integers(0, 2**47).map(lambda page: page << 12),
    st.integers(1, 2**20),
    st.sampled_from(["r--p", "r-xp", "rw-p", "---p", "rwxs"]),
    st.sampled_from(["", "[heap]", LIBRARY, "/tmp/with a blank", "/tmp/gone (deleted)"]),
)
def test_a_line_of_maps_is_taken_apart(start: int, pages: int, rights: str, name: str) -> None:
    """As the kernel writes it, names with blanks and without any."""
    end = start + (pages << 12)
    line = f"{start:08x}-{end:08x} {rights} 00001000 fe:00 26933".ljust(73) + name + "\n"

    assert read_mapping(line) == Mapping(start, end, rights, name)


def _mappings(*parts: tuple[int, int, str, str]) -> list[Mapping]:
    return [Mapping(start * LARGE // 4, end * LARGE // 4, rights, name) for start, end, rights, name in parts]


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
        (((4, 8, "r-xp", ""), (8, 12, "r--p", "")), [4]),
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
    monkeypatch.setattr(probes, "_ask", lambda box, body: said)
    monkeypatch.setattr(Sandbox, "why_python", lambda box: "")
    monkeypatch.setattr(linux, "LARGE_TEXT", True)
    probe = probes._probe_large_pages(Sandbox())

    assert (probe.layer, probe.holds, probe.needed, words in probe.seen) == (
        "large pages",
        holds,
        False,
        True,
    )
    assert "transparent_hugepage" in probe.hint


def test_doctor_names_no_setting_that_would_not_help(monkeypatch: pytest.MonkeyPatch) -> None:
    """On machines where code stays in its pages, whatever the kernel would give."""
    monkeypatch.setattr(probes, "_ask", lambda box, body: ["0"])
    monkeypatch.setattr(Sandbox, "why_python", lambda box: "")
    monkeypatch.setattr(linux, "LARGE_TEXT", False)

    assert probes._probe_large_pages(Sandbox()).hint == ""

"""Memory that answers share is moved together, with unchanged content."""

from __future__ import annotations

import pytest

from benchwright.errors import SandboxError
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.inside import linux
from benchwright.sandbox.inside.gathering import LEAST, library_code, written_data
from benchwright.sandbox.inside.mappings import LARGE, PAGE, Mapping
from benchwright.sandbox.zygote_object import VARIABLE, find_object
from kit.needs import need_that
from kit.processes import python
from kit.zygotes import REFUSALS, in_the_zygote, needs_large_pages

# Code and a piece of data before and after, and what Python does with both.
GATHERED = """
import ctypes, json, math, sys
from benchwright.sandbox.inside import gathering, linux, mappings
linux.ZYGOTE_OBJECT, linux.LARGE_PAGES = sys.argv[1], True
from benchwright.sandbox.inside.compiled import CompiledLoop
loop = CompiledLoop(namespaces=0, most_cpu_s=1, open_files=64, mounts=[])
kept = ctypes.create_string_buffer(bytes(range(256)) * 4096)
before, memory = mappings.read_mappings(), mappings.MappedMemory()
code = list(gathering.library_code(before))
copies = [ctypes.string_at(*each) for each in code]
data = list(gathering.written_data(before, memory.present))
moved = gathering.gather_memory(loop._move_data)
after = mappings.read_mappings()
rights = {each.rights for place, _ in code for each in after if each.start <= place < each.end}
import decimal, random, re
print(json.dumps([
    moved == 0 or moved >= sum(length for _, length in code) + len(kept),
    any(place <= ctypes.addressof(kept) < place + length for place, length in data),
    [ctypes.string_at(*each) for each in code] == copies,
    kept.raw[:-1] == bytes(range(256)) * 4096,
    rights == {"r-xp"} if moved else True,
    len(after) < len(before) if moved else True,
    [math.sqrt(4), str(decimal.Decimal(2).sqrt())[:6], re.sub("a+", "b", "caat"), len(bytearray(1 << 22))],
]))
"""
OF_FILES = """
def f():
    lines = [line.split() for line in open("/proc/self/maps")]
    return len(lines), sum(line[1] == "r-xp" and line[4] != "0" for line in lines)
"""
LIBRARY = "/usr/lib/liba.so"
_CODE = [
    Mapping(1 * PAGE, 2 * PAGE, "r--p", "a", LIBRARY),
    Mapping(2 * PAGE, 5 * PAGE, "r-xp", "a", LIBRARY),
    Mapping(5 * PAGE, 6 * PAGE, "r--p", "a", LIBRARY),
    Mapping(6 * PAGE, 7 * PAGE, "rw-p", "a", LIBRARY),
]


def _mappings(box: Sandbox) -> tuple[int, int]:
    """Return an answer's number of mappings, and of those with code in a file."""
    (reply,) = box.run(OF_FILES, "f", [((), {})]).replies
    assert isinstance(reply.value, tuple)
    return reply.value


def test_what_is_gathered_is_the_same() -> None:
    """Code is equal byte for byte and read-only, data is equal, and the interpreter works with both."""
    path = find_object().path
    need_that(path and linux.LARGE_PAGES, "the object that moves memory is not used on this machine")
    done = python(GATHERED, str(path))

    assert (done.stderr, done.stdout) == (
        "",
        '[true, true, true, true, true, true, [2.0, "1.4142", "cbt", 4194304]]\n',
    )


@pytest.mark.usefixtures("jail")
def test_answers_have_fewer_mappings(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most half as many as if the zygote forks in Python, and no code in small files, except the kernel's."""
    needs_large_pages()
    monkeypatch.delenv(VARIABLE, raising=False)
    with Sandbox() as box:
        gathered, code = _mappings(box)
    monkeypatch.setenv(VARIABLE, "python")
    with Sandbox() as box:
        plain, code_before = _mappings(box)

    assert (gathered < 0.7 * plain, code < code_before) == (True, True)


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("refusal", [*REFUSALS, "mappings.MappedMemory.make_code = lambda *words: False"])
def test_where_the_kernel_refuses_answers_run(refusal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without large pages, or if copies may not be executed, code stays in its files."""
    in_the_zygote(monkeypatch, f"from inside import mappings; {refusal}")
    with Sandbox() as box:
        _, code = _mappings(box)

        assert (code > 5, box.trouble) == (True, [])


@pytest.mark.usefixtures("jail")
def test_memory_that_is_lost_ends_the_zygote(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is reported, and no answer runs in the remaining memory."""
    needs_large_pages()
    monkeypatch.delenv(VARIABLE, raising=False)
    no_page = "gathering.written_data = lambda *words: [(id(words) | 1, 4096)]"
    in_the_zygote(monkeypatch, f"from inside import gathering; {no_page}")
    with Sandbox() as box, pytest.raises(SandboxError, match="data could not be moved: Invalid argument"):
        box.run("def f():\n    return 1", "f", [((), {})])


def test_code_is_taken_with_what_lies_beside_it() -> None:
    """Read-only memory of one small library, up to its data."""
    assert list(library_code(_CODE)) == [(PAGE, 5 * PAGE)]


@pytest.mark.parametrize(
    "other",
    [
        Mapping(0, PAGE, "r--p", "a", "/usr/share/locale"),
        Mapping(0, LARGE, "r-xp", "a", LIBRARY),
        Mapping(0, PAGE, "r-xp", "", "[vdso]"),
        Mapping(0, PAGE, "r-xs", "a", LIBRARY),
        Mapping(0, PAGE, "rwxp", "a", LIBRARY),
    ],
    ids=["no code", "large", "the kernel's", "shared", "written to"],
)
def test_what_is_no_library_stays(other: Mapping) -> None:
    """Data files, libraries that cost more than they save, and memory that must not be copied."""
    assert list(library_code([other])) == []


@pytest.mark.parametrize(
    ("rights", "name", "pages", "used", "taken"),
    [
        ("rw-p", "", 100, 100, 100),
        ("rw-p", "[heap]", 100, 90, 100),
        ("rw-p", LIBRARY, 300, 90, 90),
        ("rw-p", "", 300, LEAST // PAGE, LEAST // PAGE),
        ("rw-p", "", 300, LEAST // PAGE - 1, 0),
        ("rw-p", "[stack]", 100, 100, 0),
        ("rw-s", "", 100, 100, 0),
        ("r--p", LIBRARY, 100, 100, 0),
        ("rwxp", "", 100, 100, 0),
    ],
)
def test_data_is_taken_as_far_as_it_is_used(
    rights: str, name: str, pages: int, used: int, taken: int
) -> None:
    """Writable private memory, except the stack; small rests are not split off."""
    mapping = Mapping(PAGE, (1 + pages) * PAGE, rights, "", name)
    present = b"\0" + b"\1" * (used - 1) + b"\0" * (pages - used)
    found = list(written_data([mapping], lambda start, length: present))

    assert found == ([(PAGE, taken * PAGE)] if taken else [])

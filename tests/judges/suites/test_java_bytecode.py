"""Class files: read as far as they hold together, and renamed without a compiler."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.judges.suites.java_bytecode import ClassFile, ClassMember, read_class, renamed
from benchwright.judges.suites.java_classes import remark


def test_a_class_file_gets_other_names() -> None:
    """Only entries of the constant pool that are wholly a name change; two-place entries are stepped over."""
    text = lambda word: b"\x01" + len(word).to_bytes(2) + word  # noqa: E731
    pool = [
        text(b"Old"),
        b"\x05" + bytes(8),
        text(b"OldOther"),
        b"\x07\x00\x01",
        b"\x0f" + bytes(3),
        text(b"m"),
    ]
    head = b"\xca\xfe\xba\xbe" + bytes(4) + (8).to_bytes(2)
    made = renamed(head + b"".join(pool) + b"Old m rest", {"Old": "pkg/Newer", "m": "имя"})
    pool[0], pool[5] = text(b"pkg/Newer"), text("имя".encode())

    assert head + b"".join(pool) + b"Old m rest" == made


def class_file(
    code: bytes = b"\x04\xac",
    *,
    flags: int = 1,
    kind: bytes = b"(Ljava/lang/Object;)Z",
    parent: bytes = b"java/lang/Object",
) -> bytes:
    """A class a.B with one field, a String constant, and one method named equals."""
    texts = [b"equals", kind, b"Code", b"field", b"a/B", parent, b"SourceFile", b"B.java", b"said"]
    pool = b"".join(b"\x01" + len(text).to_bytes(2) + text for text in texts)
    pool += b"\x07\x00\x05" + b"\x07\x00\x06" + b"\x08\x00\x09"  # 10: a.B, 11: its parent, 12: "said"
    body = bytes(4) + len(code).to_bytes(4) + code + bytes(4)
    field = b"\x00\x01" + bytes(2) + b"\x00\x04\x00\x02\x00\x00"
    attribute = b"\x00\x03" + len(body).to_bytes(4) + body
    method = b"\x00\x01" + flags.to_bytes(2) + b"\x00\x01\x00\x02\x00\x01" + attribute
    head = b"\xca\xfe\xba\xbe" + bytes(4) + b"\x00\x0d" + pool
    source = b"\x00\x01\x00\x07" + (2).to_bytes(4) + b"\x00\x08"
    return head + bytes(2) + b"\x00\x0a\x00\x0b" + bytes(2) + field + method + source


def test_what_a_class_file_says() -> None:
    """Names, parents, source, members; a constant of type String is no name."""
    read = read_class(class_file())

    assert (read.name, read.parents, read.source) == ("a/B", ("java/lang/Object",), "B.java")
    assert [(each.name, each.code) for each in read.methods] == [("equals", b"\x04\xac")]
    assert [each.name for each in read.fields] == ["field"]
    assert (b"a/B" in read.named, b"said" in read.named, read.strings) == (True, False, {b"said"})


@pytest.mark.parametrize(
    "data", [b"", b"x" * 40, class_file()[:-9], class_file()[:60], b"\xca\xfe\xba\xbe" * 4]
)
def test_no_class_files(data: bytes) -> None:
    """What ends early, or is something else, is said to be no class file."""
    with pytest.raises(ValueError, match="class file"):
        read_class(data)


@given(st.binary(max_size=60), st.integers(0, 200), st.binary(max_size=8))
def test_any_bytes_may_stand_for_a_class(start: bytes, at: int, patch: bytes) -> None:
    """Bytes that are none, or one with a hole, raise ValueError and nothing else."""
    whole = class_file()
    for data in (start, whole[:10] + start, whole[:at] + patch + whole[at + len(patch) :]):
        with suppress(ValueError):
            assert isinstance(read_class(data), ClassFile)


def test_members_as_records() -> None:
    """A method's flags, name, descriptor and code."""
    assert read_class(class_file(flags=9)).methods == (
        ClassMember(9, "equals", "(Ljava/lang/Object;)Z", b"\x04\xac"),
    )


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (class_file(b"\x04\xac"), "equals of a.B never looks at its argument"),
        (class_file(b"\x2a\x2b\xa6"), ""),
        (class_file(b"\x19\x01\xac"), ""),
        (class_file(b"\x04\xac", flags=0x0401), ""),
        (class_file(b"\x04\xac", kind=b"(LCart;)Z"), ""),
        (class_file(b"\x2b", parent=b"java/util/AbstractSet"), "a.B is a java.util.AbstractSet: what it equals is its own word"),
        (class_file(b"\x2b", parent=b"java/util/concurrent/ConcurrentHashMap"), "a.B is a java.util.concurrent.ConcurrentHashMap: what it equals is its own word"),
        (class_file(b"\x2b", parent=b"java/lang/Iterable"), "a.B is a java.lang.Iterable: what it equals is its own word"),
        (class_file(b"\x2b", parent=b"java/util/TimerTask"), ""),
    ],
)  # fmt: skip
def test_what_a_reader_of_a_success_should_know(data: bytes, said: str) -> None:
    """An `equals` that never loads its argument, and classes that are collections themselves."""
    assert remark([read_class(data)]) == said

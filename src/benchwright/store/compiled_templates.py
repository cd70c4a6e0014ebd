"""Compiled templates of pages, cached for later commands of one user."""

from __future__ import annotations

import os
from functools import cache
from hashlib import sha256
from pathlib import Path

import jinja2
from jinja2 import compiler
from jinja2.bccache import Bucket

from benchwright.errors import DataError
from benchwright.store.user_cache import read_cached, user_cache, write_cached
from benchwright.version import VERSION

MAX_BYTES = 1 << 20  # of one template; 17 kB is the largest today
MAX_FILES = 400


class CompiledTemplates(jinja2.BytecodeCache):
    """A cache of compiled templates in the user's cache folder, for `jinja2.Environment`.

    A template is compiled again if its text, its path, Python, Jinja or Benchwright has changed, and if the
    cached file is damaged or another user can write to it. Nothing fails if the folder is not writable.
    """

    def load_bytecode(self, bucket: Bucket) -> None:
        """Set the bucket's code if this text is cached."""
        try:
            content = read_cached(_place(bucket), most=MAX_BYTES)
        except DataError:
            return
        if content is not None:
            bucket.bytecode_from_string(content)  # compares the digest of the text and Python's version

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store the bucket's code."""
        write_cached(_place(bucket), bucket.bytecode_to_string(), files=MAX_FILES)


def _place(bucket: Bucket) -> Path:
    key = sha256(f"{VERSION} {_compiler_state()} {bucket.key}".encode()).hexdigest()
    return user_cache() / "templates" / key


@cache
def _compiler_state() -> str:
    """Size and time of Jinja's compiler; reading the version of a distribution takes 30 ms."""
    state = os.stat(compiler.__file__)
    return f"{state.st_size} {state.st_mtime_ns}"

"""The templates' code, compiled once in a process, however many apps it makes.

Rule: a template's code is known by its name and its text. The reason: to compile a page takes
thirty times as long as to write it, and every test makes an app of its own.
"""

from __future__ import annotations

from types import CodeType

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class Compiled(BytecodeCache):
    """Keeps what was compiled, in memory. All apps here compile with the same settings."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a template its code, if it was compiled before."""
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template that was compiled just now."""
        self._codes[bucket.key, bucket.checksum] = bucket.code


COMPILED = Compiled()

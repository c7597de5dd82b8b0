r"""The three streams of a command: what is read, what is answered, what is said.

Rule: text is written in UTF-8 wherever it goes; what is for people shows control characters as
``\u001b``; an answer that cannot be written is an error, words that nobody hears are none. The
reason: a document from somewhere else must not steer the terminal it is shown on, and what is said
must never get into the answer, even where a stream was closed before the start.
"""

from __future__ import annotations

import io
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TextIO

_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters but tab and line feed, and those that turn the direction of writing."""


class Lost(Exception):
    """A stream cannot be read or written; the text says which, and why."""


def prepare() -> None:
    """Make the streams usable as they are meant, whatever the command was started with.

    A number of a closed stream is taken by the null device, so that no file gets it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def readable(text: str) -> str:
    r"""``text`` without what steers a terminal: ``\u001b`` stands for ESC. JSON stays the same."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def read() -> bytes:
    """Everything from standard input. Raises ``Lost``."""
    if sys.stdin is None:
        raise Lost("cannot read standard input: it is closed")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise Lost(f"cannot read standard input: {error.strerror}") from error


def answer(text: str) -> None:
    """Write a line, or several, to standard output. Raises ``Lost``, or ``BrokenPipeError``."""
    if sys.stdout is None:
        raise Lost("cannot write to standard output: it is closed")
    try:
        print(text, flush=True)
    except BrokenPipeError:
        _silence(sys.stdout)
        raise
    except OSError as error:
        _silence(sys.stdout)
        raise Lost(f"cannot write to standard output: {error.strerror}") from error


def say(text: str) -> None:
    """Write a line for people to standard error; a stream that takes nothing is no error."""
    try:
        print(readable(text), file=sys.stderr, flush=True)
    except OSError:
        _silence(sys.stderr)


def _silence(stream: TextIO) -> None:
    """Let what is left in a stream that cannot be written go nowhere, without a word at the end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())

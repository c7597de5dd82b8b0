"""The folder of a local engine: one engine at a time, and where that one answers.

Rule: an engine holds its folder by a lock that the system takes back when the engine's process is
gone, however it ended; its address stands in the folder and counts only while the lock is held.
The reason: two engines in one folder would each save its own tables over the other's, and an
address of yesterday may belong to a stranger's engine today.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

LOCK = "engine.lock"
ADDRESS = "engine.url"


def take(folder: Path) -> IO[bytes] | None:
    """Hold a folder that exists, as long as the file that is given back is open anywhere.

    A process that inherits it holds on. ``None`` when somebody else holds the folder. Raises
    ``ImportError`` where the system has no such locks.
    """
    file = (folder / LOCK).open("ab")
    if _locked(file, "LOCK_EX"):
        return file
    file.close()
    return None


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """Let the starts of one user's engines follow each other, where the system has locks."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(ImportError, OSError):
            fcntl: Any = importlib.import_module("fcntl")
            file = Path(tempfile.gettempdir()) / f"lockwright-{os.getuid()}.lock"
            fcntl.flock(stack.enter_context(file.open("ab")), fcntl.LOCK_EX)
        yield


def write_address(folder: Path, url: str) -> None:
    """Tell others where the engine of the folder answers; for whoever holds it."""
    (folder / ADDRESS).write_text(url, encoding="utf-8")


def remove_address(folder: Path) -> None:
    """Tell nobody any longer; for whoever still holds the folder."""
    (folder / ADDRESS).unlink(missing_ok=True)


def read_address(folder: Path) -> str | None:
    """Where the engine of the folder answers; ``None`` when none runs there."""
    try:
        with (folder / LOCK).open("rb") as file:
            is_held = not _locked(file, "LOCK_SH")
        return (folder / ADDRESS).read_text(encoding="utf-8") or None if is_held else None
    except (FileNotFoundError, NotADirectoryError):
        return None


def _locked(file: IO[bytes], kind: str) -> bool:
    """Whether the lock could be had at once; closing the file gives it back."""
    fcntl: Any = importlib.import_module("fcntl")
    try:
        fcntl.flock(file, getattr(fcntl, kind) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

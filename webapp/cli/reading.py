"""What a command is given: documents, a secret, and places to send to.

Rule: what cannot be read is wrong usage, and the text says what; nothing is looked for that was not
named. The reason: a command in a script must fail before it does half of its work.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from webapp import streams
from webapp.core import documents
from webapp.endpoints import Endpoint, local_endpoint, named_endpoints


class WrongUsage(Exception):
    """The command was not given what it needs; the text says what."""


def read_documents(given: Mapping[str, str | None], *others: str) -> dict[str, object]:
    """The documents of the files that were given; only one of all may be standard input."""
    files = {member: name for member, name in given.items() if name}
    if [*files.values(), *others].count("-") > 1:
        raise WrongUsage("only one document can be read from standard input")
    return {member: read_document(name) for member, name in files.items()}


def read_document(name: str) -> object:
    """The document of a file, or of standard input for ``-``."""
    return documents.read_json(read_bytes(name))


def read_bytes(name: str) -> bytes:
    """What a file holds, or standard input for ``-``. Raises ``WrongUsage``."""
    try:
        return streams.read() if name == "-" else Path(name).read_bytes()
    except streams.Lost as error:
        raise WrongUsage(str(error)) from error
    except OSError as error:
        raise WrongUsage(f"cannot read {name}: {error.strerror}") from error


def secret() -> str | None:
    """The secret of hmac-sha256 namespaces, if there is one."""
    return os.environ.get("LOCKWRIGHT_SECRET") or None


def configured_endpoints(arguments: Sequence[str]) -> Mapping[str, Endpoint]:
    """The endpoints of the arguments, the environment and the file that it names."""
    name = os.environ.get("LOCKWRIGHT_CONFIG", "")
    try:
        text = Path(name).read_text(encoding="utf-8") if name else ""
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"cannot read {name} (LOCKWRIGHT_CONFIG): {error}") from error
    return named_endpoints(arguments, os.environ.get("LOCKWRIGHT_ENDPOINTS", ""), text)


def endpoint_named(given: str) -> Endpoint:
    """The endpoint of ``--endpoint``: written out, configured, or the local engine."""
    if "=" in given:
        (endpoint,) = named_endpoints([given]).values()
        return endpoint
    known = {"local": _local_engine(), **configured_endpoints([])}
    if given not in known:
        raise WrongUsage(f"there is no endpoint {given!r}; there are: {', '.join(known)}")
    return known[given]


def _local_engine() -> Endpoint:
    """The engine that runs in this folder; where none does, the place where one usually answers."""
    from webapp.enginefolder import read_address  # noqa: PLC0415
    from webapp.local import FOLDER, HOST, PORT  # noqa: PLC0415

    return local_endpoint("local", read_address(FOLDER) or f"http://{HOST}:{PORT}")

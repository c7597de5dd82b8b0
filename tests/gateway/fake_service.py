"""A service on loopback that gives its answers from a script and keeps every request it got."""

from __future__ import annotations

import contextlib
import json
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CANCELLED = "com.amazonaws.dynamodb.v20120810#TransactionCanceledException"


@dataclass(frozen=True)
class Reply:
    """One answer. ``cut`` closes the connection after that many bytes of the body."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    is_late: bool = False


DROPPED = Reply(cut=-1)
LATE = Reply(is_late=True)
CUT_SHORT = Reply(body=b'{"ConsumedCapacity":[]}', cut=5)
GARBLED = Reply(body=b"{}", headers={"x-amz-crc32": "1"})


def error(code: str, message: str = "", status: int = 400, **members: Any) -> Reply:
    """An error as DynamoDB words it."""
    name = f"com.amazonaws.dynamodb.v20120810#{code}"
    return Reply(status, json.dumps({"__type": name, "Message": message, **members}).encode())


def cancelled(*reasons: str | dict[str, Any]) -> Reply:
    """A cancelled transaction with these reasons by slot."""
    full = [reason if isinstance(reason, dict) else {"Code": reason} for reason in reasons]
    return error("TransactionCanceledException", "Transaction cancelled", CancellationReasons=full)


@dataclass(frozen=True)
class Received:
    """One request as it came in."""

    operation: str
    body: bytes
    authorization: str
    host: str = ""


class FakeService:
    """Answers with ``script`` in order; the last one is given again and again.

    Every reading of an item is answered with ``stored``, where that is given.
    With ``tls`` it is a proxy as well that leads everywhere to itself: what asks AWS through it is
    answered here, also STS, by ``identity``.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.identity = Reply(500)
        self.script: list[Reply] = [Reply()]
        self.stored: Reply | None = None
        self.received: list[Received] = []
        self.over = threading.Event()
        self.heard = threading.Event()
        handler = _handler(self) if tls is None else _proxy(self, tls)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def next_reply(self, operation: str) -> Reply:
        """The reply whose turn it is; requests without an operation of DynamoDB's are for STS."""
        if not operation:
            return self.identity
        if operation == "GetItem" and self.stored is not None:
            return self.stored
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    @contextlib.contextmanager
    def serving(self) -> Iterator[FakeService]:
        """Serve in the background for the length of a ``with`` block."""
        thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield self
        finally:
            self.over.set()
            self._server.shutdown()
            self._server.server_close()
            thread.join()


def _handler(service: FakeService) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            operation = self.headers.get("X-Amz-Target", "").partition(".")[2]
            signature, host = self.headers["Authorization"], self.headers.get("Host", "")
            service.received.append(Received(operation, body, signature, host))
            service.heard.set()
            self.answer(service.next_reply(operation))

        def answer(self, reply: Reply) -> None:
            if reply.is_late:
                service.over.wait(30)
            if reply.is_late or reply.cut == -1:
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # who asked has heard enough
                self.wfile.write(reply.body[: reply.cut])
            self.close_connection = reply.cut is not None

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def _proxy(service: FakeService, tls: ssl.SSLContext) -> type[BaseHTTPRequestHandler]:
    handler: type[BaseHTTPRequestHandler] = _handler(service)

    class Proxy(handler):  # type: ignore[misc, valid-type]
        def do_CONNECT(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.close_connection = True
            with contextlib.suppress(ssl.SSLError, ConnectionError):  # who asked trusts nobody
                self.connection = inside = tls.wrap_socket(self.request, server_side=True)
                self.rfile, self.wfile = (inside.makefile(mode, 0) for mode in ("rb", "wb"))
                self.close_connection = False

        def finish(self) -> None:
            super().finish()
            self.connection.close()

    return Proxy

"""A proxy on loopback that hands requests to an engine and loses the first answers."""

from __future__ import annotations

import contextlib
import http.client
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from webapp.endpoints import Endpoint, local_endpoint

KEPT_HEADERS = ("Content-Type", "X-Amz-Target", "Authorization", "X-Amz-Date")


@contextlib.contextmanager
def losing(engine: Endpoint, answers: int) -> Iterator[Endpoint]:
    """An endpoint in front of ``engine`` that loses so many answers after they were made."""
    assert engine.url is not None
    handler = _handler(engine.url.removeprefix("http://"), lost=iter(range(answers)))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield local_endpoint("lossy", f"http://127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(address: str, lost: Iterator[int]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name: self.headers[name] for name in KEPT_HEADERS}
            with contextlib.closing(http.client.HTTPConnection(address, timeout=10)) as engine:
                engine.request("POST", "/", body, headers)
                answer = engine.getresponse()
                text = answer.read()
            if next(lost, None) is None:
                self.send_response(answer.status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            pass

    return Handler

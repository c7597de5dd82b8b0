"""A service process that answers at once and keeps nothing: what grows beside it is our own.

Of each hundred requests, counted by connection, some are refused, throttled and left without a
whole answer, so that retries, refusals and reads after a doubt are part of what is measured.
"""

from __future__ import annotations

import asyncio
import json

_ERROR = "com.amazonaws.dynamodb.v20120810#"


def _answer(status: str, document: object, cut: int = 0) -> bytes:
    body = json.dumps(document).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/x-amz-json-1.0\r\n"
    return f"{head}Content-Length: {len(body) + cut}\r\n\r\n".encode() + body


COMMITTED = _answer("200 OK", {})
REASONS = [{"Code": "None"}, {"Code": "ConditionalCheckFailed"}, {"Code": "None"}]
TAKEN = _answer(
    "400 Bad Request",
    {
        "__type": f"{_ERROR}TransactionCanceledException",
        "Message": "Transaction cancelled",
        "CancellationReasons": REASONS,
    },
)
THROTTLED = _answer("400 Bad Request", {"__type": f"{_ERROR}ThrottlingException", "Message": ""})
CUT_SHORT = _answer("200 OK", {}, cut=7)

ANSWERS = {**dict.fromkeys(range(0, 100, 10), TAKEN), 33: THROTTLED, 66: CUT_SHORT}
"""Number of a request within a hundred -> its answer, where it is not a success."""


class QuickService(asyncio.Protocol):
    """One connection: answers each request as soon as it is whole."""

    def __init__(self) -> None:
        self._received = b""
        self._count = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer the requests that are whole."""
        self._received += data
        while (length := self._length()) and len(self._received) >= length:
            self._received = self._received[length:]
            self._count += 1
            answer = ANSWERS.get(self._count % 100, COMMITTED)
            self._transport.write(answer)
            if answer is CUT_SHORT:
                self._transport.close()

    def _length(self) -> int:
        """The length of the first request; 0 while its head is not whole."""
        head, found, _ = self._received.partition(b"\r\n\r\n")
        if not found:
            return 0
        body = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        return len(head) + 4 + body


async def main() -> None:
    """Serve on a free loopback port, which is printed, until ended."""
    server = await asyncio.get_running_loop().create_server(QuickService, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())

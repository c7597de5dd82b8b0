"""Forms as browsers send them, read quickly.

Rule: the pairs of a form are read as the URL standard says (``application/x-www-form-urlencoded``),
whatever they hold; what is not UTF-8 is replaced; a form larger than a page can show is not read.
The reason: the form is sent while someone types, most of its pairs are the same each time, and
decoding them anew would take longer than making the plan.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from functools import lru_cache
from io import BytesIO
from typing import IO
from urllib.parse import unquote_plus

from flask import Request
from flask.globals import request_ctx
from werkzeug.datastructures import FileStorage, MultiDict
from werkzeug.exceptions import ClientDisconnected
from werkzeug.formparser import FormDataParser
from werkzeug.utils import cached_property

from webapp.web import bounds

URLENCODED = "application/x-www-form-urlencoded"
LONGEST_REMEMBERED = 100
LARGEST_REMEMBERED = 16 * 1024

Parsed = tuple[IO[bytes], MultiDict[str, str], MultiDict[str, FileStorage]]


class FormReader(FormDataParser):
    """Werkzeug's reader, with its own way for the forms that are sent most."""

    def parse(
        self,
        stream: IO[bytes],
        mimetype: str,
        content_length: int | None,
        options: dict[str, str] | None = None,
    ) -> Parsed:
        """The form and the files in a body; the body is bounded by MAX_CONTENT_LENGTH.

        Raises ``FormTooLarge`` (413) for a form that holds more than a page can show.
        """
        if mimetype == URLENCODED:
            parsed: Parsed = stream, MultiDict(_read(stream.read()).pairs), MultiDict()
        else:
            parsed = super().parse(stream, mimetype, content_length, options)
            bounds.refuse_sent(parsed[1])
        return parsed


class Form:
    """What a browser sent: the names and texts of its controls in their order."""

    __slots__ = ("_texts", "pairs")

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        self.pairs = pairs
        self._texts = dict(reversed(pairs))

    def text(self, name: str, otherwise: str = "") -> str:
        """The text of the first control of that name, or ``otherwise`` where there is none."""
        return self._texts.get(name, otherwise)

    def cleared(self, notes: Container[str]) -> tuple[str, ...]:
        """The controls that had a note when the form was sent, and have none among ``notes``."""
        return tuple(name for name in self.text("noted").splitlines() if name not in notes)

    def __contains__(self, name: str) -> bool:
        return name in self._texts


class FormRequest(Request):
    """Flask's request with that reader; its body is read once, its form is looked up fast."""

    form_data_parser_class = FormReader

    @cached_property
    def body(self) -> bytes:
        """The whole body; it can be read again.

        Raises ``RequestEntityTooLarge`` (413) for one over the limit, ``ClientDisconnected`` (400)
        for one that broke off.
        """
        length, limit = self.content_length, self.max_content_length
        if length is None or (limit is not None and length > limit):
            return self.get_data()
        body: bytes = self.environ["wsgi.input"].read(length)
        if len(body) < length:
            raise ClientDisconnected
        self.environ["wsgi.input"] = BytesIO(body)
        return body

    @cached_property
    def sent(self) -> Form:
        """The form; an empty one where none was sent. Raises ``FormTooLarge`` (413)."""
        if not self.content_type:
            return Form(())
        is_read = "form" in self.__dict__
        if self.mimetype == URLENCODED and not is_read:
            return _read(self.body)
        return Form(tuple(self.form.items(multi=True)))


def sent() -> Form:
    """The form of the request that is being answered."""
    return _asked().sent


def body() -> bytes:
    """The body of the request that is being answered."""
    return _asked().body


def _asked() -> FormRequest:
    asked = request_ctx.request
    assert isinstance(asked, FormRequest), "the application reads requests with it"
    return asked


def _read(body: bytes) -> Form:
    """The form in a body, if it is not too large to be looked at."""
    bounds.refuse_count(body.count(b"&") + 1)
    pairs = tuple(read_pairs(body))
    refuse = _refuse_small if len(body) <= LARGEST_REMEMBERED else bounds.refuse_sent
    refuse(tuple([name for name, _ in pairs]))
    return Form(pairs)


_refuse_small = lru_cache(maxsize=64)(bounds.refuse_sent)
"""The same for small forms, whose names are the same while someone types."""


def read_pairs(body: bytes) -> Iterator[tuple[str, str]]:
    """The names and texts of a form, in order. Never fails."""
    for pair in body.decode("utf-8", "replace").split("&"):
        if pair:
            yield _remembered(pair) if len(pair) <= LONGEST_REMEMBERED else _pair(pair)


def _pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return unquote_plus(name), unquote_plus(value)


_remembered = lru_cache(maxsize=4096)(_pair)

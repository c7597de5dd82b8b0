"""Forms as browsers send them, read quickly.

Rule: the pairs of a form are read as the URL standard says (``application/x-www-form-urlencoded``),
whatever they hold; what is not UTF-8 is replaced; a form larger than a page can show is not read.
The reason: the form is sent while someone types, its names are the same each time, and decoding
them anew would take longer than making the plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import IO
from urllib.parse import unquote_plus

from flask import Request
from werkzeug.datastructures import FileStorage, MultiDict
from werkzeug.formparser import FormDataParser

from webapp.web import bounds

URLENCODED = "application/x-www-form-urlencoded"
LONGEST_REMEMBERED = 100

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
            parsed: Parsed = stream, _read(stream.read()), MultiDict()
        else:
            parsed = super().parse(stream, mimetype, content_length, options)
        bounds.refuse_sent(parsed[1])
        return parsed


class FormRequest(Request):
    """Flask's request with that reader."""

    form_data_parser_class = FormReader


def _read(body: bytes) -> MultiDict[str, str]:
    """The form in a body, if its pairs are not too many to look at."""
    bounds.refuse_count(body.count(b"&") + 1)
    texts: dict[str, list[str]] = {}
    for name, text in read_pairs(body):
        texts.setdefault(name, []).append(text)
    form: MultiDict[str, str] = MultiDict()
    dict.update(form, texts)  # as it keeps them itself, without looking at each once more
    return form


def read_pairs(body: bytes) -> Iterator[tuple[str, str]]:
    """The names and texts of a form, in order. Never fails."""
    for pair in body.decode("utf-8", "replace").split("&"):
        name, _, text = pair.partition("=")
        if pair:
            yield _name(name), unquote_plus(text) if "%" in text or "+" in text else text


def _name(text: str) -> str:
    return _remembered(text) if len(text) <= LONGEST_REMEMBERED else unquote_plus(text)


@lru_cache(maxsize=4096)
def _remembered(text: str) -> str:
    return unquote_plus(text)

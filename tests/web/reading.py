"""A page as a browser and a person read it."""

from __future__ import annotations

import json
import re
from html import unescape
from html.parser import HTMLParser


class Controls(HTMLParser):
    """What a browser would send for a page: the successful controls, and the ids in it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.pairs: dict[str, str] = {}
        self.ids: list[str] = []
        self.invalid: list[str] = []
        self._open: tuple[str, str] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids += [given["id"]] if "id" in given else []
        self.invalid += [given["name"]] if "aria-invalid" in given else []
        match tag:
            case "input":
                self._note_input(given)
            case "textarea" | "select":
                self._open = (tag, given["name"])
                if tag == "textarea":
                    self.pairs[given["name"]] = ""
            case "option" if "selected" in given and self._open:
                self.pairs[self._open[1]] = given["value"]

    def _note_input(self, given: dict[str, str]) -> None:
        ticked = given.get("type") not in {"checkbox", "radio"} or "checked" in given
        if ticked and given.get("type") != "file":
            self.pairs[given["name"]] = given["value"]

    def handle_data(self, data: str) -> None:
        if self._open and self._open[0] == "textarea":
            self.pairs[self._open[1]] += data

    def handle_endtag(self, tag: str) -> None:
        if self._open and tag == self._open[0]:
            if tag == "textarea":  # a browser drops the first line end
                self.pairs[self._open[1]] = self.pairs[self._open[1]].removeprefix("\n")
            self._open = None


def notes(page: str) -> dict[str, str]:
    """The notes that are not empty, by the id of their control."""
    found = re.findall(r'id="note-([^"]+)"[^>]*>([^<]+)</p>', page)
    return {name: unescape(text) for name, text in found}


def shown_request(page: str) -> object:
    """The JSON that the page shows."""
    code = re.search(r'<code id="request"[^>]*>(.*?)</code>', page, re.DOTALL)
    assert code, "the page shows no request"
    return json.loads(unescape(re.sub(r"<[^>]+>", "", code[1])))


def board(page: str) -> list[str]:
    """The rows of the board as sentences."""
    rows = re.findall(r'<li class="item.*?</li>', page, re.DOTALL)
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", row)).split()) for row in rows]

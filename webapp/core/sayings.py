"""Texts of the core that are more than one sentence of a table.

Rule: a text is English for whoever just reads it, and keeps its template and what stands in it for
whoever says it in another language. The reason: a sentence that was put together cannot be taken
apart again.
"""

from __future__ import annotations


class Saying(str):
    """A template of a table, filled; what stands in it may be a saying itself."""

    __slots__ = ("params", "parts", "template")

    template: str
    parts: tuple[object, ...]
    params: dict[str, object]

    def __new__(cls, template: str, *parts: object, **params: object) -> Saying:
        """Fill ``template``: ``{0}`` with the first of ``parts``, ``{name}`` with a parameter."""
        said = super().__new__(cls, template.format(*parts, **params))
        said.template, said.parts, said.params = template, parts, params
        return said


def together(sayings: list[str], joint: str = " ") -> Saying:
    """Several sayings as one."""
    return Saying(joint.join(["{}"] * len(sayings)), *sayings)

"""From the name of a control to an id for its element.

Rule: an id holds only letters, digits, "-" and "_", and two names never share one. The reason: ids
stand in addresses and in selectors, and a key placeholder may be called anything.
"""

from __future__ import annotations

import re

_OTHER = re.compile(r"[^a-z0-9/]")


def control_id(name: str) -> str:
    """The id of the control ``name``: ``design/table`` is ``design-table``."""
    return _OTHER.sub(_escaped, name).replace("/", "-")


def _escaped(match: re.Match[str]) -> str:
    return "_" if match[0] == "_" else f"_{ord(match[0]):x}_"

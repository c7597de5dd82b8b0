"""From a design document back to the form, and the short link that carries one.

Rule: a design that the core refuses changes nothing in the form; one that it accepts is shown
exactly, in the plainest controls that can hold it. What a one-line or a line-by-line control cannot
hold goes into a control for JSON. The reason: a file from somewhere else may be broken or hostile,
and loading must neither lose what was typed nor bend what was saved.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from webapp.core.documents import read_design
from webapp.core.jsontext import pretty, read_json, write
from webapp.core.problems import Problems, Text, register
from webapp.web.draft import Draft, KeyColumn, Keys, Locks, Rule, Templates
from webapp.web.writing import write_design

register(
    {
        "design-link": Text(
            "The link does not carry a whole design.",
            "It was cut or changed on its way: ask for the file instead.",
        ),
    }
)

Document = Mapping[str, Any]
MAX_DESIGN_BYTES = 1024 * 1024


def load_design(draft: Draft, text: str | bytes) -> Draft:
    """The draft with the design that the JSON ``text`` spells; raises ``Refused`` otherwise."""
    document = read_json(text)
    if isinstance(document, dict) and "design" in document and "changes" in document:
        document = document["design"]
    read_design(document)
    return replace(
        draft,
        table=_keys(document, document["table"]),
        record=_templates(document["record"], "", ""),
        locks=_locks(document["lock"]),
        rules=tuple(_rule(rule) for rule in document["unique"]),
        alias=document.get("alias", "needed"),
    )


def _keys(document: Document, name: str) -> Keys:
    return Keys(name, _column(document["partition_key"]), _column(document.get("sort_key")))


def _column(document: Document | None) -> KeyColumn:
    return KeyColumn(document["name"], document["type"]) if document else KeyColumn("", "")


def _templates(document: Document, partition: str, sort: str) -> Templates:
    return Templates(document.get("partition", partition), document.get("sort") or sort)


def _locks(document: Document) -> Locks:
    usual = Locks()
    table, owner = document.get("table"), document.get("owner")
    return Locks(
        templates=_templates(document, usual.templates.partition, usual.templates.sort),
        stores_owner=owner is not None,
        owner=owner or usual.owner,
        own_table=table is not None,
        table=_keys(table, table["name"]) if table else usual.table,
    )


def _rule(document: Document) -> Rule:
    rule = Rule(
        namespace=document["namespace"],
        attributes=tuple(document["attributes"]),
        normalize=tuple(document.get("normalize", ())),
        required=document.get("required", False),
        digest=document.get("digest") or "",
    )
    return _with_condition(rule, document.get("only_when"))


def _with_condition(rule: Rule, condition: Mapping[str, list[Any]] | None) -> Rule:
    if not condition:
        return rule
    if len(condition) == 1:
        [(name, values)] = condition.items()
        if name and all(_is_line(value) for value in values):
            return replace(
                rule, condition="texts", when_attribute=name, when_values="\n".join(values)
            )
    return replace(rule, condition="json", when_json=pretty(condition))


def _is_line(value: object) -> bool:
    return isinstance(value, str) and value != "" and not {"\n", "\r", "\0"} & set(value)


def design_link(draft: Draft) -> str:
    """The design as text for an address: its JSON, packed, in the URL-safe base64 alphabet."""
    packed = zlib.compress(write(write_design(draft)), 9)
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


def follow_link(draft: Draft, link: str) -> Draft:
    """The draft with the design that a link carries; raises ``Refused`` for a broken one."""
    return load_design(draft, unpack(link))


def unpack(link: str) -> bytes:
    """The JSON text in a link, at most 1 MiB of it; raises ``Refused`` when it is no such link."""
    unpacker = zlib.decompressobj()
    try:
        packed = base64.b64decode(link + "=" * (-len(link) % 4), altchars=b"-_", validate=True)
        text = unpacker.decompress(packed, MAX_DESIGN_BYTES)
    except (ValueError, binascii.Error, zlib.error):
        text = b""
    if not text or not unpacker.eof:
        problems = Problems()
        problems.add("design-link", "")
        problems.refuse()
    return text

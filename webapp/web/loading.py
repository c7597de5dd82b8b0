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
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from webapp.core.documents import read_design, read_request
from webapp.core.jsontext import pretty, read_json, write
from webapp.core.planning.changes import Change
from webapp.core.planning.design import DEFAULT_LOCK_PARTITION, DEFAULT_LOCK_SORT
from webapp.core.problems import Problems, Text, excerpt, pointer, register
from webapp.web import bounds
from webapp.web.draft import (
    EXAMPLE,
    STEPS,
    Draft,
    KeyColumn,
    Keys,
    Locks,
    Rule,
    Templates,
    pairs_of,
)
from webapp.web.draft import Change as Rows
from webapp.web.rows import change_of, is_sendable
from webapp.web.rulednames import named_by, rows_for
from webapp.web.writing import write_design

register(
    {
        "design-link": Text(
            "The link does not carry a whole design.",
            "It was cut or changed on its way, or is too long: ask for the file instead.",
        ),
        "form-cannot-hold": Text(
            "“{given}” holds a carriage return or a NUL, which no form can carry.",
            "Rename it, or use the JSON API for this document.",
        ),
        "form-binary-key": Text(
            "The key part “{name}” is binary; the form takes texts and numbers.",
            "Use the JSON API for this document.",
        ),
    }
)

Document = Mapping[str, Any]
MAX_DESIGN_BYTES = 256 * 1024
"""The largest design in a link: whoever makes the link decides what the server unpacks."""


def load(draft: Draft, text: str | bytes) -> Draft:
    """The draft with the design that the JSON ``text`` spells; raises ``Refused`` otherwise.

    Where the text is a whole plan request, its changes and its options are taken as well.
    """
    document = read_json(text)
    _check_rules(document)
    if isinstance(document, dict) and "changes" in document:
        return checked(_with_request(draft, document))
    read_design(document)
    return checked(_without_example(_with_design(draft, document)))


def _check_rules(document: object) -> None:
    """Refuse at once what has more rules or parts than a form takes, however wrong besides."""
    design = document.get("design", document) if isinstance(document, dict) else None
    rules = design.get("unique") if isinstance(design, dict) else None
    if isinstance(rules, list):
        bounds.check("form-rules", len(rules))
        bounds.check("form-rows", sum(map(_count_parts, rules)))


def _count_parts(rule: object) -> int:
    parts = rule.get("attributes") if isinstance(rule, dict) else None
    return len(parts) if isinstance(parts, list) else 0


def _without_example(draft: Draft) -> Draft:
    """The draft without the record of the worked example, where its design speaks of others."""
    names = named_by(draft.rules)
    if draft.changes != EXAMPLE.changes or {*names} == {*named_by(EXAMPLE.rules)}:
        return draft
    return replace(draft, changes=(Rows(attributes=rows_for(names, ())),))


def _with_request(draft: Draft, document: dict[str, Any]) -> Draft:
    asked = read_request(document)
    if asked.problems:
        asked.plan()  # refuses, with everything that is wrong
    _refuse_binary_keys(asked.changes)
    return replace(
        _with_design(draft, document["design"]),
        changes=tuple(map(change_of, asked.changes)),
        token=asked.token or "",
        return_existing=asked.return_existing,
    )


def _refuse_binary_keys(changes: Sequence[Change]) -> None:
    problems = Problems()
    for number, change in enumerate(changes):
        for name, part in change.key.items():
            if part.data is not None:
                problems.add("form-binary-key", pointer("changes", number, "key", name), name=name)
    problems.refuse()


def _with_design(draft: Draft, document: Document) -> Draft:
    return replace(
        draft,
        table=_keys(document, document["table"]),
        record=_templates(document["record"], Templates()),
        locks=_locks(document.get("lock", {}), document.get("sort_key")),
        rules=tuple(_rule(rule) for rule in document["unique"]),
        alias=document.get("alias", "needed"),
    )


def checked(draft: Draft) -> Draft:
    """The draft, if a form can carry all it holds; raises ``Refused`` otherwise."""
    pairs = list(pairs_of(draft))
    bounds.check_names(name for name, _ in pairs)
    problems = Problems()
    for name, text in pairs:
        if not (is_sendable(name) and is_sendable(text)):
            problems.add("form-cannot-hold", "", given=excerpt(text))
    problems.refuse()
    return draft


def _keys(document: Document, name: str) -> Keys:
    return Keys(name, _column(document["partition_key"]), _column(document.get("sort_key")))


def _column(document: Document | None) -> KeyColumn:
    return KeyColumn(document["name"], document["type"]) if document else KeyColumn("", "")


def _templates(document: Document, usual: Templates) -> Templates:
    sort = document.get("sort", usual.sort)
    return Templates(
        document.get("partition", usual.partition), usual.sort if sort is None else sort
    )


def _locks(document: Document, records_sort: Document | None) -> Locks:
    """Where the locks stand; ``records_sort`` is the sort key of the records' table, if any."""
    usual = Locks()
    table, owner = document.get("table"), document.get("owner")
    sort = table.get("sort_key") if table else records_sort
    return Locks(
        templates=_templates(document, _usual_templates(sort)),
        stores_owner=owner is not None,
        owner=owner or usual.owner,
        own_table=table is not None,
        table=_keys(table, table["name"]) if table else usual.table,
    )


def _usual_templates(sort: Document | None) -> Templates:
    """The templates of the locks in a design that names none, for a table with this sort key."""
    return Templates(DEFAULT_LOCK_PARTITION, DEFAULT_LOCK_SORT[sort["type"] if sort else "S"])


def _rule(document: Document) -> Rule:
    rule = Rule(
        namespace=document["namespace"],
        attributes=tuple(document["attributes"]),
        normalize=tuple(step for step in STEPS if step in document.get("normalize", ())),
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
    return isinstance(value, str) and value != "" and is_sendable(value, "\n")


def design_link(draft: Draft) -> str:
    """The design as text for an address: its JSON, packed, in the URL-safe base64 alphabet."""
    packed = zlib.compress(write(write_design(draft)), 9)
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


def follow_link(draft: Draft, link: str) -> Draft:
    """The draft with the design that a link carries; raises ``Refused`` for a broken one."""
    return load(draft, unpack(link))


def unpack(link: str) -> bytes:
    """The JSON text in a link, at most 256 KiB; raises ``Refused`` when it is no such link."""
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

"""What each control is called, for a problem that names it.

Rule: a control's name leads to its label by one table; numbered rows are named by what stands in
them. The reason: a list of problems must make sense without looking at the form.
"""

from __future__ import annotations

from webapp.web.draft import Change, Draft
from webapp.web.texts import gettext, lazy_gettext

FIXED = {
    "design/table": lazy_gettext("Table name"),
    "design/partition_key/name": lazy_gettext("Partition key"),
    "design/partition_key/type": lazy_gettext("Partition key"),
    "design/sort_key/name": lazy_gettext("Sort key"),
    "design/sort_key/type": lazy_gettext("Sort key"),
    "design/record/partition": lazy_gettext("A record’s partition key"),
    "design/record/sort": lazy_gettext("A record’s sort key"),
    "design/lock/partition": lazy_gettext("A lock’s partition key"),
    "design/lock/sort": lazy_gettext("A lock’s sort key"),
    "design/lock/owner": lazy_gettext("Owner attribute"),
    "design/lock/table/name": lazy_gettext("Lock table"),
    "design/lock/table/partition_key/name": lazy_gettext("Lock table, partition key"),
    "design/lock/table/partition_key/type": lazy_gettext("Lock table, partition key"),
    "design/lock/table/sort_key/name": lazy_gettext("Lock table, sort key"),
    "design/lock/table/sort_key/type": lazy_gettext("Lock table, sort key"),
    "design/alias": lazy_gettext("Name placeholders"),
    "design/unique": lazy_gettext("What must be unique"),
    "token": lazy_gettext("Request token"),
    "confirm": lazy_gettext("The table’s name, to confirm"),
    "return_existing": lazy_gettext("Return the blocking item"),
}

WANTED = {
    "design/table": lazy_gettext(
        "The table’s name: 3 to 255 letters, digits, underscores, dashes, dots."
    ),
    "design/partition_key/name": lazy_gettext(
        "The attribute that is the table’s partition key, like PK."
    ),
    "design/sort_key/name": lazy_gettext(
        "The attribute that is its sort key, like SK; or choose “none”."
    ),
    "design/record/partition": lazy_gettext("How a record’s key is made, like ACCT#{id}."),
    "design/record/sort": lazy_gettext("How a record’s sort key is made, like PROFILE."),
    "design/lock/owner": lazy_gettext("The attribute of the lock, like owner."),
    "design/lock/table/name": lazy_gettext("The name of the table that holds only locks."),
    "design/lock/table/partition_key/name": lazy_gettext("Its partition key, like PK."),
    "design/lock/table/sort_key/name": lazy_gettext("Its sort key, like SK; or choose “none”."),
}
"""What a control wants that must not stay empty."""

WANTED_IN_RULES = {
    "namespace": lazy_gettext("A name for the rule that stands in its locks, like EMAIL."),
    "attributes": lazy_gettext("The attribute whose value must be unique, like email."),
}

RULE_PARTS = {
    "namespace": lazy_gettext("namespace"),
    "attributes": lazy_gettext("attribute"),
    "normalize": lazy_gettext("spelling"),
    "required": lazy_gettext("required"),
    "digest": lazy_gettext("digest"),
    "only_when": lazy_gettext("condition"),
}

COLUMNS = {
    "name": lazy_gettext("name"),
    "type": lazy_gettext("type"),
    "value": lazy_gettext("value"),
    "becomes": lazy_gettext("becomes"),
}


def label_of(control: str, draft: Draft) -> str:
    """The label of the control named ``control``; "" for one that is unknown."""
    if control in FIXED:
        return gettext(FIXED[control])
    parts = control.split("/")
    match parts:
        case ["design", "unique", number, part, *_]:
            return _rule_label(int(number), part, draft)
        case ["changes", change, *rest]:
            label = _change_label(draft.changes[int(change)], rest)
            if len(draft.changes) == 1:
                return label
            record = gettext("Record %(number)s", number=int(change) + 1)
            return f"{record}: {label}"
        case _:
            return ""


def _change_label(change: Change, parts: list[str]) -> str:
    match parts:
        case ["key", *part]:
            return gettext("Key part %(name)s", name="/".join(part))
        case ["attributes", number, column]:
            name = change.attributes[int(number)].name or gettext("New attribute")
            return f"{name}, {gettext(COLUMNS[column])}"
        case _:
            return gettext("The change")


def wanted_at(control: str) -> str:
    """What a control wants that was left empty; "" where its problem says it well enough."""
    parts = control.split("/")
    if len(parts) > 3 and parts[1] == "unique":
        return gettext(WANTED_IN_RULES[parts[3]]) if parts[3] in WANTED_IN_RULES else ""
    return gettext(WANTED[control]) if control in WANTED else ""


def _rule_label(number: int, part: str, draft: Draft) -> str:
    rule = draft.rules[number]
    name = rule.namespace or gettext("Rule %(number)s", number=number + 1)
    return f"{name}, {gettext(RULE_PARTS[part])}"

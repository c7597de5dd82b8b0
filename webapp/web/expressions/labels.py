"""What each control of the expressions page is called, for a problem that names it.

Rule: a label is read off the control's name: the action, the expression, the numbers of the rows,
then the part of the row. The reason: a list of problems must make sense without the form.
"""

from __future__ import annotations

from webapp.web.expressions.form import Form
from webapp.web.expressions.outline import is_number
from webapp.web.texts import gettext, lazy_gettext

PLACES = {
    "operation": lazy_gettext("The operation"),
    "table": lazy_gettext("Table name"),
    "index": lazy_gettext("Index name"),
    "partition_key": lazy_gettext("Partition key"),
    "sort_key": lazy_gettext("Sort key"),
    "key_condition": lazy_gettext("Key condition"),
    "filter": lazy_gettext("Filter"),
    "condition": lazy_gettext("Condition"),
    "update": lazy_gettext("Update"),
    "projection": lazy_gettext("Projection"),
    "key": lazy_gettext("Key"),
    "item": lazy_gettext("Item"),
    "exclusive_start_key": lazy_gettext("Start after"),
    "names": lazy_gettext("Placeholder"),
    "sample": lazy_gettext("The sample item"),
}
COLUMNS = {
    "path": lazy_gettext("attribute"),
    "value": lazy_gettext("value"),
    "op": lazy_gettext("operator"),
    "verb": lazy_gettext("action"),
    "name": lazy_gettext("name"),
    "token": lazy_gettext("name"),
    "kind": lazy_gettext("kind"),
}


def label_of(control: str, form: Form) -> str:
    """The label of the control of that name; "" for none."""
    parts = control.split("/")
    if parts[0] != "actions" or len(parts) < 3:
        return _named(parts[0]) if control else ""
    label = _label(parts[2:])
    if not form.is_transaction:
        return label
    number = int(parts[1]) + 1
    return gettext("Action %(number)s: %(label)s", number=number, label=label)


def _named(place: str) -> str:
    return gettext(PLACES[place]) if place in PLACES else setting_label(place)


def _label(parts: list[str]) -> str:
    place, *rest = parts
    rows = [str(int(part) + 1) for part in rest if is_number(part)]
    if "operands" in rest:
        rows = [str(int(part) + 1) for part in rest[: rest.index("operands")]]
    numbered = " ".join([_named(place), *([".".join(rows)] if rows else [])])
    column = COLUMNS.get(rest[-1]) if rest else None
    return numbered if column is None else f"{numbered}, {gettext(column)}"


def setting_label(member: str) -> str:
    """A plain member of a request, as the service names it."""
    return SETTING_LABELS.get(member) or member.replace("_", " ").capitalize()


SETTING_LABELS = {
    "consistent_read": lazy_gettext("Consistent read"),
    "scan_index_forward": lazy_gettext("Direction"),
    "limit": lazy_gettext("Limit"),
    "select": lazy_gettext("Select"),
    "segment": lazy_gettext("Segment"),
    "total_segments": lazy_gettext("Total segments"),
    "return_values": lazy_gettext("Return values"),
    "return_values_on_condition_check_failure": lazy_gettext("If the condition fails, return"),
    "return_consumed_capacity": lazy_gettext("Return consumed capacity"),
    "return_item_collection_metrics": lazy_gettext("Return collection metrics"),
    "client_request_token": lazy_gettext("ClientRequestToken"),
}
CHOICE_LABELS = {
    ("consistent_read", "true"): lazy_gettext("yes"),
    ("consistent_read", "false"): lazy_gettext("no"),
    ("scan_index_forward", "true"): lazy_gettext("forward, smallest sort key first"),
    ("scan_index_forward", "false"): lazy_gettext("backward, largest sort key first"),
}

"""What the select boxes of the expressions page offer: from the core's tables, named for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webapp.core.expressions.operations import OPERATIONS, TRANSACTIONS
from webapp.core.expressions.operators import KINDS
from webapp.web.choices import CHOICES as FIRST_PAGE
from webapp.web.choices import Names
from webapp.web.expressions.form import CONDITIONS, actions_of, leaves_of
from webapp.web.expressions.labels import CHOICE_LABELS, PLACES, setting_label
from webapp.web.texts import lazy_gettext as _


@dataclass(frozen=True, slots=True)
class Choices:
    """All select boxes of the form."""

    operations: Names
    actions: Mapping[str, Names]
    leaves: Mapping[str, Names]
    groups: Names
    operand_kinds: Names
    verbs: Names
    types: Names
    key_types: Names
    sort_types: Names
    given: Names
    truths: Names
    aliases: Names
    pasted: Names
    places: Mapping[str, str]
    purposes: Names

    def setting(self, member: str, value: str) -> str:
        """The name of a setting's choice."""
        return str(CHOICE_LABELS.get((member, value)) or value or _("not given"))

    def label(self, member: str) -> str:
        """The name of a setting."""
        return str(setting_label(member))


CHOICES = Choices(
    operations={name: name for name in (*OPERATIONS, *TRANSACTIONS)},
    actions={name: {action: action for action in actions_of(name)} for name in TRANSACTIONS},
    leaves={kind: leaves_of(kind) for kind in CONDITIONS},
    groups={"and": _("all of these (AND)"), "or": _("at least one of these (OR)")},
    operand_kinds={
        "path": _("attribute"),
        "value": _("value"),
        "size": _("size of"),
        "size_value": _("size of value"),
        "plus": _("sum (+)"),
        "minus": _("difference (−)"),
        "if_not_exists": "if_not_exists",
        "list_append": "list_append",
    },
    verbs={"set": "SET", "remove": "REMOVE", "add": "ADD", "delete": "DELETE"},
    types=FIRST_PAGE.types,
    key_types=FIRST_PAGE.key_types,
    sort_types=FIRST_PAGE.sort_types,
    given={"typed": _("as typed"), "empty": _("empty string"), "null": _("NULL")},
    truths={"": _("not set"), "true": "true", "false": "false"},
    aliases=FIRST_PAGE.aliases,
    pasted={
        "": _("recognise it"),
        **{name: name for name in (*OPERATIONS, *TRANSACTIONS)},
        **{kind: row.parameter for kind, row in KINDS.items()},
    },
    places=PLACES,
    purposes={kind: row.purpose for kind, row in KINDS.items()},
)

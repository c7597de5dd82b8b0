"""What the select boxes offer: one table per closed set, the code first, then its name.

Rule: a form's choice is a row here and its code a row in ``draft``. The reason: names are for
people and are translated; codes are for documents and are not.
"""

from __future__ import annotations

from dataclasses import dataclass

from webapp.web.texts import lazy_gettext as _

Names = dict[str, str]
"""Code -> its name, marked here and translated where it is shown."""


@dataclass(frozen=True, slots=True)
class Choices:
    """All select boxes and radio buttons of the form."""

    types: Names
    key_types: Names
    sort_types: Names
    operations: Names
    value_given: Names
    becomes_given: Names
    value_truths: Names
    becomes_truths: Names
    steps: Names
    digests: Names
    conditions: Names
    aliases: Names


KEY_TYPES: Names = {"S": _("String"), "N": _("Number"), "B": _("Binary")}

CHOICES = Choices(
    types={
        "S": _("String"),
        "N": _("Number"),
        "B": _("Binary"),
        "BOOL": _("Boolean"),
        "NULL": _("Null"),
        "SS": _("String set"),
        "NS": _("Number set"),
        "BS": _("Binary set"),
        "L": _("List"),
        "M": _("Map"),
        "JSON": _("Typed JSON"),
    },
    key_types=KEY_TYPES,
    sort_types={**KEY_TYPES, "": _("none")},
    operations={"create": _("Create"), "change": _("Change"), "delete": _("Delete")},
    value_given={
        "typed": _("as typed"),
        "empty": _("empty string"),
        "null": _("NULL"),
        "absent": _("absent"),
    },
    becomes_given={
        "typed": _("as typed"),
        "empty": _("empty string"),
        "null": _("NULL"),
        "absent": _("removed"),
    },
    value_truths={"": _("not set"), "true": "true", "false": "false"},
    becomes_truths={"": _("unchanged"), "true": "true", "false": "false"},
    steps={
        "trim": _("trim spaces"),
        "casefold": _("ignore case"),
        "nfc": _("one form of accents (NFC)"),
        "nfkc": _("compatibility forms (NFKC)"),
    },
    digests={
        "": _("as plain text"),
        "hmac-sha256": _("as HMAC-SHA-256"),
        "sha256": _("as SHA-256"),
    },
    conditions={
        "": _("always"),
        "texts": _("only while …"),
        "json": _("only while … (JSON)"),
    },
    aliases={"needed": _("where DynamoDB needs them"), "always": _("for every name")},
)

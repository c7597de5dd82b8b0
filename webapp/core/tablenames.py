"""What names a table: its name, or its ARN.

Rule: a design names a table by its name alone; a request may name it by its ARN as well, and both
are the same table. The reason: two actions on one item are refused however its table is written.
Source: API reference, TransactWriteItems, "TableName": 1 to 1,024 characters.
"""

from __future__ import annotations

import re

from webapp.core.limits import TABLE_ARN_CHARACTERS, TABLE_NAME_CHARACTERS, TABLE_NAME_LEAST

_NAME = rf"[A-Za-z0-9_.-]{{{TABLE_NAME_LEAST},{TABLE_NAME_CHARACTERS}}}"
_TABLE_NAME = re.compile(_NAME, re.ASCII)
_TABLE_ARN = re.compile(
    rf"arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:[0-9]{{12}}:table/({_NAME})", re.ASCII
)


def is_table_name(text: str) -> bool:
    """Whether DynamoDB takes ``text`` as the name of a table."""
    return _TABLE_NAME.fullmatch(text) is not None


def is_table_reference(given: str) -> bool:
    """Whether a request can name a table with ``given``: by its name, or by its ARN."""
    return is_table_name(given) or _named_by_arn(given) is not None


def table_name(given: str) -> str:
    """Give the name of a table that is named by itself or by its ARN."""
    return _named_by_arn(given) or given


def _named_by_arn(given: str) -> str | None:
    found = _TABLE_ARN.fullmatch(given) if len(given) <= TABLE_ARN_CHARACTERS else None
    return None if found is None else found[1]

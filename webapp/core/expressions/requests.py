"""From a read operation to the request that the SDK call of that name takes.

Rule: expressions that are not there are left out, and so are empty maps; whatever is defined is
used. When readable placeholders would make an expression too long, and only then, short ones are
used, with a warning. Same operation, same bytes.
Source: API reference of the operations; Amazon DynamoDB Developer Guide, "Quotas".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webapp.core.aliases import Aliases
from webapp.core.expressions.operations import Request, parameter_of
from webapp.core.expressions.operators import KINDS, Kind
from webapp.core.expressions.places import Findings
from webapp.core.expressions.render import expression_text
from webapp.core.limits import EXPRESSION_BYTES, VARIABLES_BYTES
from webapp.core.problems import Text, register
from webapp.core.values import MEMBER_BYTES, utf8_size

register(
    {
        "expression-size": Text(
            "The {kind} expression has {count:,} bytes; DynamoDB allows {limit:,}.",
            "Shorten it, or split the request: even with the shortest placeholders it is too long.",
        ),
        "placeholders-short": Text(
            "The expressions would have had {count:,} bytes; DynamoDB allows {limit:,}.",
            "Placeholders are short instead of readable here.",
        ),
        "substitutions-size": Text(
            "Names and values behind the placeholders have {count:,} bytes; DynamoDB allows "
            "{limit:,} (2 MB).",
            "Use fewer or smaller values.",
        ),
    }
)

_BEFORE = "_before"


def build(request: Request, findings: Findings) -> dict[str, Any]:
    """Write a checked request; sizes that are over a limit are noted."""
    aliases, texts = _texts(request, is_compact=False)
    longest = max((utf8_size(text) for text in texts.values()), default=0)
    if longest > EXPRESSION_BYTES:
        aliases, texts = _texts(request, is_compact=True)
        _check_texts(request, texts, longest, findings)
    _check_substitutions(request, aliases, findings)
    return _assembled(request, aliases, texts)


def _texts(request: Request, *, is_compact: bool) -> tuple[Aliases, dict[Kind, str]]:
    """The expression strings of a request by kind, with the placeholders that they share."""
    own = request.own_names
    aliases = Aliases(request.alias, request.own_values, own_names=own, is_compact=is_compact)
    suffix = _BEFORE if request.operation == "UpdateItem" else ""
    texts = {
        kind: expression_text(request.trees[kind], aliases, suffix)
        for kind in KINDS
        if kind in request.trees
    }
    return aliases, texts


def _check_texts(
    request: Request, texts: Mapping[Kind, str], longest: int, findings: Findings
) -> None:
    findings.warn("placeholders-short", request.where, count=longest, limit=EXPRESSION_BYTES)
    for kind, text in texts.items():
        size = utf8_size(text)
        if size > EXPRESSION_BYTES:
            params = {"count": size, "limit": EXPRESSION_BYTES, "kind": kind.replace("_", " ")}
            findings.refuse("expression-size", request.at(kind), **params)


def _check_substitutions(request: Request, aliases: Aliases, findings: Findings) -> None:
    """Refuse more than 2 MB of names and values behind placeholders."""
    names = sum(len(token) + utf8_size(name) for token, name in aliases.names.items())
    size = names + sum(len(token) + _wire_size(wire) for token, wire in aliases.values.items())
    if size > VARIABLES_BYTES:
        findings.refuse("substitutions-size", request.where, count=size, limit=VARIABLES_BYTES)


def _wire_size(wire: Any) -> int:
    """About the bytes of a value: of all its texts, and one for each of its parts."""
    size, waiting = 0, [wire]
    while waiting:
        part = waiting.pop()
        size += MEMBER_BYTES
        match part:
            case str():
                size += utf8_size(part)
            case dict():
                waiting.extend(part.values())
                size += sum(map(utf8_size, part))
            case list():
                waiting.extend(part)
    return size


def _assembled(request: Request, aliases: Aliases, texts: Mapping[Kind, str]) -> dict[str, Any]:
    """The request's members in one fixed order, nothing empty among them."""
    settings = request.settings
    built: dict[str, Any] = {
        parameter_of(m): settings[m] for m in ("table", "index") if m in settings
    }
    for member, values in request.maps.items():
        built[parameter_of(member)] = {name: value.wire for name, value in values.items()}
    built |= {KINDS[kind].parameter: texts[kind] for kind in KINDS if kind in texts}
    if aliases.names:
        built["ExpressionAttributeNames"] = aliases.names
    if aliases.values:
        built["ExpressionAttributeValues"] = aliases.values
    return built | {parameter_of(member): value for member, value in settings.items()}

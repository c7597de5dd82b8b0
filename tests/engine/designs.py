"""The designs that random sequences run on, each with the values it is tried with.

Rule: a row is one shape of table or rule, with few records and few values that many spellings
share, so that records meet over and over. Names and values are hostile on purpose.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.engine.model import Json, same
from tests.samples import unique

Values = SearchStrategy[Json]

SECRET = "pepper \u00e9"
DIGITS_38 = "12345678901234567890123456789012345678"

SPELLINGS = [
    "ada",
    "Ada",
    " ADA\u00a0",
    "grace",
    "a#b",
    "a%23b",
    "J\u00fcrgen",
    "ju\u0308rgen",
    "stra\u00dfe",
    "STRASSE",
]
STRINGS = [
    *SPELLINGS,
    "a%b",
    "#",
    "%",
    "\ufb01n",
    "fin",
    "\u0130",
    "\u200bada",
    "\U0001f600\U0001f469\u200d\U0001f4bb",
    '\'; DROP "accounts" \\',
    "line\nbreak\u0000\x1f",
    "\x1cada",
    "None",
    "undefined",
    "{value}",
    "{namespace}",
    "UNIQ#EMAIL#ada",
    "LOCK",
    "x" * 900,
]
NUMBERS = [
    ["1", "1.0", "01", "1e0", "0.1E+1", "+1"],
    ["0", "-0", "0.00", "-0e5"],
    ["100", "1E2", "00100.00", "1000e-1"],
    ["-1.5", "-15e-1", "-01.50"],
    [DIGITS_38, f"0{DIGITS_38}.0"],
    ["9.9E+125", "99e124"],
    ["1e-130", "0.1E-129"],
]
BINARIES = [b"\x00", b"ada", b"\xff\xfe", b"#", b"UNIQ#", bytes(range(64))]


def _binary(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _typed(tag: str, contents: SearchStrategy[Any]) -> Values:
    return st.fixed_dictionaries({tag: contents})


def _set_of(tag: str, members: SearchStrategy[str]) -> Values:
    lists = st.lists(members, min_size=1, max_size=3, unique_by=lambda one: same({tag[0]: one}))
    return _typed(tag, lists)


_string = st.sampled_from(STRINGS) | st.text(min_size=1, max_size=4)
_number = st.sampled_from(NUMBERS).flatmap(st.sampled_from)
_bytes = st.sampled_from(BINARIES).map(_binary)

TEXT = _typed("S", st.sampled_from(SPELLINGS) | _string)
NUMBER = _typed("N", _number)
BINARY = _typed("B", _bytes)
TEXTS = _set_of("SS", st.sampled_from(SPELLINGS))
NUMBERS_SET = _set_of("NS", _number)
BINARIES_SET = _set_of("BS", _bytes)
TOO_LONG = st.sampled_from([{"S": "y" * 1100}, {"S": "\u00e9" * 1100}])

HOLDS_NOTHING: Values = st.sampled_from(
    [{"NULL": True}, {"S": ""}, {"S": " \u2003"}, {"B": ""}, {"BOOL": True}, {"L": []}, {"M": {}}]
)
ANYTHING: Values = st.recursive(
    st.one_of(TEXT, NUMBER, BINARY, TEXTS, NUMBERS_SET, BINARIES_SET, HOLDS_NOTHING),
    lambda inner: (
        _typed("L", st.lists(inner, max_size=2))
        | _typed("M", st.dictionaries(st.sampled_from(["a", "b.c", "#\u00fc"]), inner, max_size=2))
    ),
    max_leaves=3,
)

PLAIN: Mapping[str, Values] = {"note": ANYTHING, "size.in #\u00fc": ANYTHING}
IDS = st.sampled_from(["1", "2", "\u00fc#%", "1.0"]).map(lambda text: {"id": text})
FOLDED = ["trim", "nfc", "casefold"]


class Case(NamedTuple):
    """One design with the values of its attributes and the keys of its records to draw from."""

    design: Json
    attributes: Mapping[str, Values]
    keys: SearchStrategy[Json] = IDS
    secret: str = ""


def rule(namespace: str, *attributes: str, **members: Any) -> Json:
    """A constraint of a design document."""
    return {"namespace": namespace, "attributes": list(attributes), **members}


EMAIL = rule("EMAIL", "email", normalize=FOLDED, required=True)
HANDLE = rule("HANDLE", "username")
_B_PARTITION = {"name": "partition", "type": "B"}

CASES: Mapping[str, Case] = {
    "worked-example": Case(unique(EMAIL, HANDLE), {"email": TEXT, "username": TEXT | TOO_LONG}),
    "reserved-and-odd-names": Case(
        unique(
            rule("STATUS", "status", normalize=["nfkc"]),
            rule("e.mail", "e-mail address", normalize=["casefold"]),
            rule("T", "ti/t~le"),
        ),
        {"status": TEXT, "e-mail address": TEXT, "ti/t~le": TEXT},
    ),
    "combined": Case(
        unique(rule("MEMBER", "tenant", "handle", normalize=FOLDED), EMAIL),
        {"tenant": TEXT, "handle": TEXT, "email": TEXT},
    ),
    "combined-of-types": Case(
        unique(rule("SEAT", "hall", "row", "photo"), rule("ROW", "row", required=True)),
        {"hall": TEXT, "row": NUMBER, "photo": BINARY},
    ),
    "sets": Case(
        unique(
            rule("MAIL", "emails", normalize=FOLDED), rule("BADGE", "badges"), rule("KEY", "keys")
        ),
        {"emails": TEXTS | TEXT, "badges": NUMBERS_SET | NUMBER, "keys": BINARIES_SET | BINARY},
    ),
    "combined-sets": Case(
        unique(rule("ALIAS", "tenant", "aliases", normalize=["trim"])),
        {"tenant": TEXT | TEXTS, "aliases": TEXTS},
    ),
    "shared-namespace": Case(
        unique(
            rule("MAIL", "email", normalize=FOLDED, required=True),
            rule("MAIL", "backup", normalize=FOLDED),
            rule("PHONE", "phone"),
        ),
        {"email": TEXT, "backup": TEXT | TEXTS, "phone": TEXT | NUMBER},
    ),
    "overlapping-rules": Case(
        unique(EMAIL, rule("MEMBER", "tenant", "email"), rule("TENANT", "tenant", "username")),
        {"email": TEXT, "tenant": TEXT, "username": TEXT},
    ),
    "only-when": Case(
        unique(
            rule("EMAIL", "email", normalize=FOLDED, only_when={"status": ["active", "invited"]}),
            rule("HANDLE", "username", only_when={"level": [1, {"N": "2.0"}], "on": [True]}),
        ),
        {
            "email": TEXT,
            "username": TEXT,
            "status": st.sampled_from([{"S": "active"}, {"S": "invited"}, {"S": "gone"}])
            | HOLDS_NOTHING,
            "level": st.sampled_from([{"N": "1.0"}, {"N": "2"}, {"N": "3"}, {"S": "1"}]),
            "on": st.sampled_from([{"BOOL": True}, {"BOOL": False}, {"S": "true"}, {"L": []}]),
        },
    ),
    "own-lock-table": Case(
        unique(
            EMAIL,
            HANDLE,
            lock={
                "partition": "{namespace}/{value}",
                "table": {"name": "locks", "partition_key": {"name": "key", "type": "S"}},
            },
        ),
        {"email": TEXT, "username": TEXT},
    ),
    "partition-only": Case(
        unique(
            EMAIL,
            HANDLE,
            sort_key=None,
            record={"partition": "ACCT#{id}"},
            lock={"partition": "UNIQ#{namespace}#{value}"},
        ),
        {"email": TEXT, "username": TEXT | TOO_LONG},
    ),
    "numeric-sort-key": Case(
        unique(
            rule("BADGE", "badge", required=True),
            sort_key={"name": "no", "type": "N"},
            record={"partition": "ASSET#{site}", "sort": "{no}"},
            lock={"partition": "UNIQ#{namespace}#{value}", "sort": "0"},
        ),
        {"badge": NUMBER, "label": TEXT},
        st.fixed_dictionaries(
            {"site": st.sampled_from(["x", "y"]), "no": st.sampled_from(["1", "1.0", "-2e0", 7])}
        ),
    ),
    "binary-keys": Case(
        unique(
            rule("FILE", "digest"),
            rule("NAME", "name", normalize=["nfc"]),
            partition_key=_B_PARTITION,
            sort_key={"name": "sort", "type": "B"},
            record={"partition": "FILE#{id}", "sort": "{part}"},
            lock={"partition": "UNIQ#{namespace}#{value}", "sort": "LOCK"},
        ),
        {"digest": BINARY, "name": TEXT},
        st.fixed_dictionaries(
            {
                "id": st.sampled_from(["1", "\u00e9"]),
                "part": st.sampled_from(["p", {"B": "/w=="}, {"B": "/x=="}]),
            }
        ),
    ),
    "numeric-partition": Case(
        unique(
            HANDLE,
            rule("BADGE", "badge"),
            partition_key={"name": "id", "type": "N"},
            sort_key=None,
            record={"partition": "{id}"},
            lock={
                "partition": "UNIQ#{namespace}#{value}",
                "sort": "0",
                "table": {
                    "name": "locks",
                    "partition_key": _B_PARTITION,
                    "sort_key": {"name": "sort", "type": "N"},
                },
            },
        ),
        {"username": TEXT, "badge": NUMBER},
        st.sampled_from(["1", "1.00", "2", "1e2"]).map(lambda text: {"id": text}),
    ),
    "value-in-sort-key": Case(
        unique(EMAIL, HANDLE, lock={"partition": "UNIQ#{namespace}", "sort": "{value}"}),
        {"email": TEXT, "username": TEXT | TOO_LONG},
    ),
    "digests": Case(
        unique(
            rule("EMAIL", "email", normalize=FOLDED, digest="hmac-sha256"),
            rule("MEMBER", "tenant", "badge", digest="sha256"),
        ),
        {"email": TEXT | TOO_LONG, "tenant": TEXT, "badge": NUMBER},
        secret=SECRET,
    ),
}

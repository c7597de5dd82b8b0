"""Whatever JSON can be read can be answered: numbers to the digit, halves of pairs, any depth."""

from __future__ import annotations

import json

import pytest
from flask.testing import FlaskClient

from tests.samples import DESIGN
from tests.web.conftest import form
from tests.web.reading import Controls
from webapp.core.jsontext import read_json
from webapp.web.draft import BLANK, read_draft
from webapp.web.explain import FROM_PLAN
from webapp.web.loading import design_link, follow_link


def nest(levels: int) -> str:
    """JSON text that is nested so many levels deep, with a list on each."""
    return '{"a":[' * levels + "1" + ",{}]}" * levels


TEXTS = {
    "integer": "12345678901234567890123",
    "digits": "30.40",
    "half a pair": r'"\ud800"',
    "a name that is half a pair": r'{"\ud800": ["a"]}',
    "deep": nest(150),
    "deeper": nest(300),
}
given = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())


def lock_with(member: str) -> str:
    """A lint request for a lock without a guard that holds one more attribute."""
    item = f'{{"PK": {{"S": "UNIQ#EMAIL#a"}}, "SK": {{"S": "LOCK"}}, "x": {member}}}'
    put = f'{{"Put": {{"TableName": "accounts", "Item": {item}}}}}'
    return f'{{"request": [{put}], "design": {json.dumps(DESIGN)}}}'


@given
@pytest.mark.parametrize("typed", ["%s", '{"N": %s}', '{"S": %s}', '{"L": [%s]}', '{"M": %s}'])
def test_a_correction_keeps_what_was_sent(client: FlaskClient, typed: str, text: str) -> None:
    value = typed % text
    answer = client.post("/api/v1/lint", data=lock_with(value), content_type="application/json")
    assert answer.status_code == 200
    (warning,) = (w for w in read_json(answer.data)["warnings"] if w["code"] == "lock-unguarded")
    (corrected,) = warning["corrected"]
    assert corrected["action"]["Put"]["Item"]["x"] == read_json(value)


PARSED = {
    "half a pair": r'{"UpdateExpression": "\ud800"}',
    "an index beyond 64 bits": '{"ConditionExpression": "a[99999999999999999999] = :b"}',
}


@pytest.mark.parametrize("text", [*PARSED.values(), *TEXTS.values()], ids=[*PARSED, *TEXTS])
@pytest.mark.parametrize(
    "path", ["plan", "explain", "lint", "expression", "expression/parse", "locks/check", "run"]
)
def test_every_route_answers_what_it_is_sent(client: FlaskClient, path: str, text: str) -> None:
    for body in (text, f'{{"request": {text}, "error": {text}, "tree": {text}}}', f"[{text}]"):
        answer = client.post(f"/api/v1/{path}", data=body, content_type="application/json")
        assert answer.status_code in {200, 422}
        assert read_json(answer.data)


def with_condition(text: str) -> dict[str, str]:
    """The example form with a condition that is typed as JSON."""
    rule = "design/unique/0/only_when"
    return form() | {rule: "json", f"{rule}/json": text}


CONDITIONS = {
    "integer": ('{"status": [12345678901234567890123]}', 200),
    "digits": ('{"status": [30.40]}', 200),
    "no object": (r'"\ud800"', 422),
    "half a pair": (r'{"status": ["\ud800"]}', 422),
    "a name that is half a pair": (r'{"\ud800": ["a"]}', 422),
    **{f"{levels} levels": (f'{{"status": [{nest(levels)}]}}', 422) for levels in (60, 127, 260)},
}


@pytest.mark.parametrize("path", ["/", "/download/request.json", "/download/design.json"])
@pytest.mark.parametrize(("text", "status"), CONDITIONS.values(), ids=CONDITIONS.keys())
def test_a_condition_in_json_is_taken_or_refused_and_never_lost(
    client: FlaskClient, path: str, text: str, status: int
) -> None:
    answer = client.post(path, data=with_condition(text))
    if path == "/download/design.json":
        assert answer.status_code == 200
        assert read_json(answer.data)["unique"][0]["only_when"] == read_json(text)
        return
    assert answer.status_code == status
    if path == "/" or status == 422:
        shown = read_draft(Controls(answer.text).pairs.items())
        assert shown.rules[0].when_json == text
        assert status == 422 or follow_link(BLANK, design_link(shown)).rules == shown.rules


PAGES = ["/", "/record", "/run", "/explain", "/table"]


@given
@pytest.mark.parametrize("path", PAGES)
def test_every_button_takes_a_value_in_json(client: FlaskClient, path: str, text: str) -> None:
    row = "changes/0/attributes/0"
    button = {} if path == "/" else {"endpoint": "local", "look": "0/local", "do": FROM_PLAN}
    for kind in ("L", "JSON"):
        value = {f"{row}/type": kind, f"{row}/value": text}
        for sent in (value, with_condition(f'{{"status": [{text}]}}')):
            assert client.post(path, data=form() | sent | button).status_code < 500


@given
def test_a_transaction_is_laid_out_whole(client: FlaskClient, text: str) -> None:
    answer = client.post("/check", data={"request": text, "do": "lay-out"})
    assert answer.status_code in {200, 422}
    assert read_json(Controls(answer.text).pairs["request"]) == read_json(text)


@given
@pytest.mark.parametrize("path", ["/check", "/explain", "/expressions"])
def test_every_page_takes_what_is_pasted(client: FlaskClient, path: str, text: str) -> None:
    for pasted in (text, f'{{"TransactItems": {text}}}', lock_with(text)):
        names = ("request", "design", "table", "error", "sent", "pasted", "sample")
        answer = client.post(path, data=dict.fromkeys(names, pasted) | {"do": "read"})
        assert answer.status_code in {200, 422}

"""Who may ask, and what a page may do."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from tests.web.conftest import FakeGateway, form
from webapp.web import create_app
from webapp.web.draft import EXAMPLE
from webapp.web.settings import Settings
from webapp.web.writing import write

OURS = "http://localhost"
# Headers of a request that changes something, and whether it is served.
REQUESTS = [
    ({}, True),
    ({"Sec-Fetch-Site": "same-origin", "Origin": OURS}, True),
    ({"Sec-Fetch-Site": "none"}, True),
    ({"Sec-Fetch-Site": "cross-site", "Origin": "http://evil.test"}, False),
    ({"Sec-Fetch-Site": "same-site", "Origin": "http://localhost:9999"}, False),
    ({"Sec-Fetch-Site": "cross-site", "Origin": OURS}, False),
    ({"Sec-Fetch-Site": ""}, False),
    ({"Origin": OURS}, True),
    ({"Origin": OURS, "Host": "localhost:80"}, True),
    ({"Origin": "http://localhost:9999", "Host": "localhost:9999"}, True),
    ({"Origin": "http://localhost:9999"}, False),
    ({"Origin": "https://localhost"}, False),
    ({"Origin": "http://evil.test"}, False),
    ({"Origin": "null"}, False),
]


@pytest.mark.parametrize(("headers", "served"), REQUESTS, ids=str)
@pytest.mark.parametrize("path", ["/", "/run", "/api/v1/run"])
def test_only_our_own_page_and_programs_are_served(
    client: FlaskClient, gateway: FakeGateway, path: str, headers: dict[str, str], served: bool
) -> None:
    if path.startswith("/api"):
        asked = {**write(EXAMPLE).document, "endpoint": "local"}
        answer = client.post(path, json=asked, headers=headers)
    else:
        answer = client.post(path, data=form(endpoint="local"), headers=headers)
    assert answer.status_code == (200 if served else 403)
    assert served or gateway.sent == []


# What another site asks for by its mode and its destination, and whether it is served.
EMBEDDED = [
    ("navigate", "document", True),
    ("no-cors", "image", False),
    ("no-cors", "script", False),
    ("cors", "empty", False),
    ("navigate", "iframe", False),
    ("navigate", "embed", False),
]


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize(("mode", "dest", "served"), EMBEDDED)
@pytest.mark.parametrize("path", ["/", "/api/v1/openapi.json"])
def test_another_site_may_open_a_page_and_embed_nothing(
    client: FlaskClient, path: str, mode: str, dest: str, served: bool, site: str
) -> None:
    sent = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
    assert client.get(path, headers=sent).status_code == (200 if served else 403)


def test_our_own_page_loads_its_parts(client: FlaskClient) -> None:
    sent = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    assert client.get("/favicon.ico", headers=sent).status_code == 200


HOSTS = [
    ("127.0.0.1:8080", 200),
    ("localhost", 200),
    ("LocalHost:1", 200),
    ("[::1]:8080", 200),
    ("evil.test", 400),
    ("evil.test:80@127.0.0.1", 400),
    ("user@localhost", 400),
    ("127.0.0.1/evil", 400),
    ("127.0.0.1?x", 400),
    ("127.0.0.1#x", 400),
    ("127.0.0.1:80:80", 400),
    ("127.0.0.1:port", 400),
    ("[::1]evil", 400),
    ("[::1", 400),
    ("", 400),
]


@pytest.mark.parametrize(("host", "status"), HOSTS)
@pytest.mark.parametrize("path", ["/", "/api/v1/openapi.json", "/favicon.ico", "/nothing"])
def test_a_foreign_host_name_is_refused(
    client: FlaskClient, path: str, host: str, status: int
) -> None:
    answer = client.get(path, headers={"Host": host})
    assert answer.status_code == (404 if path == "/nothing" and status == 200 else status)


def test_a_host_that_was_named_at_the_start_is_served() -> None:
    client = create_app(Settings(trusted_hosts=("box.lan",))).test_client()
    assert client.get("/", headers={"Host": "box.lan:8080"}).status_code == 200


@pytest.mark.parametrize("named", ["", "no name", "::1"])
@pytest.mark.parametrize("host", ["", "evil@localhost", "no name"])
def test_a_name_that_is_none_trusts_nothing(named: str, host: str) -> None:
    client = create_app(Settings(trusted_hosts=(named,))).test_client()
    assert client.get("/favicon.ico", headers={"Host": host}).status_code == 400


PATHS = ["/", "/nothing", "/api/v1/openapi.json", "/favicon.ico"]


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_bounds_what_a_page_may_do(client: FlaskClient, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    is_page = not path.startswith("/api/")
    assert (headers.get("Referrer-Policy") == "same-origin") == is_page


@pytest.mark.parametrize(
    ("refused", "status"), [({"Host": "evil.test"}, 400), ({"Sec-Fetch-Site": "cross-site"}, 403)]
)
def test_a_refusal_bounds_it_as_well(
    client: FlaskClient, refused: dict[str, str], status: int
) -> None:
    answer = client.post("/", data=form(), headers=refused)
    assert answer.status_code == status
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]


def test_no_page_has_a_script_or_style_of_its_own(client: FlaskClient) -> None:
    for page in (client.get("/").text, client.get("/nothing").text):
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:|<script(?! src=)", page)


def test_the_secret_is_never_shown() -> None:
    settings = Settings(secret="very-secret")
    page = create_app(settings).test_client().post("/", data=form())
    assert "very-secret" not in repr(settings) + page.text

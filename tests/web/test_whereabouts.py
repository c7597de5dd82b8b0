"""Where a run would go, and as whom: told before anything is sent, and waited for by nobody."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field, replace
from html import unescape

import pytest
from flask.testing import FlaskClient

from tests.web.conftest import AWS, LOCAL, FakeGateway, form, htmx
from tests.web.reading import Controls
from webapp.endpoints import Endpoint
from webapp.web import create_app
from webapp.web.draft import EXAMPLE
from webapp.web.settings import Settings, Target
from webapp.web.whereabouts import Identities

ACCOUNT = "111122223333"


@dataclass
class Aws(FakeGateway):
    """Tells its account, and counts how often it is asked for it; waits for ``tells`` first."""

    number: str | None = ACCOUNT
    counted: int = 0
    tells: threading.Event = field(default_factory=threading.Event)

    @property  # type: ignore[misc]
    def account(self) -> str | None:
        self.counted += 1
        assert self.tells.wait(30)
        self.key_id = "…WXYZ"
        return self.number

    @account.setter
    def account(self, value: str | None) -> None:
        pass


@pytest.fixture
def aws() -> Aws:
    prompt = Aws(key_id="")
    prompt.tells.set()
    return prompt


def visitor(
    gateway: FakeGateway,
    endpoint: Endpoint = AWS,
    *,
    allow_write: bool = True,
    read_only: bool = False,
) -> FlaskClient:
    """A page that knows one endpoint."""
    targets = {endpoint.name: Target(endpoint, lambda: gateway)}
    settings = Settings(targets=targets, allow_write=allow_write, read_only=read_only)
    return create_app(settings).test_client()


def facts(text: str) -> list[dict[str, str]]:
    """Where each run of a page goes, by what it is called."""
    lists = re.findall(r'<dl class="goes".*?</dl>', text, re.DOTALL)
    pairs = (re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", found) for found in lists)
    return [{name: unescape(said) for name, said in found} for found in pairs]


LOCALLY = {
    "Address": "http://127.0.0.1:4566",
    "Region": "us-east-1",
    "Table": "accounts",
    "Access key id": "lockwright",
}
PROD = {
    "Address": "AWS",
    "Region": "eu-west-1",
    "Account": ACCOUNT,
    "Table": "accounts",
    "Access key id": "…WXYZ",
}


@pytest.mark.parametrize("path", ["/", "/expressions"])
def test_a_local_run_is_told_by_address_region_table_and_key_id(
    gateway: FakeGateway, path: str
) -> None:
    assert facts(visitor(gateway, LOCAL).get(path).text) == [LOCALLY]


@pytest.mark.parametrize("path", ["/", "/expressions"])
def test_a_run_on_aws_is_told_by_region_account_table_and_the_end_of_the_key_id(
    aws: Aws, path: str
) -> None:
    client = visitor(aws)
    page = client.get(path)
    part = client.post(path, data=Controls(page.text).pairs, headers=htmx("result"))
    assert [facts(page.text), facts(part.text)] == [[PROD], [PROD]]


def test_locks_in_a_table_of_their_own_are_named_too(gateway: FakeGateway) -> None:
    own = replace(EXAMPLE.locks.table, name="locks")
    draft = replace(EXAMPLE, locks=replace(EXAMPLE.locks, own_table=True, table=own))
    page = visitor(gateway, LOCAL).post("/", data=form(draft))
    assert facts(page.text) == [LOCALLY | {"Table": "accounts, locks"}]


def test_an_account_is_asked_for_once(aws: Aws) -> None:
    client = visitor(aws)
    for _ in range(3):
        client.get("/")
        client.get("/expressions")
        client.post("/table", data={"to": "prod"})
    assert aws.counted == 1


def test_an_account_that_is_not_to_be_had_is_not_known(aws: Aws) -> None:
    aws.number = None
    client = visitor(aws)
    assert [f["Account"] for f in facts(client.get("/").text)] == ["not known"]
    assert [f["Account"] for f in facts(client.get("/").text)] == ["not known"]
    assert aws.counted == 1


def test_other_keys_may_be_those_of_another_account(aws: Aws) -> None:
    client = visitor(aws)
    client.get("/")
    aws.key_id = "…ABCD"
    client.get("/")
    assert aws.counted == 2


@pytest.mark.parametrize(("allow_write", "read_only"), [(False, False), (True, True)])
def test_nothing_is_asked_of_an_endpoint_to_which_nothing_can_go(
    aws: Aws, allow_write: bool, read_only: bool
) -> None:
    page = visitor(aws, allow_write=allow_write, read_only=read_only).get("/")
    assert (facts(page.text), aws.counted) == ([], 0)


def test_no_page_hangs_on_an_account_that_is_not_told() -> None:
    silent = Aws(key_id="")
    client = visitor(silent)
    client.application.extensions["identities"] = Identities(patience=0.0)
    for _ in range(3):
        assert [f["Account"] for f in facts(client.get("/").text)] == ["not known yet"]
    assert silent.counted == 1
    silent.tells.set()
    assert told_in_time(client)


def told_in_time(client: FlaskClient) -> bool:
    """Ask until the account is told."""
    return any(PROD in facts(client.get("/").text) for _ in range(5_000))


def test_the_tables_page_tells_the_same(aws: Aws) -> None:
    page = visitor(aws).post("/table", data={"to": "prod"})
    assert f'<dd class="mono">{ACCOUNT}</dd>' in page.text
    assert '<span class="mono">…WXYZ</span>' in page.text

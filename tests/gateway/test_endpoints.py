"""Endpoints as they are written, and what is no endpoint."""

from __future__ import annotations

import pytest

from webapp.endpoints import Endpoint, EndpointNotation, named_endpoints, parse_endpoint

LOCAL8000 = Endpoint("local8000", "http://127.0.0.1:8000", "us-east-1")


@pytest.mark.parametrize(
    ("notation", "expected"),
    [
        ("local8000=http://127.0.0.1:8000", LOCAL8000),
        ("local8000=http://127.0.0.1:8000/", LOCAL8000),
        (
            "tls=https://dynamodb.internal",
            Endpoint("tls", "https://dynamodb.internal", "us-east-1"),
        ),
        ("v6=http://[::1]:8000", Endpoint("v6", "http://[::1]:8000", "us-east-1")),
        ("prod=aws:eu-west-1", Endpoint("prod", None, "eu-west-1")),
        ("gov=aws:us-gov-west-1:admin", Endpoint("gov", None, "us-gov-west-1", "admin")),
        ("p=aws:eu-west-1:a:b", Endpoint("p", None, "eu-west-1", "a:b")),
    ],
)
def test_an_endpoint_is_read(notation: str, expected: Endpoint) -> None:
    assert parse_endpoint(notation) == expected


@pytest.mark.parametrize(
    ("notation", "said"),
    [
        ("", "is not an endpoint"),
        ("local", "is not an endpoint"),
        ("=http://127.0.0.1", "is not an endpoint"),
        ("a b=http://127.0.0.1", "is not an endpoint"),
        ("x=127.0.0.1:8000", "is not a URL"),
        ("x=file:///etc/passwd", "is not a URL"),
        ("x=http://", "is not a URL"),
        ("x=http://127.0.0.1:0", "is not a URL"),
        ("x=http://127.0.0.1:99999", "is not a URL"),
        ("x=http://[::1", "is not a URL"),
        ("x=http://user:secret@127.0.0.1", "user name or password"),
        ("x=http://127.0.0.1/path", "must end after the host"),
        ("x=http://127.0.0.1?query", "must end after the host"),
        ("x=aws:", "is not a Region"),
        ("x=aws:Ireland", "is not a Region"),
        ("x=aws:eu-west-1:", "profile is missing"),
    ],
)
def test_what_is_no_endpoint_is_refused_with_the_reason(notation: str, said: str) -> None:
    with pytest.raises(EndpointNotation, match=said):
        parse_endpoint(notation)


def test_arguments_replace_the_environment_and_that_replaces_the_file() -> None:
    toml = '[endpoints]\na = "http://127.0.0.1:1"\nb = "http://127.0.0.1:2"\nc = "aws:eu-west-1:x"'
    variable = "b=http://127.0.0.1:3  d=http://127.0.0.1:4"
    endpoints = named_endpoints(["d=http://127.0.0.1:5"], variable, toml)
    assert {name: endpoint.place for name, endpoint in endpoints.items()} == {
        "a": "http://127.0.0.1:1",
        "b": "http://127.0.0.1:3",
        "c": "AWS eu-west-1",
        "d": "http://127.0.0.1:5",
    }


@pytest.mark.parametrize("text", ["not toml", "[other]\nx = 1", "endpoints = 3", "x = 1"])
def test_a_settings_file_holds_endpoints_and_nothing_else(text: str) -> None:
    with pytest.raises(EndpointNotation, match="settings file"):
        named_endpoints(file_text=text)

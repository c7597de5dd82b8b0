"""Endpoints: the places a plan can be sent to, named by the person who starts Lockwright.

Rule: an endpoint is named at start and never comes from a visitor, so a request can only reach
what the operator chose. A local endpoint always uses one fixed Region and dummy keys made of
letters and digits: local engines keep a separate store per Region and key id, and newer ones
refuse other characters. AWS uses the normal credential chain. Nothing here connects to anything.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

LOCAL_REGION = "us-east-1"
LOCAL_KEY_ID = "lockwright"
LOCAL_SECRET = "lockwright"  # noqa: S105 - a dummy that local engines ask for and do not check

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}", re.ASCII)
_REGION = re.compile(r"[a-z]{2,}(-[a-z0-9]+)+", re.ASCII)


class EndpointNotation(ValueError):
    """An endpoint was not written as ``NAME=URL`` or ``NAME=aws:REGION[:PROFILE]``."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go. ``url`` is ``None`` for AWS itself; ``profile`` is only used there."""

    name: str
    url: str | None
    region: str
    profile: str | None = None

    @property
    def is_local(self) -> bool:
        """Whether this is a local engine (dummy keys, tables may be made) and not AWS."""
        return self.url is not None

    @property
    def place(self) -> str:
        """The URL of a local engine or the AWS Region, to be shown to a person."""
        return self.url if self.url is not None else f"AWS {self.region}"


def local_endpoint(name: str, url: str) -> Endpoint:
    """An endpoint that is not AWS: an ``http`` or ``https`` URL with a host and no path.

    Raises ``EndpointNotation`` for anything else.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise EndpointNotation(f"{url!r} is not a URL: {error}.") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
        raise EndpointNotation(f"{url!r} is not a URL like http://127.0.0.1:8000.")
    if parts.username or parts.password:
        raise EndpointNotation(
            f"The URL of endpoint {name!r} must not hold a user name or password."
        )
    if parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise EndpointNotation(f"{url!r} must end after the host and port.")
    return Endpoint(name, f"{parts.scheme}://{parts.netloc}", LOCAL_REGION)


def parse_endpoint(notation: str) -> Endpoint:
    """Read ``NAME=URL`` or ``NAME=aws:REGION[:PROFILE]``.

    Raises ``EndpointNotation`` with what was given and what is allowed.
    """
    name, separator, place = notation.partition("=")
    if not separator or not _NAME.fullmatch(name):
        raise EndpointNotation(
            f"{notation!r} is not an endpoint. Write NAME=URL or NAME=aws:REGION[:PROFILE]; "
            "a name has up to 40 letters, digits, '_', '.' and '-'."
        )
    if place.startswith("aws:"):
        return _aws_endpoint(name, place.removeprefix("aws:"))
    return local_endpoint(name, place)


def named_endpoints(
    arguments: Iterable[str] = (), variable: str = "", file_text: str = ""
) -> Mapping[str, Endpoint]:
    """The endpoints of all three sources by name; a later source replaces an earlier one.

    ``file_text`` is TOML with a table ``[endpoints]`` of ``name = "URL or aws:REGION[:PROFILE]"``;
    ``variable`` holds notations separated by blanks, ``arguments`` one each. Raises
    ``EndpointNotation``.
    """
    notations = [*_file_notations(file_text), *variable.split(), *arguments]
    return {endpoint.name: endpoint for endpoint in map(parse_endpoint, notations)}


def _file_notations(text: str) -> list[str]:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise EndpointNotation(f"The settings file is not TOML: {error}.") from error
    places = document.pop("endpoints", {})
    if document or not isinstance(places, dict):
        raise EndpointNotation("The settings file holds one table, [endpoints], and nothing else.")
    return [f"{name}={place}" for name, place in places.items()]


def _aws_endpoint(name: str, place: str) -> Endpoint:
    region, separator, profile = place.partition(":")
    if not _REGION.fullmatch(region):
        raise EndpointNotation(f"{region!r} is not a Region. Write {name}=aws:eu-west-1.")
    if separator and not profile:
        raise EndpointNotation(f"The profile is missing after 'aws:{region}:'.")
    return Endpoint(name, None, region, profile or None)

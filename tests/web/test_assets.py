"""Static files: kept for a year under an address that names their content."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

NAMES = ["app.css", "app.js", "htmx.min.js", "favicon.svg", "fonts/plex-sans-400.woff2"]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_kept_for_a_year(client: FlaskClient, name: str) -> None:
    version = re.search(r"/static/(\w+)/", client.get("/").text)
    assert version
    answer = client.get(f"/static/{version[1]}/{name}")
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_an_old_address_gives_the_present_file_for_now(client: FlaskClient) -> None:
    answer = client.get("/static/old/app.css")
    assert answer.status_code == 200
    assert "immutable" not in answer.headers["Cache-Control"]


@pytest.mark.parametrize("name", ["nothing.css", "../pyproject.toml", "%2e%2e/pyproject.toml", "."])
def test_nothing_else_is_served(client: FlaskClient, name: str) -> None:
    assert client.get(f"/static/x/{name}").status_code == 404


def test_the_page_names_only_files_that_exist(client: FlaskClient) -> None:
    page = client.get("/").text
    found = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert len(found) >= 4
    assert [client.get(url).status_code for url in found] == [200] * len(found)


def test_the_styles_name_only_files_that_exist(client: FlaskClient) -> None:
    css = client.get("/static/x/app.css").text
    for name in re.findall(r'url\("([^"]+)"\)', css):
        assert client.get(f"/static/x/{name}").status_code == 200


def test_the_icon_has_its_usual_address(client: FlaskClient) -> None:
    assert client.get("/favicon.ico").mimetype == "image/svg+xml"

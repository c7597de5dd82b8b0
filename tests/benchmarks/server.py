"""A server process for the serving benchmark: the app, or the bare pages it is compared with."""

from __future__ import annotations

import logging
import random
import sys
from collections.abc import Callable

import waitress
from flask import Flask, render_template
from jinja2 import DictLoader

from webapp.attempts import Policy
from webapp.endpoints import local_endpoint
from webapp.gateway import Gateway
from webapp.web import create_app
from webapp.web.settings import Settings, Target
from webapp.web.turns import SWITCH_SECONDS, THREADS

ROW = "<tr><td>{{ row.name }}</td><td>{{ row.value }}</td></tr>\n"
PAGE = (
    f"<!doctype html><title>bare</title><table>{{% for row in rows %}}{ROW}{{% endfor %}}</table>"
)
ROWS = [{"name": f"attribute {n}", "value": f"<value & more {n}>"} for n in range(130)]


def bare_app() -> Flask:
    """An empty route and a bare Jinja page of about 10 KB."""
    app = Flask(__name__)
    app.jinja_loader = DictLoader({"bare.html": PAGE})

    @app.post("/empty")
    def empty() -> str:
        return ""

    @app.get("/bare")
    def bare() -> str:
        return render_template("bare.html", rows=ROWS)

    return app


def our_app(url: str = "") -> Flask:
    """Lockwright, with an endpoint ``quick`` where an address is given."""
    if not url:
        return create_app()
    endpoint = local_endpoint("quick", url)
    gateway = Gateway(endpoint, policy=Policy(jitter=random.random, first_pause=0.001))
    return create_app(Settings(targets={"quick": Target(endpoint, lambda: gateway)}))


APPS: dict[str, Callable[..., Flask]] = {"bare": bare_app, "lockwright": our_app}


def main(name: str, *arguments: str) -> None:
    """Serve the app ``name`` on a free loopback port, which is printed, until ended."""
    sys.setswitchinterval(SWITCH_SECONDS)
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    app = APPS[name](*arguments)
    server = waitress.create_server(app, host="127.0.0.1", port=0, threads=THREADS)
    print(server.effective_port, flush=True)
    server.run()


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A server process for the serving benchmark: the app, or the bare pages it is compared with."""

from __future__ import annotations

import logging
import sys

import waitress
from flask import Flask, render_template
from jinja2 import DictLoader

from webapp.cli import THREADS
from webapp.web import create_app

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


APPS = {"bare": bare_app, "lockwright": create_app}


def main(name: str) -> None:
    """Serve the app ``name`` on a free loopback port, which is printed, until ended."""
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    server = waitress.create_server(APPS[name](), host="127.0.0.1", port=0, threads=THREADS)
    print(server.effective_port, flush=True)
    server.run()


if __name__ == "__main__":
    main(sys.argv[1])

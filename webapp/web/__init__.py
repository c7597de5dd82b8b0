"""The web page: a form first, htmx second.

Rule: this package asks the core and hands texts to a gateway that it is given; it knows neither
DynamoDB's rules nor its client. The reason: the page, the JSON API and the command line must give
the same answers.
"""

from __future__ import annotations

from flask import Flask
from jinja2 import StrictUndefined

from webapp.web import (
    api,
    assets,
    bounds,
    check,
    colours,
    explain,
    expressions,
    faults,
    plandoor,
    race,
    reference,
    security,
    table,
    texts,
    transaction,
    turns,
)
from webapp.web.compiled import COMPILED
from webapp.web.controls import control_id
from webapp.web.folders import folder
from webapp.web.forms import FormRequest
from webapp.web.races import Races
from webapp.web.sendings import Sendings
from webapp.web.settings import Settings
from webapp.web.whereabouts import Identities

__all__ = ["Settings", "create_app"]


MACROS = {"f": "macros/fields.html", "o": "macros/outputs.html"}
"""The macros that every template knows, by the names it knows them by. An import in each of the
parts of a page would cost more than what they say."""


def create_app(settings: Settings | None = None) -> Flask:
    """The application, for any WSGI server. Nothing is connected to before somebody asks."""
    settings = settings or Settings()
    app = Flask(__name__, static_folder=None, template_folder=str(folder("templates")))
    app.request_class = FormRequest
    app.extensions["lockwright"] = settings
    app.extensions["assets"] = assets.read_assets()
    app.extensions["races"] = Races()
    app.extensions["sendings"] = Sendings()
    app.extensions["identities"] = Identities()
    app.config.from_mapping(
        MAX_CONTENT_LENGTH=settings.max_body_bytes,
        MAX_FORM_MEMORY_SIZE=settings.max_body_bytes,
        MAX_FORM_PARTS=bounds.BOUNDS["form-controls"],
        TEMPLATES_AUTO_RELOAD=False,
    )
    _prepare_templates(app)
    app.wsgi_app = plandoor.before(app.wsgi_app, settings)  # type: ignore[assignment,method-assign]
    security.protect(app, settings)
    faults.answer(app)
    for room in (
        assets,
        colours,
        transaction,
        expressions,
        table,
        check,
        explain,
        race,
        reference,
        api,
    ):
        app.register_blueprint(room.blueprint)
    turns.share(app)
    return app


def _prepare_templates(app: Flask) -> None:
    texts.speak(app)
    env = app.jinja_env
    env.undefined = StrictUndefined
    env.auto_reload = False
    env.bytecode_cache = COMPILED
    env.trim_blocks = env.lstrip_blocks = True
    env.filters["id"] = control_id
    for name, macros in MACROS.items():
        env.globals[name] = env.get_template(macros).module

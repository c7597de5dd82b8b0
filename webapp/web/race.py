"""The page of the race: three ways to take an address, run for real and drawn as it happened.

Rule: the page shows what was recorded and nothing else, and only the transaction is ever called a
guarantee. A race is started by a form, looked at under an address of its own, and that address
answers a browser without a script, htmx's polling and a program (as JSON) alike. The reason: the
picture is an argument, and whoever doubts it must be able to run it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)

from webapp.core.jsontext import write
from webapp.core.problems import Refused
from webapp.race import (
    BOUNDS,
    EMAIL,
    ENDS,
    FAILED,
    FREE,
    READ,
    STATES,
    TAKEN,
    VERDICTS,
    WAYS,
    WRITE,
    WRITTEN,
    Heat,
    Lane,
    Race,
    Report,
    Way,
    read_race,
)
from webapp.racing import Ground, Racing
from webapp.web import htmx
from webapp.web.forms import sent
from webapp.web.navigation import Frame, frame
from webapp.web.races import Races, RaceUnderWay
from webapp.web.settings import Target, settings
from webapp.web.texts import Said, gettext, lazy_gettext, ngettext, say, say_trouble
from webapp.web.timeline import Timeline, scale_of, timeline_of

blueprint = Blueprint("race", __name__, url_prefix="/race")

PARTS = {"race": "partials/race.html", "course": "partials/course.html"}

ANSWERS = {
    FREE: lazy_gettext("free"),
    TAKEN: lazy_gettext("taken"),
    FAILED: lazy_gettext("failed"),
}
TONES = {"kept": "good", "lucky": "unsure", "lost": "bad", "broken": "bad", "nobody": "bad"}


@dataclass(frozen=True, slots=True)
class Count:
    """How many sign-ups had one answer; ``mark`` is the sign they have in the picture."""

    mark: str
    text: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One way: what it does and why it ends as it does, and what was seen of it, if anything."""

    code: str
    way: Way
    owners: str = ""
    number: int | None = None
    verdict: str = ""
    tone: str = ""
    summary: str = ""
    counts: tuple[Count, ...] = ()
    picture: Timeline | None = None
    lanes: tuple[Lane, ...] = ()


@dataclass(frozen=True, slots=True)
class Course:
    """The race that is looked at: how far it is, and whether its news was told before."""

    name: str
    report: Report
    said: str
    is_news: bool
    trouble: Said | None


@dataclass(frozen=True, slots=True)
class Asked:
    """The form as it was filled in, and what is wrong with it."""

    values: Mapping[str, str]
    notes: Mapping[str, str] = field(default_factory=dict)
    busy: str = ""
    status: int = 200


@dataclass(frozen=True, slots=True)
class View:
    """Everything the page shows."""

    frame: Frame
    email: str
    values: Mapping[str, str]
    notes: Mapping[str, str]
    focus: str | None
    targets: tuple[str, ...]
    chosen: str
    is_read_only: bool
    running: str
    is_refused: bool
    course: Course | None
    panels: tuple[Panel, ...]
    ends: Mapping[str, str]
    answers: Mapping[str, str]
    is_part: bool


@blueprint.get("")
def page() -> Response:
    """The form, and what each way does."""
    return _shown(Asked(_values(Race())))


@blueprint.post("")
def start() -> Response:
    """Start a race and go to its address; 409 while another one runs, 422 for wrong numbers."""
    place = sent().text("endpoint")
    ground = _ground(place)
    values = {name: sent().text(name) for name in BOUNDS}
    try:
        racing = Racing(read_race(values), ground, place)
        name = _races().start(racing)
    except Refused as refused:
        notes = {p.path[1:]: f"{say(p).message} {say(p).hint}" for p in refused.problems}
        return _shown(Asked(values, notes, status=422))
    except RaceUnderWay as other:
        asked = Asked(values, busy=other.name, status=409)
        return _shown(asked, other.name, _races().report(other.name))
    return _to(name)


@blueprint.get("/<name>")
def watch(name: str) -> Response:
    """The race of that name as far as it has come."""
    report = _report(name)
    response = _shown(Asked(_values(report.race)), name, report)
    if htmx.wanted_part(request) == "race":
        response.headers["HX-Push-Url"] = request.path
    return response


@blueprint.get("/<name>/race.json")
def record(name: str) -> Response:
    """Every step that was recorded, as JSON."""
    return Response(write(_report(name).as_document()), mimetype="application/json")


@blueprint.post("/<name>/stop")
def stop(name: str) -> Response:
    """Stop the race of that name and go back to it."""
    if not _races().cancel(name):
        abort(404)
    return _to(name)


def _races() -> Races:
    races: Races = current_app.extensions["races"]
    return races


def _places() -> Mapping[str, Target]:
    """The endpoints a race can be held on: local ones, unless nothing may be written."""
    held = settings()
    return {
        name: target
        for name, target in held.targets.items()
        if target.ground is not None and held.may_write(target)
    }


def _ground(name: str) -> Ground:
    """The endpoint of that name, opened; 404 when there is none, 403 when no race may be there."""
    target = _places().get(name)
    if target is None or target.ground is None:
        abort(403 if name in settings().targets else 404)
    return target.ground()


def _report(name: str) -> Report:
    report = _races().report(name)
    if report is None:
        abort(404)
    return report


def _to(name: str) -> Response:
    response: Response = make_response(redirect(url_for("race.watch", name=name), 303))
    return response


def _values(race: Race) -> Mapping[str, str]:
    return {name: str(getattr(race, name)) for name in BOUNDS}


def _shown(asked: Asked, name: str = "", report: Report | None = None) -> Response:
    """The page, or the part that htmx asked for, with the true status."""
    template = PARTS.get(htmx.wanted_part(request) or "", "pages/race.html")
    response = make_response(
        render_template(template, view=_view(asked, name, report)), asked.status
    )
    response.headers["Cache-Control"] = "no-store"
    response.headers["Vary"] = "HX-Request, HX-Target, Cookie"
    return response


def _view(asked: Asked, name: str, report: Report | None) -> View:
    places = tuple(_places())
    chosen = sent().text("endpoint", report.place if report else "")
    return View(
        frame=frame(),
        email=EMAIL,
        values=asked.values,
        notes=asked.notes,
        focus=next(iter(asked.notes), None),
        targets=places,
        chosen=chosen if chosen in places else "".join(places[:1]),
        is_read_only=settings().read_only,
        running=asked.busy or _races().running() or "",
        is_refused=bool(asked.busy),
        course=_course(name, report) if report else None,
        panels=_panels(report),
        ends=ENDS,
        answers=ANSWERS,
        is_part=htmx.wanted_part(request) == "course",
    )


def _course(name: str, report: Report) -> Course:
    said = _said(report)
    trouble = report.trouble or next((h.trouble for h in report.heats if h.trouble), None)
    return Course(
        name=name,
        report=report,
        said=said,
        is_news=request.args.get("said") != said,
        trouble=say_trouble(trouble) if trouble else None,
    )


def _said(report: Report) -> str:
    """The news of a race in a sentence; it changes a few times only, not with every request."""
    if report.is_running:
        way = WAYS[report.heats[-1].way].name if report.heats else ""
        return (
            gettext("Running: %(way)s …", way=gettext(way)) if way else gettext("Getting ready …")
        )
    results = (
        f"{gettext(WAYS[heat.way].name)}: {_owners(heat.accounts)}."
        for heat in report.heats
        if heat.accounts is not None
    )
    return " ".join((gettext(STATES[report.state]), *results))


def _panels(report: Report | None) -> tuple[Panel, ...]:
    """The three ways; what is still to come of a race that is on has an empty picture."""
    if report is None:
        return tuple(Panel(code, way) for code, way in WAYS.items())
    heats = {heat.way: heat for heat in report.heats}
    scale = scale_of(report.race, report.heats)
    return tuple(_panel(heats.get(code, Heat(code)), report, scale) for code in WAYS)


def _panel(heat: Heat, report: Report, scale: float) -> Panel:
    counts = tuple(_counts(heat))
    owners = "" if heat.accounts is None else _owners(heat.accounts)
    return Panel(
        code=heat.way,
        way=WAYS[heat.way],
        owners=owners,
        number=heat.accounts,
        verdict=VERDICTS.get(heat.verdict, ""),
        tone=TONES.get(heat.verdict, ""),
        summary="; ".join([*(count.text for count in counts), *filter(None, [owners])]),
        counts=counts,
        picture=timeline_of(heat, report.race, scale),
        lanes=() if report.is_running else heat.lanes(report.race.sign_ups),
    )


def _owners(accounts: int | None) -> str:
    return ngettext(
        "%(num)s account owns the address", "%(num)s accounts own the address", accounts or 0
    )


def _counts(heat: Heat) -> list[Count]:
    """Who was told what; an answer that nobody had is left out, but not the two that matter."""
    taken = heat.count(READ, TAKEN) + heat.count(WRITE, TAKEN)
    found = [
        Count("free", gettext("%(count)s told “free”", count=heat.count(READ, FREE))),
        Count("written", gettext("%(count)s wrote", count=heat.count(WRITE, WRITTEN))),
        Count("taken", gettext("%(count)s told “taken”", count=taken)),
        Count("failed", gettext("%(count)s failed", count=heat.failed)),
    ]
    hidden = {"free"} if not WAYS[heat.way].looks else set()
    return [c for c in found if c.mark not in hidden and (c.mark != "failed" or heat.failed)]

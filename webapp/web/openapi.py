"""The description of the JSON routes, as OpenAPI 3.1.

Rule: document shapes come from the models that check them, and problem codes from the table of all
problems. The reason: a description that is written by hand lies after the first change.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic.json_schema import models_json_schema

from webapp.core.documents import PlanRequestShape
from webapp.core.expressions.builder import ExpressionShape
from webapp.core.expressions.operations import OPERATIONS, TRANSACTIONS
from webapp.core.failures.causes import CAUSES
from webapp.core.linting.saved import PLAN_MEMBERS
from webapp.core.planning.design import DesignShape
from webapp.core.problems import TEXTS
from webapp.lockcheck import LockCheckShape

Json = dict[str, Any]
CONFIRM: Json = {
    "type": "string",
    "description": "The table's name, or the names of all tables that are written, with "
    "commas between them: what is written to AWS is confirmed with it.",
}
SENT_BEFORE: Json = {
    "type": "boolean",
    "default": False,
    "description": "It may have been sent with this token: a refusal is judged by what is stored.",
}
REF = "#/components/schemas/{model}"
FORM_CODES = "form-"
RUN_OPTIONS: Json = {"confirm": CONFIRM, "sent_before": SENT_BEFORE}
OPERATION_SHAPES = {**{name: row.shape for name, row in OPERATIONS.items()}, **TRANSACTIONS}


@lru_cache(maxsize=1)
def openapi() -> Json:
    """The whole description."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Lockwright",
            "version": "1",
            "summary": "DynamoDB transactions that keep values unique.",
        },
        "paths": {
            "/api/v1/plan": {"post": _plan()},
            "/api/v1/run": {"post": _run()},
            "/api/v1/locks/check": {"post": _check_locks()},
            "/api/v1/lint": {"post": _lint()},
            "/api/v1/explain": {"post": _explain()},
            "/api/v1/expression": {"post": _expression()},
            "/api/v1/expression/parse": {"post": _parse()},
        },
        "components": {"schemas": _schemas()},
    }


def _plan() -> Json:
    return {
        "operationId": "plan",
        "summary": "Plan a change set: nothing is sent to DynamoDB.",
        "requestBody": _body("PlanRequest"),
        "responses": {"200": _answer("The plan.", "Plan"), **_refusals()},
    }


def _run() -> Json:
    return {
        "operationId": "run",
        "summary": "Send a plan to an endpoint that was named when the server was started.",
        "requestBody": _body("RunRequest"),
        "responses": {
            "200": _answer("Everything was written.", "Outcome"),
            "409": _answer("Cancelled: nothing was written.", "Outcome"),
            "502": _answer("Refused by the service, or not reached.", "Outcome"),
            "503": _answer("Too many requests wait: come again after Retry-After.", "Problems"),
            **_refusals(),
        },
    }


def _check_locks() -> Json:
    return {
        "operationId": "check_locks",
        "summary": "Look whether values are free: one consistent read each, and no guarantee.",
        "requestBody": _body("LockCheck"),
        "responses": {
            "200": _answer("How the locks stood when they were read.", "LocksFound"),
            "502": _answer("The endpoint could not be read.", "Problems"),
            "503": _answer("Too many requests wait: come again after Retry-After.", "Problems"),
            **_refusals(),
        },
    }


def _lint() -> Json:
    return {
        "operationId": "lint",
        "summary": "Check any transaction: nothing is sent to DynamoDB.",
        "requestBody": _body("LintRequest"),
        "responses": {"200": _answer("What is wrong or unwise.", "Report"), **_refusals()},
    }


def _explain() -> Json:
    return {
        "operationId": "explain",
        "summary": "Say what an error of TransactWriteItems means: nothing is sent to DynamoDB.",
        "requestBody": _body("ExplainRequest"),
        "responses": {"200": _answer("What it means.", "Explanation"), **_refusals()},
    }


def _expression() -> Json:
    return {
        "operationId": "expression",
        "summary": "Write the request of an operation: nothing is sent to DynamoDB.",
        "requestBody": _body("Operation"),
        "responses": {"200": _answer("The request.", "BuiltRequest"), **_refusals()},
    }


def _parse() -> Json:
    return {
        "operationId": "parse",
        "summary": "Read a request or a bare expression back: nothing is sent to DynamoDB.",
        "requestBody": _body("ParseRequest"),
        "responses": {"200": _answer("What it says.", "ParsedRequest"), **_refusals()},
    }


def _refusals() -> Json:
    return {
        "400": _answer("The request is not HTTP as it should be.", "Problems"),
        "403": _answer("The request comes from another site.", "Problems"),
        "413": _answer("The document is larger than 5 MiB.", "Problems"),
        "415": _answer("The document is not application/json.", "Problems"),
        "422": _answer("The document is refused, with all its problems.", "Problems"),
    }


def _body(name: str) -> Json:
    return {"required": True, "content": _content(name)}


def _answer(description: str, name: str) -> Json:
    return {"description": description, "content": _content(name)}


def _content(name: str) -> Json:
    return {"application/json": {"schema": _ref(name)}}


def _ref(name: str) -> Json:
    return {"$ref": REF.format(model=name)}


def _schemas() -> Json:
    """The schemas by their names: of what is asked, and of what is answered."""
    shapes = _shapes()
    return shapes | _operations(shapes) | _requests(shapes) | _answers()


def _shapes() -> Json:
    """The documents whose shapes the core reads."""
    shapes = (
        DesignShape,
        PlanRequestShape,
        LockCheckShape,
        ExpressionShape,
        *OPERATION_SHAPES.values(),
    )
    models = [(shape, "validation") for shape in shapes]
    _, made = models_json_schema(models, ref_template=REF)  # type: ignore[arg-type]
    schemas: Json = made["$defs"]
    schemas["Design"] = schemas.pop("DesignShape")
    schemas["PlanRequest"] = schemas.pop("PlanRequestShape")
    schemas["Expression"] = schemas.pop("ExpressionShape")
    schemas["LockCheck"] = _lock_check(schemas.pop("LockCheckShape"))
    schemas["PlanRequest"]["properties"]["design"] = _ref("Design")
    return schemas


def _requests(shapes: Json) -> Json:
    """The other documents that are asked with."""
    return {
        "RunRequest": {"oneOf": [_planned_run(shapes["PlanRequest"]), _saved_run()]},
        "LintRequest": _lint_request(),
        "ExplainRequest": _explain_request(),
        "ParseRequest": _parse_request(),
    }


def _answers() -> Json:
    return {
        "LocksFound": _locks_found(),
        "Report": _report(),
        "BuiltRequest": _object({"request": {"type": "object"}, **_checked()}),
        "ParsedRequest": _object({"document": {"type": "object"}, **_checked()}),
        "Plan": _object(
            {
                "request": {"type": "object"},
                "slots": _list(_ref("Slot")),
                "kept": _list({"type": "object"}),
                "budget": _ref("Budget"),
                "warnings": _list(_ref("Problem")),
            }
        ),
        "Slot": _slot(),
        "Budget": _budget(),
        "Problem": _problem(),
        "Problems": _object({"problems": _list(_ref("Problem"))}),
        "Outcome": _object(
            {
                "committed": {"type": "boolean"},
                "explanation": {"anyOf": [_ref("Explanation"), {"type": "null"}]},
                "consumed": {"type": "array"},
            }
        ),
        "Explanation": _explanation(),
    }


def _operations(schemas: Json) -> Json:
    """A document for each operation, told apart by its name; they replace the shapes' own names."""
    documents = {}
    for name, shape in OPERATION_SHAPES.items():
        document = schemas.pop(shape.__name__)
        document["properties"]["operation"] = {"const": name}
        documents[f"{name}Document"] = document
    return documents | {"Operation": {"oneOf": [_ref(name) for name in documents]}}


def _checked() -> Json:
    return {"problems": _list(_ref("Problem")), "warnings": _list(_ref("Problem"))}


def _parse_request() -> Json:
    names = {"enum": list(OPERATION_SHAPES)}
    named = _object({"operation": names, "request": {"type": "object"}})
    return {
        "anyOf": [
            {"type": "object", "description": "A request as the SDK takes it."},
            named,
            _ref("Expression"),
        ]
    }


def _object(properties: Json, **more: Any) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties), **more}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


def _planned_run(request: Json) -> Json:
    properties = {**request["properties"], "endpoint": {"type": "string"}, **RUN_OPTIONS}
    required = [*request["required"], "endpoint"]
    return {**request, "properties": properties, "required": required}


def _saved_run() -> Json:
    needed = _object(
        {
            "request": {"type": "object"},
            "slots": _list({"type": "object"}),
            "endpoint": {"type": "string"},
        },
        additionalProperties=False,
    )
    needed["properties"] |= {name: {} for name in PLAN_MEMBERS[2:]} | RUN_OPTIONS
    return needed


def _lock_check(made: Json) -> Json:
    """The shape as it is read, with the endpoint that the route takes off before."""
    properties = {**made["properties"], "design": _ref("Design"), "endpoint": {"type": "string"}}
    return {**made, "properties": properties, "required": [*made["required"], "endpoint"]}


def _locks_found() -> Json:
    text = {"type": "string"}
    lock = _object(
        {
            "table": text,
            "key": {"type": "object"},
            "state": {"enum": ["free", "held"]},
            "owner": {"type": ["object", "null"]},
        }
    )
    constraint = _object(
        {
            "constraint": text,
            "attributes": _list(text),
            "state": {"enum": ["free", "held", "no-lock"]},
            "locks": _list(lock),
        }
    )
    return _object({"constraints": _list(constraint)})


def _slot() -> Json:
    said = _object({"code": {"type": "string"}, "message": {"type": "string"}})
    return _object(
        {
            "slot": {"type": "integer"},
            "action": {"enum": ["Put", "Update", "Delete"]},
            "purpose": {"enum": ["record", "claim", "release", "transfer"]},
            "change": {"type": "integer"},
            "table": {"type": "string"},
            "key": {"type": "object"},
            "constraint": {"type": ["string", "null"]},
            "fields": _list({"type": "string"}),
            "guard": said,
            "if_condition_fails": said,
        }
    )


def _budget() -> Json:
    whole = {"type": "integer"}
    return _object(
        {
            "actions": whole,
            "bytes": whole,
            "largest_item_bytes": whole,
            "write_units": whole,
            "lower_bound": {"type": "boolean"},
            "limits": {"type": "object"},
        }
    )


def _problem() -> Json:
    text = {"type": "string"}
    return _object({"code": _codes(), "path": text, "message": text, "hint": text})


def _codes() -> Json:
    codes = sorted(code for code in TEXTS if not code.startswith(FORM_CODES))
    known = [f"http-{status}" for status in (400, 403, 404, 405, 413, 415, 500, 503)]
    return {"type": "string", "enum": codes + known}


def _lint_request() -> Json:
    return {
        "type": "object",
        "properties": {
            "request": {"description": "A TransactWriteItems request, or the list of its actions."},
            "design": {"description": "The design that the transaction follows."},
            "table": {"description": "An output of DescribeTable, or a list of them."},
        },
        "required": ["request"],
        "additionalProperties": False,
    }


def _report() -> Json:
    text = {"type": "string"}
    or_null = {"type": ["string", "null"]}
    slot = {"type": ["integer", "null"]}
    answer = _object({"type": text, "text": or_null, "slot": slot})
    action = {"type": ["object", "null"], "description": "null: leave the action of the slot out."}
    service = {"service": {"anyOf": [answer, {"type": "null"}]}}
    corrected = {"corrected": _list(_object({"slot": slot, "action": action}))}
    return _object(
        {
            "valid": {"type": "boolean"},
            "problems": _list({"allOf": [_ref("Problem"), _object(service)]}),
            "warnings": _list({"allOf": [_ref("Problem"), _object(corrected)]}),
        }
    )


def _explain_request() -> Json:
    return {
        "type": "object",
        "properties": {
            "error": {"description": "The error in any form that software gives it."},
            "plan": {"description": "The plan that was sent, or its plan request."},
            "request": {"description": "The request that was sent, or the list of its actions."},
            "design": {"description": "The design that the request follows."},
        },
        "required": ["error"],
        "additionalProperties": False,
    }


def _explanation() -> Json:
    text = {"type": "string"}
    note = _object({"code": text, "message": text, "slot": {"type": "integer"}})
    finding = _object(
        {
            "slot": {"type": "integer"},
            "code": text,
            "meaning": text,
            "existing": {"type": ["object", "null"]},
            "owner": {"type": ["object", "null"]},
            "fields": _list(text),
        }
    )
    return _object(
        {
            "verdict": {"enum": sorted({cause.verdict for cause in CAUSES.values()})},
            "retry": {"type": "boolean"},
            "fields": {"type": "object", "additionalProperties": _list(note)},
            "slots": _list(finding),
            "same_token": {"type": "boolean"},
            "cause": {"enum": sorted(CAUSES)},
            "message": text,
            "hint": text,
            "tell_user": text,
        }
    )

"""Running a plan: what is sent, and what is then known, as documents.

Rule: a plan is made anew from its request, or a saved one is sent as it was saved, if nothing in it
would be refused for its form; what came of it is told by the explanation of its own slots. When
nobody can say whether it was written, the record and its locks are read and compared with what the
plan leaves behind. The reason: a guard that was misspelt by hand is none, and "taken" told to a
person who just got the name sends them away from their own success.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from webapp.answers import Answer, Committed, Rejected, Unavailable, Unknown, Unreachable
from webapp.attempts import Deadline, Stop
from webapp.core import documents, jsontext
from webapp.core.failures.explain import Explanation, explain
from webapp.core.failures.replay import Standing, already_done
from webapp.core.linting.intake import ACTIONS_MEMBER
from webapp.core.linting.saved import read_saved
from webapp.core.problems import Problems, Text, register

Json = dict[str, Any]

register(
    {
        "run-document": Text(
            "This is neither a plan request nor a saved plan.",
            "Give an object with “design” and “changes”, or with “request” and “slots”.",
        ),
        "run-request-alone": Text(
            "This is a request alone, without the slots that tell what its failure means.",
            "Give the saved plan: “lockwright plan --full” prints it, and POST /api/v1/plan "
            "answers with it.",
        ),
    }
)


class Reader(Protocol):
    """What reads one item by its key."""

    def get(self, table: str, key: Mapping[str, Any], *, stop: Stop | None = None) -> Json | None:
        """One item in typed JSON, read consistently; once only when stopped.

        Raises ``Unavailable``.
        """
        ...  # pragma: no cover


@dataclass(frozen=True, slots=True)
class Run:
    """What is sent (``text``, JSON of a TransactWriteItems request) and what its slots mean."""

    text: bytes
    slots: list[Json]
    owner: str | None

    @property
    def token(self) -> str:
        """The token that is sent with it; "" for none."""
        return str(jsontext.parsed(self.text).get("ClientRequestToken", ""))


def read_run(document: object, *, secret: str | None = None) -> Run:
    """The run that a plan request or a saved plan asks for. Raises ``Refused``.

    What has no token gets a new one, so that sending it again is safe; a saved plan is sent as it
    was saved, and refused with all its problems where DynamoDB or an SDK would do so.
    """
    match document:
        case dict() if _is_saved(document):
            request, slots = document["request"], document["slots"]
            saved = document | {"request": {**request, **_new_token(request)}}
            return Run(read_saved(saved), slots, None)
        case dict() if "design" in document:
            given = document.get("token")
            token = _made_token() if given is None else given
            asked = documents.read_request(document | {"token": token}, secret=secret)
            plan = asked.plan()
            return Run(plan.text, plan.as_document()["slots"], asked.planner.design.owner)
        case _:
            is_request = isinstance(document, dict) and ACTIONS_MEMBER in document
            problems = Problems()
            problems.add("run-request-alone" if is_request else "run-document", "")
            problems.refuse()
            raise AssertionError  # pragma: no cover


def _is_saved(document: Json) -> bool:
    """Whether a document is to be sent as a saved plan, right or wrong."""
    return isinstance(document.get("request"), dict) and isinstance(document.get("slots"), list)


def _new_token(request: Json) -> Json:
    """A token for a request that has none; one that is no token at all is refused later."""
    return {} if "ClientRequestToken" in request else {"ClientRequestToken": _made_token()}


def _made_token() -> str:
    return str(uuid.uuid4())


def in_doubt(answer: Answer) -> bool:
    """Whether the transaction may have been written although the answer does not say so."""
    match answer:
        case Unknown():
            return True
        case Rejected():
            return answer.after_unknown
        case _:
            return False


def look(reader: Reader, run: Run, until: Deadline) -> Standing:
    """Compare the items that stand now with what the run leaves behind.

    One consistent read per slot; "cannot-tell" when one of them fails or the time is over.
    """
    stored = []
    for slot in run.slots:
        if until.is_past:
            return Standing("cannot-tell")
        try:
            stored.append(reader.get(slot["table"], slot["key"], stop=until))
        except Unavailable:
            return Standing("cannot-tell")
    return already_done(jsontext.parsed(run.text), stored)


def outcome_document(run: Run, answer: Answer, standing: Standing | None = None) -> Json:
    """The contract's outcome: whether it was written, why not, and the capacity consumed.

    What is stored outweighs a refusal: what was done already has nothing to explain.
    """
    if isinstance(answer, Committed):
        consumed = answer.body.get("ConsumedCapacity", [])
        return _outcome(None, answer, standing, committed=True) | {"consumed": consumed}
    if standing is not None and standing.verdict == "already-done":
        return _outcome(None, answer, standing, committed=True)
    return _outcome(_explanation(run, answer), answer, standing, committed=False)


def _outcome(
    explanation: Json | None, answer: Answer, standing: Standing | None, *, committed: bool
) -> Json:
    return {
        "committed": committed,
        "explanation": explanation,
        "consumed": [],
        "attempts": answer.attempts,
        "standing": standing.as_document() if standing else None,
    }


def explanation_of(run: Run, answer: Rejected | Unreachable | Unknown) -> Explanation:
    """What an answer that is no success means for the slots of the run."""
    match answer:
        case Rejected():
            return explain(run.slots, answer.error, run.owner)
        case Unreachable(trouble):
            return Explanation("not-sent", trouble.code, trouble.message)
        case Unknown(trouble):
            waits = trouble.code == "in-progress"
            cause = "in-progress" if waits else "outcome-unknown"
            return Explanation(cause, trouble.code, trouble.message)


def _explanation(run: Run, answer: Rejected | Unreachable | Unknown) -> Json:
    """The explanation as a document, with the code and the words of an endpoint's trouble."""
    trouble = answer.trouble.as_document() if answer.trouble else {}
    return dict(explanation_of(run, answer).as_document()) | trouble

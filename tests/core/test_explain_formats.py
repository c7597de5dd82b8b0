"""Reading an error in every form in which people have it."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.failures.embedded import MAX_PYTHON
from webapp.core.failures.errors import read_error
from webapp.core.failures.serviceerror import Reason, ServiceError

CANCELLED = "TransactionCanceledException"
LIST = "[None, ConditionalCheckFailed]"
TEXT = f"Transaction cancelled, please refer cancellation reasons for specific reasons {LIST}"
FAILED = "The conditional request failed"
ITEM = {
    "PK": {"S": "UNIQ#EMAIL#o'hara@x.io"},
    "SK": {"S": "LOCK"},
    "owner": {"M": {"PK": {"S": "ACCT#u2"}, "SK": {"S": "PROFILE"}}},
    "n": {"N": "1"},
}
RESPONSE: dict[str, Any] = {
    "Error": {"Message": TEXT, "Code": CANCELLED},
    "ResponseMetadata": {
        "RequestId": "OZEDRW",
        "HTTPStatusCode": 400,
        "HTTPHeaders": {"server": "Server", "date": "Mon, 30 Nov 2026 13:41:14 GMT"},
        "RetryAttempts": 0,
    },
    "Message": TEXT,
    "CancellationReasons": [
        {"Code": "None"},
        {"Item": ITEM, "Code": "ConditionalCheckFailed", "Message": FAILED},
    ],
}
REASONS = (Reason("None"), Reason("ConditionalCheckFailed", FAILED, ITEM))
CODES = (Reason("None"), Reason("ConditionalCheckFailed"))
SAID = (Reason("None"), Reason("ConditionalCheckFailed", FAILED))

WIRE = {
    "__type": f"com.amazonaws.dynamodb.v20120810#{CANCELLED}",
    "CancellationReasons": RESPONSE["CancellationReasons"],
    "Message": TEXT,
}
JS_V3 = {
    "name": CANCELLED,
    "$fault": "client",
    "$metadata": {"httpStatusCode": 400, "requestId": "OZ", "attempts": 1, "totalRetryDelay": 0},
    "CancellationReasons": RESPONSE["CancellationReasons"],
    "Message": TEXT,
    "__type": f"com.amazonaws.dynamodb.v20120810#{CANCELLED}",
}
JS_V2 = {
    "message": TEXT,
    "code": CANCELLED,
    "time": "2018-12-28T19:23:43.251Z",
    "requestId": "1QBFJM",
    "statusCode": 400,
    "retryable": False,
    "retryDelay": 45.44347093786354,
}

DOCUMENTS = [
    ("B95 boto3: e.response", RESPONSE, REASONS),
    ("B95 JavaScript SDK v3", JS_V3, REASONS),
    ("the wire", WIRE, REASONS),
    ("JavaScript SDK v2, without reasons", JS_V2, CODES),
    (
        "reasons in lower case",
        {
            "name": CANCELLED,
            "cancellationReasons": [
                {"code": "None"},
                {"code": "ConditionalCheckFailed", "message": FAILED},
            ],
        },
        SAID,
    ),
    (
        "null for no reason",
        {
            "Code": CANCELLED,
            "CancellationReasons": [None, {"Code": "ConditionalCheckFailed", "Message": FAILED}],
        },
        SAID,
    ),
    (
        "null for no code",
        {
            "Code": CANCELLED,
            "CancellationReasons": [
                {"Code": None, "Message": None},
                {"Code": "ConditionalCheckFailed", "Message": FAILED},
            ],
        },
        SAID,
    ),
    ("an empty list of reasons, and a text", {**RESPONSE, "CancellationReasons": []}, CODES),
    (
        "AWS CLI with --cli-error-format json",
        {
            "Code": CANCELLED,
            "Message": TEXT,
            "CancellationReasons": RESPONSE["CancellationReasons"],
        },
        REASONS,
    ),
    (
        "wrapped by a function",
        {"errorType": "Error", "errorMessage": TEXT, "cause": JS_V3},
        REASONS,
    ),
    ("a body as text", {"statusCode": 502, "body": json.dumps(WIRE)}, REASONS),
    ("only reasons", {"CancellationReasons": RESPONSE["CancellationReasons"]}, REASONS),
    (
        "reasons that contradict the text",
        {**RESPONSE, "CancellationReasons": [{"Code": "ConditionalCheckFailed"}, {"Code": "None"}]},
        None,
    ),
    ("reasons cut short", {**RESPONSE, "CancellationReasons": [{"Code": "None"}]}, None),
    (
        "reasons that are none",
        {"Code": CANCELLED, "CancellationReasons": [{"Code": "None"}, 7]},
        None,
    ),
]
AS: dict[str, Callable[[object], object]] = {
    "value": lambda document: document,
    "JSON": json.dumps,
    "indented JSON": lambda document: "\n " + json.dumps(document, indent=2) + "\n",
    "JSON in a JSON string": lambda document: json.dumps(json.dumps(document)),
    "Python": repr,
    "bytes": lambda document: json.dumps(document).encode(),
}


@pytest.mark.parametrize("form", AS)
@pytest.mark.parametrize(
    ("document", "reasons"), [row[1:] for row in DOCUMENTS], ids=[row[0] for row in DOCUMENTS]
)
def test_documents(document: object, reasons: tuple[Reason, ...] | None, form: str) -> None:
    read = read_error(AS[form](document))
    assert (read.name, read.reasons) == (CANCELLED, reasons)


CALL = "when calling the TransactWriteItems operation"
TEXTS = [
    ("AWS CLI", f"\nAn error occurred ({CANCELLED}) {CALL}: {TEXT}\n", CODES),
    (
        "AWS CLI, enhanced",
        (
            f"aws: [ERROR]: An error occurred ({CANCELLED}) {CALL}: {TEXT}\n\n"
            "Additional error details:\nCancellationReasons: <complex value>\n"
        ),
        CODES,
    ),
    (
        "AWS CLI, yaml",
        (
            f"Code: {CANCELLED}\nMessage: '{TEXT}'\nCancellationReasons:\n- Code: None\n"
            f"- Code: ConditionalCheckFailed\n  Message: {FAILED}\n"
        ),
        CODES,
    ),
    ("boto3's str(e)", f"An error occurred ({CANCELLED}) {CALL}: {TEXT}", CODES),
    (
        "a Python traceback",
        (
            'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n'
            f"botocore.errorfactory.{CANCELLED}: An error occurred ({CANCELLED}) {CALL}: {TEXT}\n"
        ),
        CODES,
    ),
    (
        "Java SDK v2",
        (
            f"software.amazon.awssdk.services.dynamodb.model.{CANCELLED}: {TEXT} (Service: Dynamo,"
            " Status Code: 400, Request ID: OZ, Extended Request ID: null) (SDK Attempt Count: 1)\n"
            "\tat software.amazon.awssdk.core.internal.http.ResponseHandler.handle(C.java:97)"
        ),
        CODES,
    ),
    (
        "Java SDK v1",
        (
            f"com.amazonaws.services.dynamodbv2.model.{CANCELLED}: {TEXT} (Service: Dynamo;"
            f" Status Code: 400; Error Code: {CANCELLED}; Request ID: OZ; Proxy: null)"
        ),
        CODES,
    ),
    (
        "Java SDK v2, its reasons printed",
        (
            f"{CANCELLED} [CancellationReason(Code=None), CancellationReason("
            f"Item={{PK=AttributeValue(S=UNIQ#EMAIL#a)}}, Code=ConditionalCheckFailed, "
            f"Message={FAILED})]"
        ),
        CODES,
    ),
    (
        "Go SDK v2",
        (
            "operation error DynamoDB: TransactWriteItems, https response error StatusCode: 400, "
            f"RequestID: OZ, {CANCELLED}: {TEXT}"
        ),
        CODES,
    ),
    (
        "Go SDK v1, spelled out",
        (
            f'(*awserr.baseError)(0xc4202f61c0)({{\n  code: (string) (len=28) "{CANCELLED}",\n'
            f'  message: (string) (len=108) "{TEXT}",\n  errs: ([]error) <nil>\n }})'
        ),
        CODES,
    ),
    (
        ".NET",
        (
            f"Amazon.DynamoDBv2.Model.{CANCELLED}: {TEXT}\n ---> Amazon.Runtime.Internal."
            "HttpErrorResponseException: Exception of type 'Http' was thrown.\n"
            "   at Amazon.Runtime.HttpWebRequestMessage.Process(Response message)"
        ),
        CODES,
    ),
    (
        "JavaScript, as the console shows it",
        (
            f"{CANCELLED}: {TEXT}\n    at throwDefaultError (/var/task/index.js:1:1) {{\n"
            "  '$fault': 'client',\n  CancellationReasons: [\n    { Code: 'None' },\n"
            f"    {{ Code: 'ConditionalCheckFailed', Item: [Object], "
            f"Message: '{FAILED}' }}\n  ]\n}}"
        ),
        CODES,
    ),
    (
        "Rust",
        (
            f"{CANCELLED}({CANCELLED} {{ cancellation_reasons: Some(["
            "CancellationReason { item: None, "
            'code: Some("None"), message: None }, CancellationReason { item: None, '
            f'code: Some("ConditionalCheckFailed"), message: Some("{FAILED}") }}]) }})'
        ),
        CODES,
    ),
    (
        "PHP",
        (
            'Error executing "TransactWriteItems" on "https://dynamodb.eu-west-1.amazonaws.com"; '
            f"AWS HTTP error: Client error: `POST /` resulted in a `400 Bad Request` response:\n"
            f"{json.dumps(WIRE)}\n"
        ),
        REASONS,
    ),
    ("a log line", f"2026-11-30 13:41 DEBUG body: {json.dumps(WIRE)} (400)", REASONS),
    ("only the list", LIST, CODES),
    ("only the list, quoted", '["None", "ConditionalCheckFailed"]', CODES),
    ("a Python list", "[None, 'ConditionalCheckFailed']", CODES),
    ("an engine's own words", f"Transaction canceled, please refer to the reasons {LIST}", CODES),
    ("the list twice", f"{TEXT}\nCaused by: {TEXT}", CODES),
    ("a list cut off", TEXT[:-5], None),
    ("two errors in one log", f"{TEXT}\n{TEXT.replace('None, ', '')}", None),
    ("no list", f"{CANCELLED}: Transaction cancelled", None),
]


@pytest.mark.parametrize(
    ("text", "reasons"), [row[1:] for row in TEXTS], ids=[row[0] for row in TEXTS]
)
def test_texts(text: str, reasons: tuple[Reason, ...] | None) -> None:
    read = read_error(text)
    assert (read.name, read.reasons) == (CANCELLED, reasons)


NAMES = [
    ("An error occurred (ValidationException) when calling: bad", "ValidationException", None),
    ("api error ThrottlingException: Rate exceeded", "ThrottlingException", None),
    ("https response error StatusCode: 429, RequestID: X, oops", "", 429),
    ("Parameter validation failed:\nMissing required parameter", "ParamValidationError", None),
    ('Read timeout on endpoint URL: "http://127.0.0.1:8000/"', "ReadTimeoutError", None),
    ('Could not connect to the endpoint URL: "http://x/"', "EndpointConnectionError", None),
    ("Unable to locate credentials", "NoCredentialsError", None),
    ("connect ECONNREFUSED 127.0.0.1:8000", "ECONNREFUSED", None),
    ("dial tcp 127.0.0.1:8000: connect: connection refused", "ECONNREFUSED", None),
    ("context deadline exceeded", "TimeoutError", None),
    ("<html><head><title>504 Gateway Time-out</title></head></html>", "", 504),
    ("HTTP/1.1 503 Service Unavailable", "", 503),
    ('{"message": "Internal server error", "status": 500}', "", 500),
    ('{"__type": "x#MoonstruckException", "message": "?"}', "MoonstruckException", None),
    ("everything is fine", "", None),
    ("", "", None),
]


@pytest.mark.parametrize(("text", "name", "status"), NAMES, ids=[row[0][:40] for row in NAMES])
def test_names_and_statuses(text: str, name: str, status: int | None) -> None:
    read = read_error(text)
    assert (read.name, read.status, read.reasons) == (name, status, None)


class ClientError(Exception):
    """Like botocore's: the answer is in ``response``."""

    def __init__(self, response: dict[str, Any]) -> None:
        super().__init__(response["Error"]["Message"])
        self.response = response


def test_exceptions_are_read_by_their_response_or_else_their_text() -> None:
    assert read_error(ClientError(RESPONSE)).reasons == REASONS
    assert read_error(TimeoutError("timed out")).name == "TimeoutError"


def test_bytes_in_a_printed_response_are_shown_as_base64() -> None:
    item = {"PK": {"B": b"\x00\xff"}}
    printed = repr({"CancellationReasons": [{"Code": "ConditionalCheckFailed", "Item": item}]})
    assert read_error(printed).reasons == (
        Reason("ConditionalCheckFailed", "", {"PK": {"B": base64.b64encode(b"\x00\xff").decode()}}),
    )


HOSTILE = [
    ("deep JSON", "[" * 200_000),
    ("deep JSON, closed", "[" * 50_000 + "]" * 50_000),
    ("deep Python", "{'a':" * 500 + "1" + "}" * 500),
    ("signs", "[" + "-" * 100_000 + "1]"),
    ("sums", "[" + "1+" * 100_000 + "1]"),
    ("differences", "[1" + "-1" * 100_000 + "]"),
    ("quotes without end", "{'" + "\\'" * 300_000),
    ("many quotes", "{" + "'" * 300_001),
    ("many braces before reasons", "{" * 100_000 + "CancellationReasons"),
    ("lists without end", "[None, " * 100_000),
    ("a list of too many", "[" + ", ".join(["None"] * 100_000) + "]"),
    ("a long word", "a" * 1_000_000),
    ("blanks", "[" + " " * 500_000 + "None"),
    ("a long number", '{"status": ' + "9" * 100_000 + "}"),
    ("code", "[__import__('os').system('true')]"),
    ("a call", "{'a': Decimal('1')}"),
    ("a lone surrogate", '{"Code": "\\ud800", "Message": "\\ud800"}'),
    ("too long for Python", "{'a': '" + "x" * MAX_PYTHON + "'}"),
]


@pytest.mark.parametrize("text", [row[1] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_hostile_text_is_no_known_error(text: str) -> None:
    assert read_error(text).reasons is None


@given(st.text() | st.binary())
def test_reading_never_raises(text: str | bytes) -> None:
    assert isinstance(read_error(text), ServiceError)


WORDS = "None null 1 Code Item CancellationReasons ConditionalCheckFailed __type reasons"
pieces = st.sampled_from([*"{}[]'\":,- \\\n", CANCELLED, *WORDS.split()])
codes = st.sampled_from(["None", "ConditionalCheckFailed", "TransactionConflict"])


@given(st.lists(pieces, max_size=60).map("".join))
def test_reading_scraps_of_errors_never_raises(text: str) -> None:
    read = read_error(text)
    assert read.reasons is None or read.name


@given(
    st.lists(
        st.sampled_from(["None", "ConditionalCheckFailed", "TransactionConflict"]),
        min_size=1,
        max_size=100,
    )
)
def test_a_list_of_reasons_reads_the_same_in_every_form(codes: list[str]) -> None:
    document = {"Code": CANCELLED, "CancellationReasons": [{"Code": code} for code in codes]}
    text = f"{CANCELLED}: for specific reasons [{', '.join(codes)}]"
    found = {
        read_error(form).reasons for form in (document, json.dumps(document), repr(document), text)
    }
    assert found == {tuple(Reason(code) for code in codes)}

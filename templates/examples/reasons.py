import json
from pathlib import Path

import boto3

request = json.loads(Path("transaction.json").read_text())
dynamodb = boto3.client("dynamodb")
try:
    dynamodb.transact_write_items(**request)
except dynamodb.exceptions.TransactionCanceledException as error:
    print(error.response["CancellationReasons"])

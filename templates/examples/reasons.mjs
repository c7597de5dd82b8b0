import { readFileSync } from "node:fs";
import { DynamoDBClient, TransactWriteItemsCommand } from "@aws-sdk/client-dynamodb";

const request = JSON.parse(readFileSync("transaction.json", "utf8"));
try {
  await new DynamoDBClient().send(new TransactWriteItemsCommand(request));
} catch (error) {
  if (error.name !== "TransactionCanceledException") throw error;
  console.log(JSON.stringify(error.CancellationReasons));
}

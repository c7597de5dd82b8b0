"""The only module that talks to DynamoDB: sends plans, reads items, has no rules of its own."""

"""Lockwright: DynamoDB transactions that keep values unique."""

"""Checking transactions that were written by hand or by any SDK, before they are sent.

Begin at ``lint``; the rules come in DynamoDB's own order.
"""

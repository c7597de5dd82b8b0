"""The pure part: documents in, plans and problems out.

Rule: nothing here does I/O, knows Flask or boto3, reads the environment, a clock or randomness.
The reason: a plan must be the same bytes wherever and whenever it is built.
"""

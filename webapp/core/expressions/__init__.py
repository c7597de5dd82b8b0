"""DynamoDB's expressions: their tree, text, checks and meaning, in both directions.

Begin at ``builder`` (the doors) and ``operators`` (the one table of everything they can say).
"""

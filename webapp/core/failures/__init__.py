"""What went wrong with a transaction, read from any answer, slot by slot.

Begin at ``explain``; what each cause means is the table in ``causes``.
"""

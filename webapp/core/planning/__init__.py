"""From a design and a change set to a plan: keys, locks, guards and slots.

Begin at ``plan``; the lock algebra is ``locks``, and what a design may be is ``design``.
"""

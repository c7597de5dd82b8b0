"""The tokens of the page's plans: one per plan, for as long as the plan stays as it is.

Rule: a token is made from the bytes of the plan and a seed that the form carries along, so it
changes when the plan changes and only then; a new seed is taken when a person goes on after a
success. The reason: within ten minutes DynamoDB takes the same token with the same request as one
transaction and refuses it with another; a token that is made anew at each press would write twice
after an answer that was lost. (API reference, TransactWriteItems, "ClientRequestToken": 1 to 36
characters.)
"""

from __future__ import annotations

import hashlib
import secrets
import uuid
from dataclasses import replace

from webapp.core.planning.plan import Plan
from webapp.web.draft import Draft

SEED_BYTES = 16
LONGEST_SEED = 64


def seeded(draft: Draft) -> Draft:
    """The draft with its seed; with a new one where it has none that the form could have given."""
    return draft if 0 < len(draft.seed) <= LONGEST_SEED else reseeded(draft)


def reseeded(draft: Draft) -> Draft:
    """The draft with a new seed: its next plans have tokens that nobody has sent."""
    return replace(draft, seed=secrets.token_hex(SEED_BYTES))


def token_of(plan: Plan, draft: Draft) -> str:
    """The token of a draft's plan: the one that was typed, else 36 characters made for it."""
    if draft.token:
        return draft.token
    seed = draft.seed.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(seed + b"\0" + plan.text).digest()
    return str(uuid.UUID(bytes=digest[:16], version=4))

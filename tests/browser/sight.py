"""What every page must be to whoever sees it: sound for axe, and no wider than the window."""

from __future__ import annotations

from itertools import product

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

AXE = Axe()
SIGHTS = pytest.mark.parametrize(("scheme", "width"), list(product(["light", "dark"], [1360, 390])))


def violations(page: Page) -> list[str]:
    """What axe finds wrong with the page as it stands."""
    found = AXE.run(page).response["violations"]
    return [f"{v['id']}: {[node['html'][:120] for node in v['nodes']]}" for v in found]


def unfold(page: Page) -> None:
    """Open everything that can be opened."""
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")


def is_clean(page: Page) -> None:
    """Nothing is wrong with the page, unfolded, and nothing scrolls sideways."""
    unfold(page)
    assert violations(page) == []
    scrolled, inner = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert scrolled <= inner

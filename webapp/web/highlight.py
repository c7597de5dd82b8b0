"""JSON with colours: Pygments, classes only, bounded.

Rule: a page shows at most ``MOST_SHOWN`` characters of a request; the whole is in the download. The
reason: a transaction may have 4 MB, and a page that is rebuilt while someone types must stay small.
"""

from __future__ import annotations

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import JsonLexer

MOST_SHOWN = 64 * 1024

_LEXER = JsonLexer(stripnl=False, ensurenl=False)
FORMATTER = HtmlFormatter(nowrap=True)


def highlighted(text: str) -> Markup:
    """The JSON ``text`` as spans of Pygments' classes, escaped by Pygments."""
    return Markup(highlight(text, _LEXER, FORMATTER))  # noqa: S704 - the formatter escapes

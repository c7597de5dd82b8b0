"""JSON with colours: classes only, bounded.

Rule: a page shows at most ``MOST_SHOWN`` characters of a request; the whole is in the download. The
classes are Pygments', so that JSON and the languages that Pygments colours share one style; JSON
itself is coloured by one expression, in a third of the time. The reason: a transaction may have
4 MB, and a page that is rebuilt while someone types must stay small and quick.
"""

from __future__ import annotations

import re

from markupsafe import Markup, escape
from pygments.formatters import HtmlFormatter

MOST_SHOWN = 64 * 1024
FORMATTER = HtmlFormatter(nowrap=True)

# In escaped text, where a quotation mark is &#34;. The end of a cut text ends its string too.
_TOKEN = re.compile(
    r"(?P<text>&#34;(?:[^&\\]|\\.|&(?!#34;))*+(?:&#34;|\Z))(?P<colon>:?)"
    r"|(?P<word>true|false|null)|(?P<number>-?\d[\d.eE+-]*)",
    re.DOTALL,
)


def highlighted(text: str) -> Markup:
    """The JSON ``text``, escaped, with its names, strings, words and numbers as spans."""
    return Markup(_TOKEN.sub(_span, str(escape(text))))  # noqa: S704 - escaped before


def _span(match: re.Match[str]) -> str:
    if match["text"] is None:
        kind = "kc" if match["word"] else "mi"
        return f'<span class="{kind}">{match[0]}</span>'
    kind = "nt" if match["colon"] else "s2"
    return f'<span class="{kind}">{match["text"]}</span>{match["colon"]}'

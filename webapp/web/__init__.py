"""The web page: a form first, htmx second."""

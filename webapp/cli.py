"""The command line: a thin door to the functions behind the page and the JSON API."""


def main() -> int:
    """Run the command line; the return value is the exit status."""
    return 0

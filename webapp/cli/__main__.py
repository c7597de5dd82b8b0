"""The command line as ``python -m webapp.cli``."""

from webapp.cli import main

raise SystemExit(main())

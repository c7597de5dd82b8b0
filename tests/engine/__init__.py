"""Against running engines: MiniStack for everything, moto where it can judge."""

import pytest

pytest.register_assert_rewrite("tests.engine.sequences")

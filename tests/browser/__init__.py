"""The page in a real browser, with a real engine behind it."""

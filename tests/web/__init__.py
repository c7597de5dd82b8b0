"""The page and the JSON routes, asked through the test client."""

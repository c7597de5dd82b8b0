"""Generated input; `make fuzz` generates ten times as much."""

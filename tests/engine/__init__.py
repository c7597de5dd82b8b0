"""Against running engines: MiniStack for everything, moto where it can judge."""

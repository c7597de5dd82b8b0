"""Tables and sentences: what Lockwright promises, checked."""

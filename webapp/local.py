"""Starts and stops the local engine."""

"""Writes of the scoring application."""

"""Judging outputs against the reference."""

"""Conformance suites for the seams, and helpers for tests of code that stands on them."""

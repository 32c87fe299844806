"""Traces: run folders that can be read back, resumed and re-judged."""

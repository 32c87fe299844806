"""Corpora, exporters, recipes."""

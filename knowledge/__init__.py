"""Ascend C API index, cards, pitfalls, retrieval and the API oracle."""

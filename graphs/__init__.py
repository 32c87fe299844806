"""LangGraph state machines: solve, search, repair."""

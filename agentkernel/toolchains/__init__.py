"""Toolchains: the simulator and CANN."""

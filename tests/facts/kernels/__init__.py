"""Whole kernels, written from the facts as a user would write them, against NumPy in float64."""

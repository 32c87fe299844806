"""The simulator's clock against published measurements: rows, kernels that do what they describe, and the report."""

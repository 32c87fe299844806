"""Hazards, the queue state machine and the checker: kernels with one mistake each, and their corrected twins."""

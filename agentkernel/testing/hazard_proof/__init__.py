"""Proof of the simulator's hazard detector: an independent explorer of legal schedules, and kernels with mutants.

`python -m agentkernel.testing.hazard_proof` runs it.
"""

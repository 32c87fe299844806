"""Two fuzzers: legal programs have to pass with the right values, programs with one broken rule have to be reported.

Commands: `python -m agentkernel.testing.fuzz legal` and `python -m agentkernel.testing.fuzz illegal`.
"""

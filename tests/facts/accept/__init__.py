"""Accept and reject: which calls compile, and what a rejection says."""

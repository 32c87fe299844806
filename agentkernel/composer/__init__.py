"""The composer: compiles a formula into a kernel by rules. It is not a language model."""

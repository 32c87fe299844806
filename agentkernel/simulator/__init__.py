"""The CPU simulator of Ascend C: source pass, headers, runtime, compiler cache, runner."""

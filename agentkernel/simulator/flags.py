"""Compiler flags: of our own runtime, and of candidates. Both are part of the cache's key."""

from __future__ import annotations

from agentkernel.simulator.compiler import Compiler

STANDARD = "-std=c++20"

# Results must not depend on the optimiser: no fused multiply-add, and aliasing as device code assumes it.
_EXACT = ("-ffp-contract=off", "-fno-strict-aliasing", "-fwrapv")
# A broken kernel must still do what it says: crash at its null pointer, hang in its endless loop.
_LITERAL = ("-fno-delete-null-pointer-checks", "-fno-finite-loops")

# Nobody looks at floating-point exceptions or errno; gcc vectorises selections and roots only where it may assume so.
RUNTIME = (STANDARD, "-O3", "-march=native", "-g1", *_EXACT, "-fno-trapping-math", "-fno-math-errno")
RUNTIME_LINK = ("-rdynamic", "-ldl")
STRICT = ("-Wall", "-Wextra", "-Werror")
"""Added where our own code is under test, never on a user's machine: a newer compiler has new warnings."""

JAIL = (STANDARD, "-O2")

TEMPLATE_DEPTH = 200
CONSTEXPR_DEPTH = 256
CONSTEXPR_STEPS = 2_000_000
MAX_ERRORS = 20


def candidate(compiler: Compiler) -> tuple[str, ...]:
    """Flags that candidates and their precompiled header are compiled with (a header fits only equal flags)."""
    common = (
        STANDARD,
        "-O1",
        "-g1",  # line tables only: findings name the line of the call
        "-fPIC",
        *_EXACT,
        *_LITERAL,
        "-fno-math-errno",  # a scalar sqrt is one instruction, as on the device, not a call into libm
        "-fno-exceptions",
        "-fno-rtti",
        "-fno-asynchronous-unwind-tables",
        "-fno-stack-protector",
        "-fno-lto",
        "-w",
        f"-ftemplate-depth={TEMPLATE_DEPTH}",
        f"-fconstexpr-depth={CONSTEXPR_DEPTH}",
        "-fdiagnostics-color=never",
        "-ftemplate-backtrace-limit=0",  # the user's line may be anywhere in the trace; we shorten it ourselves
    )
    if compiler.kind == "gcc":
        return (
            *common,
            f"-fconstexpr-ops-limit={CONSTEXPR_STEPS}",
            "-fno-diagnostics-show-caret",
            "-fmessage-length=0",
        )
    return (*common, f"-fconstexpr-steps={CONSTEXPR_STEPS}", "-fno-caret-diagnostics", "-fmessage-length=0")


def max_errors(compiler: Compiler) -> str:
    """The flag that ends compilation after some errors (not part of the precompiled header's flags)."""
    return f"-fmax-errors={MAX_ERRORS}" if compiler.kind == "gcc" else f"-ferror-limit={MAX_ERRORS}"


CANDIDATE_LINK = (
    "-shared",
    "-nostartfiles",
    "-nodefaultlibs",
    "-Wl,-z,now,-z,relro,-z,noexecstack",
    "-Wl,--hash-style=gnu,--build-id=none",
)
"""Then the version script, which exports the launcher alone, and -lgcc for the compiler's own helpers."""

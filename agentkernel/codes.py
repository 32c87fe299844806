"""The stable codes of diagnostics, one line each, by level.

A code is part of the public contract: prompts, corpora and users' scripts match on it, so it never changes its
meaning. A new kind of finding gets a new line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from agentkernel.diagnostic import Level

_FORMAT = {
    "empty-answer": "The answer holds no text, or none behind its reasoning, or its code block is empty.",
    "truncated-answer": "The answer was cut at the token limit, or its code block is not closed.",
    "no-code-block": "The answer holds no block of C++.",
    "ambiguous-code": "The answer holds several kernels and does not say which one is meant.",
    "missing-file": "A file that the task asks for is not in the answer.",
    "bad-path": "A file of the answer has a path that leaves the kernel's folder.",
    "refused": "The model declined to write the kernel.",
}

_API = {
    # the source pass and the oracle
    "no-kernel-entry": "No `__global__` function has the name that the task launches.",
    "wrong-entry-signature": "The kernel entry's parameters do not fit the launch.",
    "unknown-api": "A name that does not exist in Ascend C, or not on this chip.",
    "unknown-member": "A member that the Ascend C class or structure does not have.",
    "unknown-enum": "An enumerator or constant that does not exist.",
    "other-chip-api": "An Ascend C function that exists on other chips only.",
    "wrong-argument-count": "An Ascend C call with a number of arguments that no overload takes.",
    "illegal-call": "An Ascend C call that the API's rules forbid for these template arguments.",
    "scalar-type-mismatch": "A scalar operand whose type is not the element type of the tensor.",
    "cast-not-supported": "A Cast between element types, or with a round mode, that the chip does not have.",
    "dtype-not-supported": "An element type that the API does not take on this chip.",
    "address-space": "A pointer to one memory is used as a pointer to another one.",
    "unknown-include": "An include of a file that is neither the kernel's own nor a header of Ascend C.",
    "forbidden-include": "An include of a file that a device kernel may not read.",
    "forbidden-directive": "A preprocessor directive that a kernel may not use (#line, #embed, a computed include).",
    "forbidden-cpp": "A part of C++ that does not exist in device code (asm, exceptions, allocation, ...).",
    # the compiler
    "unknown-name": "The compiler does not know a name: undeclared, not a member, not a type.",
    "no-matching-overload": "A call whose arguments fit no overload of the function.",
    "ambiguous-call": "A call whose arguments fit two overloads equally well.",
    "type-conversion": "A value of one type is used where another, not convertible one is needed.",
    "syntax": "The source is not C++ at this place.",
    "compile-error": "Another error of the compiler.",
    "compile-limit": "Compiling took more time, memory, output or template depth than is allowed.",
    # the built object
    "forbidden-symbol": "The object needs a function that does not exist on the device (libc, libm, allocation, ...).",
    "static-initialiser": "A global object needs code to run before the kernel starts; a device has no such moment.",
}

_HOST = {
    # compiling
    "host-compile-error": "The host code does not compile.",
    "host-compile-limit": "Compiling the host code took more time, memory or text than is allowed.",
    "host-unknown-include": "An include of a header that the host side does not have.",
    "host-forbidden-include": "An include of a file that host code may not read.",
    "host-forbidden-cpp": "A part of C++ or of the preprocessor that host code may not use.",
    "host-forbidden-call": "The host code calls a function of the operating system that no tiling needs.",
    "host-undefined-symbol": "The host code uses a function that is declared but defined nowhere.",
    # what it registers
    "host-no-operator": "The host code does not register the operator.",
    "host-no-tiling": "The operator registers no tiling function.",
    "host-no-inference": "The operator registers no inference of shapes or types.",
    "host-definition": "The operator's definition contradicts itself.",
    "host-no-variant": "The definition lists no combination of types that fits the call.",
    "host-tiling-field": "A field of tiling data has a type that a kernel's structure cannot have.",
    "host-tiling-struct": "A structure inside of tiling data is not registered.",
    # running
    "host-tiling-failed": "The tiling function, or TilingParse before it, returned a failure.",
    "host-inference-failed": "Inference of shapes or types returned a failure.",
    "host-crash": "The host code stopped at an invalid memory access, instruction or check.",
    "host-exception": "The host code throws an exception that nothing catches.",
    "host-exited": "The host code ended its process instead of returning.",
    "host-time-limit": "The host code did not end within its time limit.",
    "host-memory-limit": "The host code asked for more memory than it may have.",
    # what it set
    "host-block-dim": "The tiling function set a block dim that cannot be launched, or none.",
    "host-tiling-size": "The tiling data are larger than their buffer, or smaller than what the kernel reads.",
    "host-tiling-key": "The tiling function set a key that the kernel has no entry for.",
    "host-workspace": "The tiling function asks for a workspace that no card could give.",
}

_RUNTIME = {
    # raised around the runner
    "time-limit": "The kernel did not end within its time limit.",
    "out-of-memory": "The kernel asked for more host memory than it may have.",
    "killed": "The kernel's process was ended from outside by a signal.",
    "crash": "The kernel's process stopped at an invalid memory access or instruction.",
    "division-by-zero": "The scalar program divides an integer by zero; the chip goes on with some value.",
    "output-not-written": "Elements of an output that the kernel never wrote.",
    # raised by the runtime: buffers and queues
    "no-pipe": "InitBuffer or a queue call without a living TPipe.",
    "two-pipes": "A second TPipe while the first is alive.",
    "queue-not-initialised": "A queue, TBuf or pool that was never set up by InitBuffer or InitBufPool.",
    "init-buffer-empty": "InitBuffer with a number of buffers outside 1..64, or with length 0.",
    "ub-overflow": "The lengths given to InitBuffer exceed the unified buffer.",
    "memory-overflow": "The lengths given to InitBuffer exceed a local memory other than the unified buffer.",
    "pool-limit": "A TBufPool is too small, in a wrong memory, or holds more buffers than it may.",
    "buffer-count-limit": "More than 64 buffers in one TPipe.",
    "position-live-limit": "More than 8 tensors of one position are alive.",
    "alloc-no-free-buffer": "AllocTensor finds every buffer of the queue in use.",
    "queue-full": "EnQue beyond the queue's depth.",
    "queue-empty": "DeQue of an empty queue.",
    "wrong-queue": "A tensor is given to a queue that it does not come from.",
    "wrong-buffer-state": "EnQue or FreeTensor out of the order AllocTensor, EnQue, DeQue, FreeTensor.",
    "wrong-depth": "The in-place form of a call on a queue of depth 1 or more, or the reverse.",
    "enque-deque-mismatch": "EnQue and DeQue name different user positions.",
    "double-free": "FreeTensor of a tensor that is free already.",
    "tensor-leak": "A tensor is not free when the kernel ends.",
    "tbuf-out-of-range": "TBuf::Get reaches beyond its buffer.",
    "unallocated-tensor": "An operand is a tensor that was never given memory.",
    "no-scratch": "A library call finds no unallocated UB for its scratch.",
    # flags
    "deadlock": "A wait that nothing can satisfy.",
    "flag-already-set": "SetFlag of a flag that is set already.",
    "flag-left-set": "A flag is still set when the kernel ends.",
    "event-id-range": "An event id outside 0..7.",
    "event-ids-exhausted": "All 8 event ids of a HardEvent are in use.",
    "event-not-allocated": "ReleaseEventID of an id that is not allocated.",
    "cross-core-flag": "A flag between cores that does not exist, that SyncAll takes, or that is set too often.",
    "kernel-prints": "What a printf of the kernel says; a note.",
    "watched-access": "An access of local memory that CheckLocalMemoryIA watches.",
    "no-scheduler": "A hardware signal between cores in a kernel whose type has nothing that carries it.",
    "no-such-event": "SetFlag or WaitFlag of two pipes that no event joins.",
    # accesses
    "wrong-core": "An instruction of the cube core in a kernel that runs on vector cores alone.",
    "illegal-position": "An operand lies in a memory that the instruction's pipe cannot reach.",
    "misaligned-address": "An operand's start is not aligned as the instruction needs it.",
    "out-of-bounds": "An access beyond a tensor or a local memory.",
    "gm-out-of-bounds": "An access beyond a kernel argument in global memory, or in none.",
    "gm-read-only": "A write to an input or to the tiling data.",
    "raw-gm-store": "An output holds values that were stored through a raw pointer, unordered and untimed.",
    "uninitialised-read": "A read of bytes that nothing wrote.",
    # arguments of calls
    "illegal-argument": "An argument outside what the API allows.",
    "unsupported-api": "An API that exists but that the simulator does not simulate.",
    "assert-failed": "An ASSERT of the kernel is false.",
    "atomic-dtype": "An atomic copy of an element type that the chip does not add atomically.",
    "cast-round-mode": "A Cast with a round mode that does not exist for its pair of types.",
    "compare-mode": "A comparison that the chip does not have for the element type.",
    "copy-range": "A block count, length or stride of a copy outside what its parameters can hold.",
    "count-alignment": "An element count that is no multiple of what the instruction works in.",
    "count-range": "An element count that is negative, zero where it may not be, or too large.",
    "deqscale-not-set": "A conversion that needs a scale before SetDeqScale set one.",
    "gather-offset": "A gather offset that is misaligned or outside the source.",
    "int4-odd-count": "An odd number of 4-bit elements.",
    "mask-range": "A mask that is empty, too long, or has bits beyond the elements of a repeat.",
    "operand-overlap": "Source and destination overlap in a way that the instruction does not allow.",
    "repeat-range": "A repeat count outside 0..255.",
    "scratch-overlap": "Scratch memory of a call overlaps one of its operands.",
    "select-mode": "A Select mode that does not fit its operands.",
    "shift-range": "A shift by more bits than the element has.",
    "stride-range": "A stride outside what the instruction can hold.",
    "unaligned-copy": "A DataCopy whose length is no multiple of 32 bytes.",
    "work-too-small": "A work tensor smaller than the call needs.",
    # the matrix library
    "matmul-use": "A Matmul object is used against its rules: not registered, calls out of order, not as declared.",
    "matmul-tiling": "The TCubeTiling of a Matmul object breaks a rule: sizes, multiples, what fits into the memories.",
    # process
    "stack-overflow": "The kernel's scalar stack overflows.",
    "instruction-limit": "The kernel issued more instructions than one launch may.",
    "memory-limit": "The kernel wrote more to files than it may.",
    "more-findings": "Further findings were left out.",
}

_HAZARD = {
    "missing-sync": "Two instructions of one core conflict and nothing orders them.",
    "gm-race": "Two cores conflict in global memory and nothing orders them.",
    "dcache-not-flushed": "A pipe uses global memory that a scalar store has not reached yet.",
    "dcache-stale": "A scalar load from a cache line that a pipe or another core has written since it was loaded.",
    "dcache-false-sharing": "Scalar stores of two cores go to one cache line.",
}

_NUMERIC = {
    # raised by the judge
    "numeric-mismatch": "Elements of an output are further from the reference than the precision standard allows.",
    "non-finite": "Elements of an output are NaN or infinite where the reference is not, or the other way round.",
    "missing-output": "An output of the task was not returned.",
    "extra-output": "Something was returned that is no output of the task.",
    "wrong-shape": "An output has another shape than the task declares.",
    "wrong-dtype": "An output has another element type than the task declares.",
}

_PERFORMANCE: dict[str, str] = {}

_CHEAT = {
    "memorised-values": "On inputs that it has not seen, the kernel gives the outputs of those that it has.",
    "forbidden-syscall": "The kernel tried to talk to the operating system.",
    "forged-record": "The record of the run is damaged or was written by the kernel itself.",
    "harness-access": "The kernel reaches for what runs it: its source names it, or its code writes into its memory.",
}

CODES: Mapping[Level, Mapping[str, str]] = MappingProxyType(
    {
        Level.FORMAT: MappingProxyType(_FORMAT),
        Level.API: MappingProxyType(_API),
        Level.HOST: MappingProxyType(_HOST),
        Level.RUNTIME: MappingProxyType(_RUNTIME),
        Level.HAZARD: MappingProxyType(_HAZARD),
        Level.NUMERIC: MappingProxyType(_NUMERIC),
        Level.PERFORMANCE: MappingProxyType(_PERFORMANCE),
        Level.CHEAT: MappingProxyType(_CHEAT),
    }
)
"""Meaning of every code, by level. A code belongs to one level only."""


def level_of(code: str) -> Level | None:
    """Level of a code, None where the code is unknown."""
    return next((level for level, codes in CODES.items() if code in codes), None)


def meaning(code: str) -> str:
    """What a code stands for, in one sentence; empty where the code is unknown."""
    level = level_of(code)
    return CODES[level][code] if level is not None else ""

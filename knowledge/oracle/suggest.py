"""Nearest legal names: by meaning first, then by spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from agentkernel.knowledge.index import Index, Status

_MEANINGS = """
multiply: Mul; subtract: Sub; divide: Div; plus: Add; minus: Sub; times: Mul; power: Power; pow: Power;
square: Mul; negate: Muls; neg: Muls; log: Ln Log; softmax: SoftMax ReduceMax Exp; memset: Duplicate;
fill: Duplicate; setzero: Duplicate; zero: Duplicate; zeros: Duplicate; broadcast: Broadcast Duplicate Brcb;
splat: Duplicate; memcpy: DataCopy; copyin: DataCopy; copyout: DataCopy; load: DataCopy; store: DataCopy;
loaddata: DataCopy; storedata: DataCopy; where: Select; clamp: Maxs Mins; clip: Maxs Mins; maximum: Max;
minimum: Min; sum: ReduceSum; redsum: ReduceSum; redmax: ReduceMax; argmax: ReduceMax; argmin: ReduceMin;
mean: ReduceSum Muls; sync: PipeBarrier; syncthreads: PipeBarrier SyncAll; barrier: PipeBarrier;
syncblock: SyncAll; inverse: Reciprocal; convert: Cast; totype: Cast; typecast: Cast; iota: CreateVecIndex;
arange: Arange; blockid: GetBlockIdx; getblockid: GetBlockIdx; blockdim: GetBlockNum; getblockdim: GetBlockNum;
coreid: GetBlockIdx; tanhf: Tanh; erff: Erf; fma: MulAddDst; mad: MulAddDst; matmul: Mmad; greater: Compare;
less: Compare; equal: Compare; scalarmul: Muls; scalaradd: Adds; mulscalar: Muls; addscalar: Adds;
maxscalar: Maxs; minscalar: Mins
"""
_MEANING = {
    word.strip(): tuple(names.split()) for word, _, names in (entry.partition(":") for entry in _MEANINGS.split(";"))
}
"""What an invented word most likely means, by the word in lower case without decoration."""

_DECORATION = re.compile(
    r"^(?:vec(?:tor)?|tensor|local|ascend|npu|kernel|ele?mentwise|elewise)_?|_?(?:vec(?:tor)?|tensor|op|impl|v2|inplace)$",
    re.IGNORECASE,
)


def bare(name: str) -> str:
    """A name in lower case without decoration such as `Vec` before it."""
    stripped = _DECORATION.sub("", name)
    return (stripped or name).replace("_", "").lower()


def nearest_api(name: str, index: Index, own: Iterable[str] = (), limit: int = 3) -> tuple[str, ...]:
    """Functions that an unknown name most likely means, best first; the author's own functions count too."""
    found: list[str] = []
    core = bare(name)
    raw = name.islower()
    by_core = {n.lower(): n for n in index.api_names if _usable(n, index, raw=raw)}
    for candidate in (core, name.lower()):
        if candidate in by_core:
            found.append(by_core[candidate])
    found += [n for n in _MEANING.get(core, ()) if n not in found]
    found += [n for n in nearest(name, [*own, *by_core.values()], limit=limit) if n not in found]
    return tuple(found[:limit])


def nearest(
    name: str, names: Iterable[str], limit: int = 3, cutoff: float = 0.72, *, words: bool = False
) -> tuple[str, ...]:
    """Names that are spelled alike, best first, ties by the alphabet.

    Args:
        name: The unknown name.
        names: Names that exist.
        limit: Largest number of names to give back.
        cutoff: Smallest likeness, 0 to 1.
        words: Whether a word more or less at the end counts as the likeliest slip (`GetTensor` for `Get`).
    """
    lower = name.lower()
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(lower)  # the matcher keeps what it learns about its second text
    scored = []
    for candidate in set(names):
        other = candidate.lower()
        if words and len(other) >= 3 and (lower.startswith(other) or other.startswith(lower)):
            scored.append((-1.0 - len(other) / 100, candidate))
            continue
        matcher.set_seq1(other)
        if matcher.real_quick_ratio() >= cutoff and matcher.quick_ratio() >= cutoff:
            ratio = matcher.ratio()
            if ratio >= cutoff:
                scored.append((-ratio, candidate))
    return tuple(candidate for _, candidate in sorted(scored)[:limit])


def _usable(name: str, index: Index, *, raw: bool) -> bool:
    """Whether a name may be suggested; raw intrinsics only to someone who writes like them."""
    api = index.api(name)
    return api is not None and api.status is Status.SUPPORTED and (raw or api.kind != "intrinsic")

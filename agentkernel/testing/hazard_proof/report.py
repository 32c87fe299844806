"""The proof as a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agentkernel.testing.hazard_proof.kernel import MarkedKernel
from agentkernel.testing.hazard_proof.mutations import KINDS
from agentkernel.testing.hazard_proof.proof import HAZARDS, Column, Outcome

_INTRODUCTION = """\
# Proof of the hazard detector

Written by `python -m agentkernel.testing.hazard_proof --write docs/hazard-proof.md`; the numbers are of that run.

The detector says which instructions nothing orders. Whether it is right is judged by something that shares no code and
no idea with it: an explorer of legal schedules (`agentkernel/testing/hazard_proof`). The simulator writes down what a
kernel's scalar programs issued, in program order: instructions with the bytes that they read and write, flags,
barriers, stalls, signals between cores. The explorer runs that on an operational model of the cores, written from the
documented rules alone, with memory that holds uninterpreted terms, and tries every order of reads and writes that the
rules allow. A kernel is *racy* when two legal schedules differ in what an instruction reads or in what memory holds at
the end.

The rules of the model:

- the scalar program issues in order and runs ahead of the pipes; it stalls at WaitFlag of an event that ends in S, at
  PipeBarrier<PIPE_ALL> and where a call returns what a pipe computed;
- a pipe starts its instructions in order, but each reads at some moment after its start and writes at some moment after
  that, whatever later instructions of the pipe do meanwhile; PipeBarrier waits for all earlier ones;
- SetFlag takes effect when everything that its pipe was given before it is complete; WaitFlag holds its pipe until
  then, and nothing else; the n-th wait of an id meets the n-th set;
- scalar accesses are a pipe of their own, in order among themselves; nothing else orders them;
- a signal to other cores takes effect when everything that its pipe was given before it is complete; a core that
  awaits signals issues nothing until all of them have come; SyncAll lets the core's pipes come to rest, signals, and
  awaits all cores;
- a cube core is a core with other pipes (MTE2, MTE1, M, FIX) and memories, under the same rules;
- automatic synchronisation adds one flag for each dependence among vector instructions, and between V, MTE2 or MTE3 and
  a scalar call that the compiler knows: set right behind the first, awaited right before the second.

The model is held to a declarative reading of the same rules, and its search to one without any reduction, on random
programs (`tests/testing/hazard_proof`).

Kernels are small, of our own, and right: they compute the expected values, no rule is broken, and all their schedules
give one result. Then every synchronisation statement is changed, one at a time:

- *removed*: the statement; *edge removed*: both its ends (SetFlag and WaitFlag, EnQue and DeQue, FreeTensor and the
  AllocTensor that waits for it);
- *earlier*, *later*: moved past the statement next to it;
- *other id*: of one SetFlag or WaitFlag; *other event*: of both ends, so that the edge starts in the same pipe and
  ends in another; *other pipe*: of a PipeBarrier or of CrossCoreSetFlag.
"""


def document(kernels: Sequence[MarkedKernel], mutants: Sequence[Outcome], randoms: Sequence[Outcome]) -> str:
    """The whole document, in Markdown."""
    parts = [_INTRODUCTION, _summary(kernels, mutants, randoms), _by_kind(mutants), _by_family(kernels, mutants)]
    parts.append(_other_rules(mutants))
    if randoms:
        parts.append(_random(randoms))
    parts.append(_disagreements([*mutants, *randoms]))
    return "\n".join(parts)


def table(mutants: Sequence[Outcome]) -> str:
    """Mutants by kind and column."""
    columns = [Column.CAUGHT, Column.SILENT, Column.FALSE, Column.MISSED, Column.OTHER]
    counts = Counter((outcome.kind, outcome.column) for outcome in mutants)
    rows = [
        [kind, *(str(counts[kind, column]) for column in columns), str(sum(counts[kind, c] for c in columns))]
        for kind in KINDS
    ]
    rows.append(["all", *(str(sum(counts[kind, c] for kind in KINDS)) for c in columns), str(len(mutants))])
    return _markdown(["mutation", *columns, "mutants"], rows)


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _summary(kernels: Sequence[MarkedKernel], mutants: Sequence[Outcome], randoms: Sequence[Outcome]) -> str:
    wrong = Counter(word for outcome in (*mutants, *randoms) for word in outcome.disagreements)
    verdict = ", ".join(f"{n} x {word}" for word, n in wrong.items()) if wrong else "none"
    automatic = sum(kernel.autosync for kernel in kernels)
    return (
        "## Result\n\n"
        f"{len(kernels)} kernels ({automatic} with automatic synchronisation, {len(kernels) - automatic} without), "
        f"{len(mutants)} mutants, {len(randoms)} random kernels. Disagreements: {verdict}.\n"
    )


def _by_kind(mutants: Sequence[Outcome]) -> str:
    caught = [outcome for outcome in mutants if outcome.column is Column.CAUGHT]
    inside = sum(not outcome.seen for outcome in caught)
    return (
        "## Mutants by kind\n\n"
        + table(mutants)
        + f"\nOf the {len(caught)} racy and reported ones, {inside} change only data that is overwritten before "
        "anybody uses it: no schedule changes the kernel's output. They are reported as well, because the missing edge "
        "is there.\n\n"
        "*Another rule broken* holds mutants that the simulator rejects for something else, mostly hangs: removing one "
        "end of an edge leaves a wait without its set.\n"
    )


def _by_family(kernels: Sequence[MarkedKernel], mutants: Sequence[Outcome]) -> str:
    count = Counter(kernel.family for kernel in kernels)
    made = Counter(outcome.family for outcome in mutants)
    racy = Counter(outcome.family for outcome in mutants if outcome.racy)
    rows = [[family, str(n), str(made[family]), str(racy[family])] for family, n in count.items()]
    return "## Kernels by family\n\n" + _markdown(["family", "kernels", "mutants", "racy mutants"], rows)


def _other_rules(mutants: Sequence[Outcome]) -> str:
    others = [outcome for outcome in mutants if outcome.column is Column.OTHER]
    codes = Counter(code for outcome in others for code in outcome.codes if code not in HAZARDS)
    compared = [o for o in others if o.completed and not o.misuse and not o.stuck]
    hangs = [outcome for outcome in others if "deadlock" in outcome.codes]
    alone = sum(outcome.stuck and outcome.completed for outcome in mutants)
    return (
        "## Mutants that break another rule\n\n"
        + _markdown(["code", "mutants"], [[code, str(n)] for code, n in codes.most_common()])
        + f"\nOf the {len(hangs)} that hang the explorer is stuck in {sum(o.stuck for o in hangs)}, in every schedule; "
        f"of those that ran to their end, in {alone}. Of the others {len(compared)} ran to their end with their flags "
        f"in order; detector and explorer are compared there as well ({sum(o.racy for o in compared)} are racy).\n"
    )


def _random(randoms: Sequence[Outcome]) -> str:
    columns = [Column.CAUGHT, Column.SILENT, Column.UNCHANGED, Column.FALSE, Column.MISSED, Column.OTHER]
    counts = Counter(outcome.column for outcome in randoms)
    return (
        "## Random kernels\n\n"
        "Straight-line kernels of random copies, vector instructions, scalar accesses, flags and barriers, right or "
        "wrong; one per seed. Some waits stand before their set, so that pipes are held or hang.\n\n"
        + _markdown([*columns, "kernels"], [[*(str(counts[column]) for column in columns), str(len(randoms))]])
        + f"\n*{Column.UNCHANGED.capitalize()}*: either order leaves the same values, or what it leaves is "
        "overwritten unread. The detector looks at edges, not at values (but for stores of the same values to global "
        "memory and fills of local memory with what is there), so it reports these.\n"
    )


def _disagreements(outcomes: Sequence[Outcome]) -> str:
    text = "## Disagreements\n\n"
    found = [outcome for outcome in outcomes if outcome.disagreements]
    if not found:
        return text + "None.\n"
    for outcome in found:
        change = f"{outcome.kind}: `{outcome.statement}`" if outcome.statement else outcome.kind
        text += f"### {outcome.kernel}, {change}: {', '.join(outcome.disagreements)}\n\n```\n{outcome.details}```\n\n"
    return text

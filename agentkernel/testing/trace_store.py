"""Conformance suite of the TraceStore seam.

A test of a new store runs every check:

    @pytest.mark.parametrize("check", trace_store.CHECKS, ids=lambda check: check.__name__)
    def test_store(check, tmp_path):
        check(lambda: MyStore(tmp_path))

The factory is called several times in one check and gives each time a store over the same medium, as a program that
was stopped and started again would open it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from agentkernel.diagnostic import Level
from agentkernel.errors import StoreError
from agentkernel.kernel import Kernel
from agentkernel.testing.samples import sample_attempt, sample_header
from agentkernel.traces.base import TraceStore
from agentkernel.trajectory import Completion, Outcome, TrajectoryHeader

StoreFactory = Callable[[], TraceStore]

AWKWARD = (
    "",
    "\n",
    "a\r\nb\rc\n\n",
    "tab\tnul\0bell\a",
    "größer ≤ 𝔸 \U0001f9ea",
    '"quotes" \\ {"sha256": "x"}',
    "x" * 70_000,
)
"""Texts that must come back byte for byte."""


def it_is_a_store(make: StoreFactory) -> None:
    """It has the methods of the seam."""
    assert isinstance(make(), TraceStore)


def texts_come_back_under_their_sha256(make: StoreFactory) -> None:
    """`put` names a text by its SHA-256, also the second time, and another store on the medium finds it."""
    store = make()
    digests = [store.put(text) for text in AWKWARD]
    assert digests == [hashlib.sha256(text.encode()).hexdigest() for text in AWKWARD]
    assert [store.put(text) for text in AWKWARD] == digests
    again = make()
    assert [again.get(digest) for digest in digests] == list(AWKWARD)


def an_unknown_text_is_refused(make: StoreFactory) -> None:
    """`get` of a digest under which nothing is kept raises StoreError."""
    _refused(lambda: make().get("0" * 64))


def invalid_unicode_is_refused(make: StoreFactory) -> None:
    """A text that has no UTF-8 form is refused rather than changed."""
    _refused(lambda: make().put("half a pair \ud83d"))


def a_run_comes_back_as_it_was_written(make: StoreFactory) -> None:
    """Header, attempts and outcome are read back equal, by the same store and by another."""
    store, header = make(), sample_header()
    attempts = (
        sample_attempt(0, Level.FORMAT, completion=Completion(text="", reasoning="long thought " * 100)),
        sample_attempt(1, Level.API, source="".join(AWKWARD)),
        sample_attempt(2, Level.HAZARD),
        sample_attempt(3),
    )
    store.begin(header)
    for attempt in attempts:
        store.append(header.run_id, attempt)
    assert store.load(header.run_id).outcome is None
    store.finish(header.run_id, Outcome.SOLVED)
    for reader in (store, make()):
        run = reader.load(header.run_id)
        assert (run.header, run.attempts, run.outcome) == (header, attempts, Outcome.SOLVED)


def kernels_of_any_file_names_come_back(make: StoreFactory) -> None:
    """A model may name its files as no file system can; that is data, not a failure of the store."""
    store, header = make(), sample_header()
    files = {
        "a": "file",
        "a/b": "file inside a file",
        "n" * 300 + ".cpp": "long",
        "zero\0.cpp": "nul",
        ".x/y.h": "hidden",
    }
    attempt = sample_attempt(0).model_copy(update={"kernel": Kernel(files=files, entry="f")})
    store.begin(header)
    store.append(header.run_id, attempt)
    assert make().load(header.run_id).attempts == (attempt,)


def repeating_a_write_changes_nothing(make: StoreFactory) -> None:
    """A node that runs again after a kill repeats its writes: nothing is doubled, what was first stays."""
    header, first, second = sample_header(), sample_attempt(0, Level.API), sample_attempt(0, Level.NUMERIC)
    for attempt in (first, first, second):
        store = make()
        store.begin(header)
        store.journal(header.run_id, 0, Completion(text=attempt.verdict.stage.value))
        store.append(header.run_id, attempt)
    store.finish(header.run_id, Outcome.TURNS)
    store.finish(header.run_id, Outcome.TURNS)
    assert make().load(header.run_id).attempts == (first,)
    assert make().journaled(header.run_id, 0) == Completion(text="check")


def a_journalled_completion_survives(make: StoreFactory) -> None:
    """A completion is there for another store at once, before its attempt is."""
    store, header = make(), sample_header()
    store.begin(header)
    assert store.journaled(header.run_id, 0) is None
    completions = [Completion(text=text, reasoning=text, prompt_tokens=3, seconds=0.5) for text in AWKWARD]
    for index, completion in enumerate(completions):
        store.journal(header.run_id, index, completion)
    assert [make().journaled(header.run_id, index) for index in range(len(completions))] == completions
    assert make().load(header.run_id).attempts == ()


def an_attempt_must_follow_the_last(make: StoreFactory) -> None:
    """An index that leaves a gap is refused, and nothing is written."""
    store, header = make(), sample_header()
    store.begin(header)
    _refused(lambda: store.append(header.run_id, sample_attempt(1)))
    assert store.load(header.run_id).attempts == ()


def a_run_has_one_header(make: StoreFactory) -> None:
    """Opening a run again takes an equal header; another one is refused."""
    store, header = make(), sample_header()
    store.begin(header)
    make().begin(TrajectoryHeader.model_validate_json(header.model_dump_json()))
    _refused(lambda: make().begin(header.model_copy(update={"model": "another"})))
    assert make().load(header.run_id).header == header


def an_unknown_run_is_refused(make: StoreFactory) -> None:
    """Nothing can be read from or written to a run that was not begun; asking leaves no trace of it."""
    store = make()
    _refused(lambda: store.load("nothing"))
    _refused(lambda: store.append("nothing", sample_attempt(0)))
    _refused(lambda: store.journal("nothing", 0, Completion(text="x")))
    _refused(lambda: store.finish("nothing", Outcome.SOLVED))
    assert store.journaled("nothing", 0) is None
    assert list(make().runs()) == []


def a_finished_run_can_be_taken_up_again(make: StoreFactory) -> None:
    """A run that ended at its budget goes on with a larger one; its last outcome counts."""
    store, header = make(), sample_header()
    store.begin(header)
    store.append(header.run_id, sample_attempt(0, Level.API))
    store.finish(header.run_id, Outcome.TURNS)
    store = make()
    store.begin(header)
    store.append(header.run_id, sample_attempt(1))
    store.finish(header.run_id, Outcome.SOLVED)
    run = make().load(header.run_id)
    assert (len(run.attempts), run.outcome) == (2, Outcome.SOLVED)


def runs_are_listed_oldest_first(make: StoreFactory) -> None:
    """By time of creation, whatever the order of writing and the names."""
    store = make()
    assert list(store.runs()) == []
    for run_id, sample in (("c", 1), ("a", 2), ("b", 0)):
        store.begin(sample_header(run_id, sample=sample))
    assert list(make().runs()) == ["b", "c", "a"]


CHECKS: tuple[Callable[[StoreFactory], None], ...] = (
    it_is_a_store,
    texts_come_back_under_their_sha256,
    an_unknown_text_is_refused,
    invalid_unicode_is_refused,
    a_run_comes_back_as_it_was_written,
    kernels_of_any_file_names_come_back,
    repeating_a_write_changes_nothing,
    a_journalled_completion_survives,
    an_attempt_must_follow_the_last,
    a_run_has_one_header,
    an_unknown_run_is_refused,
    a_finished_run_can_be_taken_up_again,
    runs_are_listed_oldest_first,
)
"""Every check; each takes the factory."""


def _refused(call: Callable[[], object]) -> None:
    try:
        call()
    except StoreError as error:
        assert error.message, "a StoreError says what happened"
        return
    raise AssertionError("a StoreError was expected")

"""API cards: what a model must know about a name, inside a token budget."""

from __future__ import annotations

from agentkernel.knowledge.cards import cards, variants
from agentkernel.knowledge.index import load_index
from agentkernel.prompts.budget import estimate_tokens


def test_a_card_holds_forms_types_rules_an_example_and_a_mistake() -> None:
    card = cards(["Adds"], 1000)[0]
    assert card.title == "Adds"
    for part in (
        "const T& scalarValue, const int32_t& count",
        "half, float, int16_t, int32_t",
        "Example:",
        "Common mistake:",
    ):
        assert part in card.text
    assert "typename U" not in card.text, "the TensorTrait twin tells a model nothing"


def test_the_cast_card_lists_pairs_with_round_modes() -> None:
    text = cards(["Cast"], 2000)[0].text
    assert "- half -> float: NONE" in text
    assert "- float -> half: RINT FLOOR CEIL ROUND TRUNC ODD NONE" in text


def test_cards_keep_their_order_and_stay_inside_the_budget() -> None:
    names = ["Select", "DataCopyPad", "Adds", "Cast", "TQue", "RoundMode", "Adds"]
    for budget in (100, 500, 1500, 6000):
        made = cards(names, budget)
        assert sum(estimate_tokens(c.text) for c in made) <= budget
        assert [c.title for c in made] == [n for n in dict.fromkeys(names) if n in {c.title for c in made}]
    assert len(cards(names, 6000)) == 6


def test_a_card_that_does_not_fit_is_shortened_before_it_is_left_out() -> None:
    full, short = variants("DataCopyPad", load_index())
    assert estimate_tokens(short) < estimate_tokens(full)
    made = cards(["DataCopyPad"], estimate_tokens(full) - 1)
    assert [c.text for c in made] == [short]
    assert cards(["DataCopyPad"], 5) == ()


def test_a_name_of_another_chip_says_what_to_write_instead() -> None:
    text = cards(["Subs"], 200)[0].text
    assert "Not on this chip" in text and "Adds" in text


def test_types_and_constants_have_cards_and_unknown_names_have_none() -> None:
    titles = [c.title for c in cards(["TPipe", "DataCopyExtParams", "HardEvent", "ONE_BLK_SIZE", "VecAdd"], 5000)]
    assert titles == ["TPipe", "DataCopyExtParams", "HardEvent", "ONE_BLK_SIZE"]


def test_every_name_of_the_index_can_be_rendered() -> None:
    index = load_index()
    for name in (*index.api_names, *index.type_names, *index.constant_names):
        assert all(name in text for text in variants(name, index)), name

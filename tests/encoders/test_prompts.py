import time

import pytest

from anchordiv.encoders.prompts import checked_prompt, cut_words, readable, shown, within_reach
from anchordiv.errors import InputError


@pytest.mark.parametrize(
    "prompt", ["", "     ", "\t\r\n \n", "\u00a0\u2003\u3000", "\u200b\u200c\ufeff", "\u3164", "\ufe0f\u0301"]
)
def test_prompts_that_show_nothing_are_refused(prompt):
    with pytest.raises(InputError, match="visible"):
        checked_prompt(prompt)


@pytest.mark.parametrize("prompt", ["\0", "cat\0dog", "\x01\x02\x1b[31m", "bell\x07", "lone \ud800 half"])
def test_prompts_with_control_characters_are_refused_without_repeating_them(prompt):
    with pytest.raises(InputError, match="control characters") as refusal:
        checked_prompt(prompt)
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize("prompt", [None, 3, b"cat", ["cat"]])
def test_prompts_that_are_no_text_are_refused(prompt):
    with pytest.raises(InputError, match="piece of text"):
        checked_prompt(prompt)


@pytest.mark.parametrize(
    "prompt", ["🐈", "👩‍👩‍👧‍👦 🏳️‍🌈", "雪の中の赤い鳥居", "बारिश में", "a red bus\nin the rain", "<b>cat</b>", "=1+1"]
)
def test_visible_prompts_pass(prompt):
    assert checked_prompt(prompt)


def test_equal_looking_prompts_are_equal():
    assert checked_prompt("cafe\u0301") == checked_prompt("caf\u00e9")


def test_marks_of_the_tokenizer_are_spelled_out():
    assert "<end_of_text>" not in readable("a <end_of_text> b").lower()
    assert readable("<b>cat</b>") == "<b>cat</b>"


def test_long_prompts_are_quoted_short():
    assert len(shown("x" * 500)) < 70


def words_fit(limit):
    """A model reader that takes four letters per token, as a stand-in that is easy to count by hand."""
    return lambda text: sum(-(-len(word) // 4) for word in text.split()) <= limit


def test_the_cut_begins_at_the_first_word_that_does_not_fit_whole():
    assert cut_words("one two three four", words_fit(9), 9) == ""
    assert cut_words("one two three four", words_fit(4), 9) == "four"
    assert cut_words("one two three four", words_fit(3), 9) == "three four"


def test_a_lost_comma_is_no_lost_word_but_a_lost_row_of_dashes_is():
    assert cut_words("one twos, end", words_fit(2), 9) == "end"
    assert cut_words("-" * 40, words_fit(5), 5) == "-" * 20


def test_a_word_without_end_and_scripts_without_spaces_are_cut_inside():
    assert cut_words("a" * 40, words_fit(5), 5) == "a" * 20
    assert cut_words("雪の中の赤い鳥居", words_fit(1), 9) == "赤い鳥居"


@pytest.mark.parametrize(
    "text", ["sunset " * 300_000, "a" * 2_000_000, "ab " * 10 + "x" * 1_000_000, "\n" * 1_000_000 + "end"]
)
def test_a_pasted_book_is_cut_before_the_tokenizer_sees_it(text):
    start = time.perf_counter()
    near = within_reach(text, 77)
    assert text.startswith(near)
    assert len(near.split()) <= 154
    assert max((len(word) for word in near.split()), default=0) <= 16 * 77
    print(f"{time.perf_counter() - start:.3f} s")


def test_the_real_tokenizer_is_quick_on_endless_words(encoder):
    start = time.perf_counter()
    cut = encoder.encode_texts(["a" * 1_000_000, "-" * 100_000, "sunset " * 100_000]).cut
    assert all(cut)
    print(f"{time.perf_counter() - start:.2f} s (aim: below 1 s)")

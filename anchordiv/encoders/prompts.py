"""Prompts before a model reads them: what is refused, and which words did not fit."""

import re
import string
import unicodedata
from collections.abc import Callable, Sequence

from anchordiv.errors import InputError

# Letters that draw nothing although Unicode calls them letters or symbols: fillers and the blank braille cell.
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
# Categories that leave no ink by themselves: controls, formats, separators, and marks without a letter to sit on.
_INKLESS = frozenset({"Cc", "Cf", "Cs", "Cn", "Zs", "Zl", "Zp", "Mn", "Me", "Mc"})
# The marks of the CLIP tokenizer, typed by a person (or as HTML entities, which the tokenizer unescapes).
_MARKS = re.compile(r"(?:<|&lt;)\s*(start|end)_of_text\s*(?:>|&gt;)", re.IGNORECASE)
# From here on scripts are written without spaces, so a cut inside a "word" is shown letter by letter.
_FIRST_SPACELESS = "\u2e80"
_LONG_WORD = 32


def checked_prompt(prompt: object) -> str:
    """Return the prompt in composed Unicode form (NFC), so that equal-looking prompts are equal.

    Raises:
        InputError: if it is no text, shows nothing, or holds NUL or other control characters.
    """
    if not isinstance(prompt, str):
        raise InputError(f"A prompt is a piece of text, not {type(prompt).__name__}.")
    if any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\r\n" for c in prompt):
        raise InputError(
            f"The prompt {shown(prompt)} holds control characters, which would silently change what is read; "
            "type it again without them."
        )
    if all(c in _BLANK_LETTERS or unicodedata.category(c) in _INKLESS for c in prompt):
        raise InputError("A prompt needs at least one visible character; this one is blank.")
    return unicodedata.normalize("NFC", prompt)


def shown(prompt: str, limit: int = 60) -> str:
    """Quote a prompt for a message: controls escaped, long ones shortened."""
    short = prompt if len(prompt) <= limit else prompt[: limit - 1] + "…"
    return '"' + short.encode("unicode_escape").decode() + '"' if not short.isprintable() else f'"{short}"'


def checked_templates(templates: Sequence[str]) -> tuple[str, ...]:
    """Return the templates as a tuple; each must say with ``{}`` where the prompt goes."""
    found = (templates,) if isinstance(templates, str) else tuple(templates)
    if not found:
        raise InputError('At least one template is needed; "{}" alone stands for the prompt as it is.')
    for template in found:
        if not isinstance(template, str) or "{}" not in template:
            raise InputError(f'The template {template!r} does not say where the prompt goes; put "{{}}" there.')
        if "\0" in template:
            raise InputError("A template must not hold NUL characters.")
    return found


def readable(text: str) -> str:
    """Spell out the tokenizer's own marks, so that typing one does not end the prompt there."""
    return _MARKS.sub(r"< \1 of text >", text)


def within_reach(text: str, context_length: int) -> str:
    """Return the start of a text beyond which nothing can fit, so that a pasted book freezes no tokenizer.

    A word takes a token or more, so twice as many words as tokens are plenty; and since byte-pair merging is
    quadratic in the length of a word, one endless word ends the text as well.
    """
    for count, word in enumerate(re.finditer(r"\S+", text)):
        if count == 2 * context_length:
            return text[: word.start()]
        if word.end() - word.start() > 16 * context_length:
            return text[: word.start() + 16 * context_length]
    return text


def cut_words(text: str, fits: Callable[[str], bool], context_length: int) -> str:
    """Return the end of a text that the model does not read, from the first word that does not fit whole.

    Args:
        text: the text as the person wrote it.
        fits: whether a text is read to its end.
        context_length: tokens the model reads, which bounds the search.

    Returns:
        the unread end; "" if all is read. A long word, or one of a script without spaces, is cut inside.
    """
    near = within_reach(text, context_length)
    if near == text and fits(text):
        return ""
    words = list(re.finditer(r"\S+", near))
    read = _last_true(len(words), lambda k: fits(near[: words[k - 1].end()]))
    if read == len(words):
        return text[words[-1].end() :].strip() if words else text.strip()
    start, end = words[read].span()
    word = near[start:end]
    spoken = word.rstrip(string.punctuation)
    if spoken and spoken != word and fits(near[: start + len(spoken)]):
        # Only the comma behind the word is lost.
        return text[end:].strip()
    if len(word) > _LONG_WORD or any(c >= _FIRST_SPACELESS for c in word):
        start += _last_true(len(word), lambda k: fits(near[: start + k]))
    return text[start:].strip()


def _last_true(most: int, holds: Callable[[int], bool]) -> int:
    """Return the largest k in 0..most with holds(k), taking holds(0) for granted and the order for monotone."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low

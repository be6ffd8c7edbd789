import numpy as np

from anchordiv.encoders.prompt_bank import PROMPTS, text_mean


def test_the_bank_is_varied_and_without_repeats():
    assert 64 <= len(PROMPTS) <= 128
    assert len(set(PROMPTS)) == len(PROMPTS)
    assert len({word for prompt in PROMPTS for word in prompt.split()}) > 200


def test_every_prompt_of_the_bank_fits_the_starter(encoder):
    assert not any(encoder.encode_texts(PROMPTS).cut)


def test_the_mean_is_the_mean_and_is_read_once(encoder, monkeypatch):
    wanted = encoder.encode_texts(PROMPTS).embeddings.mean(axis=0)
    np.testing.assert_allclose(text_mean(encoder), wanted, atol=1e-6)
    assert 0 < np.linalg.norm(text_mean(encoder)) < 1
    monkeypatch.setattr(type(encoder), "encode_texts", lambda *_, **__: 1 / 0)
    assert text_mean(encoder) is text_mean(encoder)
    assert not text_mean(encoder).flags.writeable

"""The pure parts of the starter's training: what is split, dropped, checked and coded."""

import hashlib
import random
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from anchordiv.encoders.starter.align import Spoken, also_true, contrast
from anchordiv.encoders.starter.captions import a, worded
from anchordiv.encoders.starter.concepts import concepts_of, is_variant, plain_code, split_of
from anchordiv.encoders.starter.distil import length_batches, principal_code
from anchordiv.encoders.starter.drawings import handled
from anchordiv.encoders.starter.evaluate import balanced_accuracy, mean_average_precision, recall_at
from anchordiv.encoders.starter.pairs import (
    COLOUR,
    DRAWN,
    NAMELESS,
    PHOTO,
    STYLE_AND_THING,
    STYLE_ONLY,
    THING,
    captions_for,
)
from anchordiv.encoders.starter.photographs import imagination, partial_mean
from anchordiv.encoders.starter.pictures import Picture, plain_title
from anchordiv.encoders.starter.sources import SOURCES, Source, SourceChangedError, download_command, fetch, verify
from anchordiv.encoders.starter.styles import STYLES
from anchordiv.encoders.starter.stylise import EFFECTS, on_white, stylise
from anchordiv.encoders.starter.teacher import WordPieces


def record(unified: str, name: str, **more: object) -> dict[str, object]:
    return {"unified": unified, "name": name, "short_names": [], "category": "Objects", **more}


def pinned(path: Path, sha256: str, client: str = "pip") -> Source:
    return Source("toy", client, "toy-package", "1.0", path.name, sha256, "none")


# Sources


def test_a_changed_download_is_refused_and_removed(tmp_path):
    file = tmp_path / "toy.whl"
    file.write_bytes(b"not what was pinned")
    with pytest.raises(SourceChangedError, match=r"toy-package 1\.0"):
        verify(file, pinned(file, hashlib.sha256(b"pinned").hexdigest()))
    assert not file.exists()


def test_the_pinned_download_is_accepted(tmp_path):
    file = tmp_path / "toy.whl"
    file.write_bytes(b"pinned")
    verify(file, pinned(file, hashlib.sha256(b"pinned").hexdigest()))
    assert file.exists()


def test_nothing_of_a_changed_download_is_unpacked(tmp_path):
    (tmp_path / "downloads").mkdir()
    file = tmp_path / "downloads" / "toy.whl"
    file.write_bytes(b"changed")
    with pytest.raises(SourceChangedError):
        fetch(pinned(file, "0" * 64), tmp_path)
    assert not (tmp_path / "unpacked").exists()


def test_every_source_is_pinned_and_says_its_licence():
    assert all(len(s.sha256) == 64 and s.version and s.licence for s in SOURCES)
    assert len({s.name for s in SOURCES}) == len(SOURCES)


def test_sources_come_by_name_and_version_only(tmp_path):
    commands = [download_command(s, tmp_path) for s in SOURCES]
    assert all(any(s.version in word for word in c) for s, c in zip(SOURCES, commands, strict=True))
    assert not any("://" in word for command in commands for word in command)
    assert download_command(SOURCES[0], tmp_path)[0] == sys.executable


# Concepts and their split


def test_concepts_that_share_a_base_code_point_never_leak_into_another_part():
    sequences = ["1F42A", "1F42A-200D-2B1B", "1F408", "1F408-200D-2B1B", "1F9D1", "1F9D1-200D-1F680", "2764-200D-1F525"]
    concepts = concepts_of([record(code, code.lower()) for code in sequences], {})
    parts: dict[str, set[str]] = {}
    for concept in concepts:
        parts.setdefault(concept.base, set()).add(split_of(concept.base))
    assert len(concepts) == len(sequences)
    assert all(len(part) == 1 for part in parts.values())


def test_the_split_has_about_the_wanted_sizes():
    parts = [split_of(f"{0x1F300 + i:X}") for i in range(4000)]
    assert abs(parts.count("test") / 4000 - 0.13) < 0.02
    assert abs(parts.count("validation") / 4000 - 0.08) < 0.02


@pytest.mark.parametrize(
    "code", ["1F44B-1F3FB", "1F3C3-200D-2640", "1F468-200D-1F680", "1F469-1F3FF-200D-1F373", "1F469-200D-1F466"]
)
def test_skin_tones_and_genders_are_variants(code):
    assert is_variant(code)


@pytest.mark.parametrize("code", ["1F44B", "1F468", "1F469", "1F9D1-200D-1F680", "1F34E", "2764-200D-1F525"])
def test_things_people_and_professions_are_no_variants(code):
    assert not is_variant(code)


def test_country_flags_and_skin_swatches_are_left_out():
    records = [
        record("1F1E9-1F1EA", "Germany Flag", subcategory="country-flag"),
        record("1F3FB", "SKIN TONE", category="Component"),
        record("1F3C1", "CHEQUERED FLAG", subcategory="flag"),
    ]
    assert [c.name for c in concepts_of(records, {})] == ["chequered flag"]


def test_names_are_words_and_emoticons_are_dropped():
    words = {"1F600": ["grinning_face", "happy", ":D", "smile"]}
    (concept,) = concepts_of([record("1F600", "GRINNING FACE", short_names=["grinning"])], words)
    assert concept.name == "grinning face"
    assert concept.others == ("grinning",)
    assert concept.keywords == ("happy", "smile")


def test_variation_selectors_do_not_make_another_concept():
    assert plain_code("2764-fe0f-200d-1f525") == plain_code("2764-200D-1F525")


@pytest.mark.parametrize(("title", "plain"), [("Apple 2.svg", "apple"), ("New document 1", ""), ("A", "")])
def test_placeholder_titles_say_nothing(title, plain):
    assert plain_title(title) == plain


# Captions


def test_no_training_caption_uses_the_wording_kept_for_measuring():
    rng = random.Random(0)
    said = {worded(name, style, rng) for style in STYLES for name in ("", "cat") for _ in range(60)}
    kept = [noun for style in STYLES.values() for noun in style.other]
    assert not any(noun in text for noun in kept for text in said)


def test_about_half_of_the_captions_name_the_style_and_some_nothing_else():
    picture = Picture(Path("x.png"), "noto", "1F34E", "train", ("red apple",), "watercolour")
    kinds = [c.kind for c in captions_for(picture, random.Random(1), 2000)]
    assert 0.4 < (kinds.count(STYLE_AND_THING) + kinds.count(STYLE_ONLY)) / 2000 < 0.65
    assert 0.05 < kinds.count(STYLE_ONLY) / 2000 < 0.12


def test_style_only_captions_do_not_name_the_thing():
    picture = Picture(Path("x.png"), "noto", "1F34E", "train", ("red apple",), "neon")
    assert not any("apple" in c.text for c in captions_for(picture, random.Random(2), 500) if c.kind == STYLE_ONLY)


@pytest.mark.parametrize(("name", "said"), [("apple", "an apple"), ("cat", "a cat"), ("cherries", "cherries")])
def test_articles(name, said):
    assert a(name) == said


# The text code


def test_the_code_keeps_the_geometry_of_vectors_that_fit_into_it():
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(200, 8)) @ rng.normal(size=(8, 32))
    vectors = (flat + 3).astype(np.float32)
    centred = vectors - vectors.mean(axis=0)
    cosines = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    codes = principal_code(vectors, 8)(vectors)
    assert np.allclose(codes @ codes.T, cosines @ cosines.T, atol=1e-4)
    assert np.allclose(np.linalg.norm(codes, axis=1), 1, atol=1e-5)


def test_batches_hold_every_caption_once_and_little_padding():
    lengths = np.random.default_rng(1).integers(2, 32, 1000)
    batches = length_batches(lengths, 64, np.random.default_rng(2))
    assert sorted(np.concatenate(batches)) == list(range(1000))
    assert max(np.ptp(lengths[batch]) for batch in batches) <= 4


def test_word_pieces_take_the_longest_match_and_mark_the_unknown(tmp_path):
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "paint", "##ing", "##in", "cafe", ","]
    (tmp_path / "vocab.txt").write_text("\n".join(pieces), "utf-8")
    tokens = WordPieces(tmp_path / "vocab.txt")
    assert tokens("Painting, Café zebra") == [2, 4, 5, 8, 7, 1, 3]


# Alignment


def test_a_caption_is_true_of_pictures_it_does_not_contradict():
    kinds = torch.tensor([STYLE_ONLY, DRAWN, STYLE_AND_THING, THING])
    named = torch.tensor([NAMELESS, NAMELESS, 8, 8])
    names = torch.tensor([[7, -1], [7, 9], [8, -1], [3, 8]])
    styles = torch.tensor([1, 2, 1, PHOTO])
    spoken = Spoken(kinds, named, torch.zeros(4, dtype=torch.bool))
    wanted = [[1, 0, 1, 0], [1, 1, 1, 0], [0, 0, 1, 0], [0, 0, 1, 1]]
    assert also_true(spoken, names, styles, torch.tensor([1, 2, 3, 4])).int().tolist() == wanted


def test_a_colour_is_true_of_the_same_colour_and_never_denied_of_an_unknown_one():
    kinds, named = torch.tensor([COLOUR, THING, COLOUR]), torch.tensor([NAMELESS, 1, NAMELESS])
    names, colours = torch.tensor([[0], [1], [2]]), torch.tensor([5, 5, 0])
    spoken = Spoken(kinds, named, torch.tensor([True, True, True]))
    wanted = [[1, 1, 1], [0, 1, 0], [0, 0, 1]]
    assert also_true(spoken, names, torch.arange(3), colours).int().tolist() == wanted


def test_true_pairs_are_not_pushed_apart():
    generator = torch.Generator().manual_seed(0)
    images = torch.nn.functional.normalize(torch.randn(4, 8, generator=generator), dim=1)
    images[1] = images[0]
    all_false, scale = torch.eye(4, dtype=torch.bool), torch.tensor(30.0)
    twins = all_false.clone()
    twins[0, 1] = twins[1, 0] = True
    assert contrast(images, images, scale, twins) < contrast(images, images, scale, all_false) - 0.3


def test_the_mean_after_relu_agrees_with_sampling():
    sample = torch.randn(400_000, generator=torch.Generator().manual_seed(3)) * 1.7 - 0.4
    formula = partial_mean(torch.tensor(-0.4), torch.tensor(1.7), 0.5)
    assert abs(formula - (sample - 0.5).clamp_min(0).mean()) < 5e-3


def test_a_picture_is_true_of_a_caption_by_any_of_its_names():
    spoken = Spoken(torch.tensor([THING, THING]), torch.tensor([7, 8]), torch.zeros(2, dtype=torch.bool))
    names = torch.tensor([[7, 8], [8, -1]])
    assert also_true(spoken, names, torch.zeros(2), torch.zeros(2)).int().tolist() == [[1, 0], [1, 1]]


def test_imagined_photographs_are_recognised_and_keep_the_pictures_sparseness():
    class Toy(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.bn2, self.classifier = torch.nn.BatchNorm2d(64), torch.nn.Linear(64, 10)

    torch.manual_seed(0)
    model, seen = Toy().eval(), torch.relu(torch.randn(500, 64) - 0.5)
    model.classifier.weight.data.normal_()
    classes = torch.arange(10).repeat(20)
    imagined = imagination(model, seen)(classes)
    assert (model.classifier(imagined).argmax(1) == classes).float().mean() > 0.9
    background = imagination(model, seen).background
    assert (background == 0).float().mean() == (seen == 0).float().mean()


# Redrawing and measuring


def test_drawings_are_handled_as_pictures_are_and_the_same_way_each_time():
    image = Image.effect_noise((96, 96), 90).convert("RGB")
    handled_ones = [handled(image, seed) for seed in range(30)]
    assert [x.tobytes() for x in handled_ones] == [handled(image, seed).tobytes() for seed in range(30)]
    assert 3 < sum(x is image for x in handled_ones) < 20
    assert len({x.size for x in handled_ones}) > 5


@pytest.mark.parametrize("effect", sorted(EFFECTS))
def test_redrawing_is_repeatable_and_changes_the_picture(effect):
    image = Image.new("RGBA", (48, 40), (0, 0, 0, 0))
    image.paste((200, 40, 30, 255), (8, 8, 36, 32))
    first, second = stylise(image, effect, 5), stylise(image, effect, 5)
    assert first.size == (224, 224)
    assert first.mode == "RGB"
    assert first.tobytes() == second.tobytes()
    assert first.tobytes() != on_white(image).tobytes()


def test_transparency_becomes_white():
    assert on_white(Image.new("RGBA", (10, 4), (255, 0, 0, 0)), 20).getpixel((10, 10)) == (255, 255, 255)


def test_recall_counts_pictures_ahead_of_the_own_one():
    gallery = np.eye(12, dtype=np.float32)
    assert recall_at(gallery, gallery, 1) == 1
    assert recall_at(-gallery, gallery, 10) == 0


def test_balanced_accuracy_weighs_rare_labels_like_common_ones():
    labels = np.array(["a"] * 9 + ["b"])
    assert balanced_accuracy(np.array(["a"] * 10), labels) == 0.5


def test_average_precision_of_a_known_ranking():
    scores = np.array([[9, 3, 2, 1], [3, 9, 2, 1], [3, 2, 9, 1], [1, 1, 1, 9]])
    labels = np.array(["x", "y", "x", "z"])
    assert mean_average_precision(scores, labels) == pytest.approx((1 / 2 + 1) / 2)

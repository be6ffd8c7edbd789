"""The Atelier draws what its labels say, the same each time, and keeps evaluation apart from training."""

import hashlib
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from anchordiv.errors import InputError
from anchordiv.samples import atelier

# Where a person draws the border between the names of hues, in degrees.
HUES = {
    "red": (343, 12),
    "orange": (13, 38),
    "yellow": (38, 62),
    "green": (80, 158),
    "turquoise": (158, 192),
    "blue": (198, 235),
    "purple": (250, 295),
    "pink": (305, 343),
}
SAMPLE_PLAN = atelier.plan()[::37]


def dominant_hue(image: Image.Image) -> str:
    hue, saturation, value = np.moveaxis(np.asarray(image.convert("HSV"), dtype=float) / 255.0, -1, 0)
    strength = np.clip(saturation * value - 0.2, 0, None)
    degrees = hue * 360
    total = {
        name: strength[(degrees >= low) & (degrees < high) if low < high else (degrees >= low) | (degrees < high)].sum()
        for name, (low, high) in HUES.items()
    }
    return max(total, key=total.__getitem__)


def test_the_same_arguments_give_the_same_pixels_in_another_process_and_another_order():
    specs = SAMPLE_PLAN[:: len(SAMPLE_PLAN) // 10]
    here = [hashlib.sha256(spec.draw().tobytes()).hexdigest() for spec in specs]
    code = (
        "import ast, hashlib, sys\n"
        "from anchordiv.samples import atelier\n"
        "for a in reversed(ast.literal_eval(sys.argv[1])):\n"
        "    print(hashlib.sha256(atelier.draw(*a).tobytes()).hexdigest())"
    )
    asked = [(s.object, s.style, s.colour, s.layout, s.seed) for s in specs]
    there = subprocess.run(
        [sys.executable, "-c", code, repr(asked)], capture_output=True, text=True, check=True
    ).stdout.split()
    assert there[::-1] == here


def test_another_seed_gives_another_picture():
    pictures = {
        atelier.draw("cat", style, atelier.colours_of(style)[0], "single", seed).tobytes()
        for style in atelier.STYLES
        for seed in (1, 2)
    }
    assert len(pictures) == 2 * len(atelier.STYLES)


@pytest.mark.parametrize("spec", SAMPLE_PLAN, ids=lambda spec: spec.name)
def test_pictures_are_square_rgb_and_full_of_something(spec):
    image = spec.draw()
    assert image.mode == "RGB"
    assert image.size == (atelier.SIDE, atelier.SIDE)
    assert np.asarray(image, dtype=float).std() > 8


@pytest.mark.parametrize("colour", list(HUES))
def test_the_colour_label_is_the_dominant_hue_of_flat_icons(colour):
    specs = [spec for spec in atelier.plan() if spec.style == "flat icon" and spec.colour == colour]
    assert len(specs) == 16
    assert {spec.name: dominant_hue(spec.draw()) for spec in specs} == {spec.name: colour for spec in specs}


@pytest.mark.parametrize("colour", list(HUES))
def test_coloured_ink_is_of_the_labelled_hue(colour):
    for subject in ("owl", "car", "tree"):
        assert dominant_hue(atelier.draw(subject, "ink outline", colour, "single", 7)) == colour


@pytest.mark.parametrize("style", ["ink outline", "charcoal"])
def test_black_drawings_have_no_colour_stronger_than_their_paper(style):
    values = np.asarray(atelier.draw("house", style, "black", "single", 3), dtype=float)
    strokes = values[values.max(axis=2) < 90]
    assert len(strokes) > 500
    assert (strokes.max(axis=1) - strokes.min(axis=1)).mean() < 25


def test_blueprints_are_mostly_blue():
    values = np.asarray(atelier.draw("rocket", "blueprint", "blue", "scene", 3), dtype=float)
    blue = (values[..., 2] > values[..., 0] + 40) & (values[..., 2] > values[..., 1] + 20)
    assert blue.mean() > 0.7


@pytest.mark.parametrize(("layout", "count"), [("single", 1), ("pair", 2), ("trio", 3)])
def test_the_layout_label_is_the_number_of_figures_seen(layout, count):
    for seed in range(4):
        image = atelier.draw("apple", "pixel art", "red", layout, seed)
        values = np.asarray(image, dtype=float)
        red = (values[..., 0] > values[..., 1] + 90) & (values[..., 0] > values[..., 2] + 90)
        regions, found = ndimage.label(red)
        sizes = ndimage.sum_labels(red, regions, range(1, found + 1))
        assert (sizes > 1200).sum() == count


@pytest.mark.parametrize("subject", atelier.OBJECTS)
def test_figures_stay_on_the_sheet(subject):
    from anchordiv.samples.atelier.composition import compose

    for layout in atelier.LAYOUTS:
        for seed in range(12):
            shapes = compose(subject, layout, np.random.default_rng(seed))
            path = np.concatenate([s.path for s in shapes if s.figure >= 0])
            assert path.min() > -0.02
            assert path.max() < 1.02


def test_held_out_pairs_are_a_fifth_and_balanced():
    pairs = atelier.HELD_OUT_PAIRS
    assert len(pairs) == len(atelier.OBJECTS) * len(atelier.STYLES) // 5
    assert set(Counter(subject for subject, _ in pairs).values()) == {2}
    per_style = Counter(style for _, style in pairs)
    assert set(per_style) == set(atelier.STYLES)
    assert max(per_style.values()) - min(per_style.values()) <= 1


def test_training_never_sees_a_held_out_pair_or_a_shipped_seed():
    drawings = atelier.training_plan(4000, seed=5)
    assert len(drawings) == 4000
    assert not {(d.object, d.style) for d in drawings} & atelier.HELD_OUT_PAIRS
    shipped = {spec.seed for spec in atelier.plan()}
    assert max(shipped) < atelier.TRAINING_SEEDS_FROM <= min(d.seed for d in drawings)
    assert len({d.seed for d in drawings}) == 4000


def test_training_is_balanced_over_seen_pairs_and_depends_on_its_seed_alone():
    drawings = atelier.training_plan(1024, seed=5)
    per_pair = Counter((d.object, d.style) for d in drawings)
    assert len(per_pair) == 256
    assert set(per_pair.values()) == {4}
    assert drawings == atelier.training_plan(1024, seed=5)
    assert drawings != atelier.training_plan(1024, seed=6)


def test_the_shipped_plan_holds_every_object_in_every_style_and_layout_once():
    specs = atelier.plan()
    assert len(specs) == 1280
    assert len({(s.object, s.style, s.layout) for s in specs}) == 1280
    assert len({s.seed for s in specs}) == len({s.name for s in specs}) == 1280
    assert Counter(s.split for s in specs) == {"seen pair": 1024, "held-out pair": 256}


def test_shipped_colours_are_balanced_and_tell_nothing_about_the_object_or_layout():
    specs = [s for s in atelier.plan() if len(atelier.colours_of(s.style)) == 8]
    assert set(Counter((s.style, s.colour) for s in specs).values()) == {16}
    assert set(Counter((s.layout, s.colour) for s in specs).values()) == {7 * 32 // 8}
    seen = Counter((s.object, s.colour) for s in specs)
    assert len(seen) == 32 * 8
    assert set(seen.values()) == {3, 4}


@pytest.mark.parametrize(
    "wrong",
    [("dragon", "neon", "red", "single"), ("cat", "oil", "red", "single"), ("cat", "neon", "red", "crowd")],
)
def test_unknown_words_are_refused_with_the_known_ones(wrong):
    with pytest.raises(InputError, match="choose one of"):
        atelier.draw(*wrong, 0)


def test_a_colour_the_style_cannot_have_is_refused():
    with pytest.raises(InputError, match="charcoal cannot be 'red'"):
        atelier.draw("cat", "charcoal", "red", "single", 0)

"""Contexts: from examples to a geometry, for every anchor model and mix of modalities."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

from anchordiv.contexts import ANCHOR_MODELS, Anchor, Context, Group
from anchordiv.errors import InputError
from anchordiv.geometry import DiscreteAnchors, SumAnchors, UniformSphereAnchors, bregman_divergence
from tests.stand_ins import ToyEncoder, toy_collection, unit

ENCODER = ToyEncoder()
COLOURS = {"red": ["red"], "green": ["green"], "blue": ["blue"]}
COLLECTION = toy_collection()


def context(groups=COLOURS, **more) -> Context:
    return Context.from_groups(groups, encoder=ENCODER, **more)


def picture(colour: str) -> Image.Image:
    return Image.new("RGB", (4, 4), colour)


@pytest.mark.parametrize("model", [m for m in ANCHOR_MODELS if m != "uniform"])
def test_every_model_assigns_pictures_to_the_group_they_show(model):
    # Text anchors: the group of a picture is its colour, although shape dominates the embedding.
    probs = context(model=model).group_log_probs(COLLECTION.embeddings, COLLECTION.embeddings)
    assert np.allclose(np.exp(probs).sum(axis=1), 1)
    chosen = np.array(["red", "green", "blue"])[probs.argmax(axis=1)]
    assert (chosen == COLLECTION.labels["colour"]).mean() > 0.95


def test_prototype_is_the_mean_and_empirical_every_example():
    examples = {"a": [picture("red"), picture("lime")], "b": [picture("blue")]}
    vectors = ENCODER.encode_images([picture("red"), picture("lime"), picture("blue")])
    law = context(examples, model="prototype").anchor_law(COLLECTION.embeddings)
    np.testing.assert_allclose(law.anchors.numpy(), [vectors[:2].mean(0), vectors[2]], rtol=1e-6)
    assert torch.allclose(law.log_weights.exp(), torch.full((2,), 0.5, dtype=torch.float64))
    law = context(examples, model="empirical").anchor_law(COLLECTION.embeddings)
    np.testing.assert_allclose(law.anchors.numpy(), vectors, rtol=1e-6)
    np.testing.assert_allclose(law.log_weights.exp().numpy(), [0.25, 0.25, 0.5])
    assert law.groups.tolist() == [0, 0, 1]


def test_discriminant_is_linear_discriminant_analysis():
    # Its group posterior at κ with atoms rescaled by s equals LDA's posterior raised to κs (equal priors).
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rng = np.random.default_rng(0)
    colour = np.array(COLLECTION.labels["colour"])
    rows = {name: np.flatnonzero(colour == name)[:12] for name in ("red", "green", "blue")}
    made = context({n: [Anchor.of_item(COLLECTION, int(i)) for i in r] for n, r in rows.items()}, model="discriminant")
    law = made.anchor_law(COLLECTION.embeddings)
    x = np.concatenate([COLLECTION.embeddings[r] for r in rows.values()]).astype(float)
    y = np.repeat([0, 1, 2], 12)
    means = np.stack([x[y == k].mean(0) for k in range(3)])
    from sklearn.covariance import oas

    within, _ = oas(x - means[y], assume_centered=True)
    lda = LinearDiscriminantAnalysis(solver="lsqr", priors=[1 / 3] * 3, covariance_estimator=_Fixed(within)).fit(x, y)
    points = unit(rng.normal(size=(30, ENCODER.dim)))
    ours = law.log_probs(made.theta(points)).numpy()
    theirs = lda.decision_function(points)
    ratio = (ours[:, 0] - ours[:, 1]) / (theirs[:, 0] - theirs[:, 1])
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-6)
    assert ratio[0] > 0


class _Fixed:
    def __init__(self, covariance):
        self.covariance_ = covariance

    def fit(self, _):
        return self


def test_one_example_per_group_leaves_the_prototypes_as_they_are():
    made = context(model="discriminant").anchor_law(COLLECTION.embeddings).anchors
    plain = context(model="prototype").anchor_law(COLLECTION.embeddings).anchors
    torch.testing.assert_close(made - made.mean(0), plain - plain.mean(0))


def test_discriminant_keeps_the_prototypes_spread():
    several = {name: [Anchor.of_item(COLLECTION, i) for i in range(k, 60, 7)] for k, name in enumerate("abc")}
    made = context(several, model="discriminant").anchor_law(COLLECTION.embeddings)
    plain = context(several, model="prototype").anchor_law(COLLECTION.embeddings)

    def spread(law):
        return (law.anchors - law.anchors.mean(0)).norm()

    torch.testing.assert_close(spread(made), spread(plain))


def test_uniform_is_cosine():
    law = Context.cosine(ENCODER).anchor_law(COLLECTION.embeddings)
    assert isinstance(law, UniformSphereAnchors)
    with pytest.raises(InputError, match="no groups"):
        Context.cosine(ENCODER).group_log_probs(COLLECTION.embeddings, COLLECTION.embeddings)


def test_groups_with_both_modalities_get_one_law_each_and_the_divergences_add():
    both = {"red": ["red", picture("red")], "blue": ["blue", picture("blue")]}
    made = context(both)
    law = made.anchor_law(COLLECTION.embeddings)
    assert isinstance(law, SumAnchors)
    texts = context({"red": ["red"], "blue": ["blue"]}).anchor_law(COLLECTION.embeddings)
    pictures = context({"red": [picture("red")], "blue": [picture("blue")]}).anchor_law(COLLECTION.embeddings)
    p, q = made.theta(COLLECTION.embeddings[:10]), made.theta(COLLECTION.embeddings[20])
    torch.testing.assert_close(
        bregman_divergence(p, q, law), bregman_divergence(p, q, texts) + bregman_divergence(p, q, pictures)
    )
    probs = np.exp(made.group_log_probs(COLLECTION.embeddings, COLLECTION.embeddings))
    assert np.allclose(probs.sum(axis=1), 1)


def test_a_text_group_against_a_picture_group_is_not_decided_by_the_modality():
    mixed = context({"red": ["red"], "blue": [picture("blue")]})
    chosen = mixed.group_log_probs(COLLECTION.embeddings, COLLECTION.embeddings).argmax(axis=1)
    for index, colour in enumerate(("red", "blue")):
        rows = np.array(COLLECTION.labels["colour"] == colour)
        assert (chosen[rows] == index).mean() > 0.9
    # Raw, in one softmax, the picture group takes every picture that shows neither: the gap decides.
    raw = DiscreteAnchors(
        torch.from_numpy(np.stack([g.anchors[0].embedding for g in mixed.groups])).double(), torch.zeros(2)
    )
    neither = np.array(COLLECTION.labels["colour"] == "green")
    assert (raw.log_probs(mixed.theta(COLLECTION.embeddings[neither])).argmax(dim=1) == 1).all()
    assert (chosen[neither] == 0).any()


def test_a_group_with_weight_zero_is_off_and_keeps_its_place():
    off = context(weights={"green": 0.0})
    probs = np.exp(off.group_log_probs(COLLECTION.embeddings, COLLECTION.embeddings))
    assert probs.shape[1] == 3
    assert (probs[:, 1] == 0).all()
    last_off = np.exp(context(weights={"blue": 0.0}).group_log_probs(COLLECTION.embeddings, COLLECTION.embeddings))
    assert (last_off[:, 2] == 0).all()


@pytest.mark.parametrize("model", ["discriminant", "prototype"])
def test_groups_that_cannot_be_told_apart_give_zero_divergence(model):
    same = context({"a": ["red"], "b": ["red"]}, model=model)
    law = same.anchor_law(COLLECTION.embeddings)
    p, q = same.theta(COLLECTION.embeddings[:9]), same.theta(COLLECTION.embeddings[9])
    assert bregman_divergence(p, q, law).abs().max() < 1e-20


def test_higher_concentration_is_sharper():
    soft, sharp = context(concentration=2.0), context(concentration=50.0)
    top = [c.group_log_probs(COLLECTION.embeddings, COLLECTION.embeddings).max(axis=1).mean() for c in (soft, sharp)]
    assert top[0] < top[1]


def test_cut_words_are_reported():
    assert context({"a": ["one two three four five six seven eight"], "b": ["red"]}).cut_words == {
        "one two three four five six seven eight": "seven eight"
    }


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"groups": {}}, "at least one group"),
        ({"groups": {"a": []}}, "no anchors"),
        ({"concentration": 0.0}, "positive"),
        ({"concentration": float("nan")}, "positive"),
        ({"model": "magic"}, "anchor model"),
        ({"weights": {"grey": 1.0}}, "grey"),
        ({"weights": {"red": -1.0}}, "negative"),
        ({"weights": dict.fromkeys(COLOURS, 0.0)}, "switched on"),
        ({"groups": {"a": [3.5]}}, "float"),
        ({"groups": {"a": [np.zeros(3)]}}, "shape"),
    ],
)
def test_unusable_contexts_are_refused_with_a_sentence(change, match):
    with pytest.raises(InputError, match=match):
        context(**{"groups": COLOURS, **change})


def test_two_groups_of_one_name_are_refused():
    group = Group("a", (Anchor("image", "x", COLLECTION.embeddings[0]),))
    with pytest.raises(InputError, match="name of its own"):
        Context((group, group), "prototype", 1.0, "toy:1", ENCODER.dim)


def test_a_saved_context_gives_the_same_geometry(tmp_path):
    made = context({"red": ["red", picture("red")], "blue": ["blue", picture("blue")]}, model="empirical")
    made.save(tmp_path / "colours.anchors.json")
    back = Context.load(tmp_path / "colours.anchors.json")
    assert back.digest() == made.digest()
    np.testing.assert_array_equal(
        back.group_log_probs(COLLECTION.embeddings, COLLECTION.embeddings),
        made.group_log_probs(COLLECTION.embeddings, COLLECTION.embeddings),
    )


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "colours.anchors.json"
    context().save(path)
    before = path.read_bytes()
    monkeypatch.setattr("json.dump", lambda *_, **__: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        context(concentration=3.0).save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def _damaged() -> dict[str, bytes]:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.anchors.json"
        context().save(path)
        good = json.loads(path.read_text())
    group = good["groups"][0]
    return {
        "empty": b"",
        "not JSON": b"PK\x03\x04",
        "pickle": b"\x80\x04\x95\x10\x00",
        "cut": json.dumps(good).encode()[:300],
        "a list": b"[]",
        "foreign": b'{"version": 1}',
        "newer": json.dumps({**good, "version": 99}).encode(),
        "no groups": json.dumps({k: v for k, v in good.items() if k != "groups"}).encode(),
        "bad base64": json.dumps({**good, "text_mean": "!!"}).encode(),
        "odd bytes": json.dumps({**good, "text_mean": "AAA="}).encode(),
        "other width": json.dumps({**good, "dim": 7}).encode(),
        "bad colour": json.dumps({**good, "groups": [{**group, "colour": "red;}"}]}).encode(),
        "bad kind": json.dumps({**good, "groups": [{**group, "anchors": [{"kind": "x"}]}]}).encode(),
        "infinite": json.dumps({**good, "concentration": float("inf")}).encode(),
        "deep": b"[" * 100_000,
    }


@pytest.mark.parametrize("content", _damaged().values(), ids=_damaged().keys())
def test_bad_context_files_get_one_sentence(tmp_path, content):
    path = tmp_path / "bad.anchors.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"^bad\.anchors\.json "):
        Context.load(path)


def test_the_digest_follows_everything_that_changes_the_geometry():
    made = context()
    changed = [
        made.with_model("empirical"),
        made.with_model("prototype", 3.0),
        replace(made, groups=made.groups[:2]),
        replace(made, groups=(replace(made.groups[0], weight=2.0), *made.groups[1:])),
        context({**COLOURS, "red": ["red round"]}),
        replace(made, text_mean=made.text_mean + 1),
    ]
    assert len({made.digest(), *(c.digest() for c in changed)}) == 7
    assert context().digest() == made.digest()


def test_all_groups_are_encoded_in_one_call_and_keep_their_examples():
    encoder = ToyEncoder()
    made = Context.from_groups({"a": ["red", picture("red"), "round"], "b": ["green"], "c": ["blue"]}, encoder=encoder)
    assert encoder.text_calls <= 2, "one for the groups, at most one for the prompt bank"
    assert [[a.label for a in g.anchors] for g in made.groups] == [["red", "picture", "round"], ["green"], ["blue"]]

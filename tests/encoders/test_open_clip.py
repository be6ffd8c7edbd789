import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anchordiv.encoders import load_encoder
from anchordiv.encoders.open_clip import OpenClipEncoder
from anchordiv.errors import InputError, ModelUnavailable


def pictures(count, seed=0):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(8, 90, (count, 2))
    return [Image.fromarray(rng.integers(0, 256, (h, w, 3), dtype=np.uint8)) for h, w in sizes]


@pytest.mark.parametrize("kind", ["vit", "conv"])
def test_vectors_are_those_of_open_clip_itself(kind, model_dir, encoders):
    import open_clip
    import torch

    model, preprocess = open_clip.create_model_from_pretrained(f"local-dir:{model_dir(kind)}")
    model.eval()
    tokens = open_clip.get_tokenizer(f"local-dir:{model_dir(kind)}")(["a red fox", "two boats"])
    images = pictures(3)
    with torch.no_grad():
        wanted = model.encode_image(torch.stack([preprocess(i) for i in images]), normalize=True).numpy()
        wanted_texts = model.encode_text(tokens, normalize=True).numpy()
        scale = model.logit_scale.exp().item()
    np.testing.assert_allclose(encoders(kind).encode_images(images), wanted, atol=1e-5)
    np.testing.assert_allclose(
        encoders(kind).encode_texts(["a red fox", "two boats"]).embeddings, wanted_texts, atol=1e-5
    )
    assert encoders(kind).concentration == pytest.approx(scale, rel=1e-6)


def test_vectors_do_not_depend_on_the_batches(encoder):
    images = pictures(20)
    at_once = encoder.encode_images(images, batch_size=64)
    one_by_one = np.concatenate([encoder.encode_images([image]) for image in images])
    assert at_once.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(at_once, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(encoder.encode_images(images, batch_size=7), at_once, atol=1e-5)
    np.testing.assert_allclose(one_by_one, at_once, atol=1e-5)
    assert np.abs(at_once - at_once[0]).max() > 1e-3


def test_nothing_in_nothing_out(encoder):
    assert encoder.encode_images([]).shape == (0, 24)
    assert encoder.encode_texts([]).embeddings.shape == (0, 24)


def test_only_convolutional_towers_are_laid_out_channels_last(encoders):
    import torch

    def is_last(kind):
        weights = next(m.weight for m in encoders(kind)._model.visual.modules() if isinstance(m, torch.nn.Conv2d))
        return weights.is_contiguous(memory_format=torch.channels_last) and not weights.is_contiguous()

    assert is_last("conv")
    assert not is_last("vit")


def test_progress_counts_pictures_and_can_cancel(encoder):
    seen = []
    encoder.encode_images(pictures(7), batch_size=3, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(3, 7), (6, 7), (7, 7)]

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encoder.encode_images(pictures(7), batch_size=3, progress=stop)


@pytest.mark.parametrize("size", [(1, 3000), (3000, 1), (1, 1), (2, 900)])
def test_very_narrow_pictures_are_encoded(encoder, size):
    embedding = encoder.encode_images([Image.new("RGB", size, (200, 30, 30))])
    assert np.linalg.norm(embedding) == pytest.approx(1, abs=1e-5)


def test_cropping_a_narrow_picture_first_changes_nothing_the_model_sees(encoders):
    # The tiny ViT sees the middle square; a colour far away from it must not matter.
    strip = Image.new("RGB", (400, 10), (10, 120, 240))
    marked = strip.copy()
    marked.paste((255, 0, 0), (0, 0, 20, 10))
    plain, other = encoders("vit").encode_images([strip, marked])
    np.testing.assert_allclose(plain, other, atol=1e-6)


def test_pictures_of_other_modes_are_read_as_rgb(encoder):
    grey = pictures(1)[0].convert("L")
    np.testing.assert_allclose(encoder.encode_images([grey]), encoder.encode_images([grey.convert("RGB")]), atol=1e-6)


def test_a_batch_of_none_is_refused(encoder):
    with pytest.raises(InputError, match="at least one picture"):
        encoder.encode_images(pictures(1), batch_size=0)


def test_templates_give_the_renormalised_mean(encoder):
    templates = ("a photo of {}", "{} drawn by hand", "{}")
    alone = [encoder.encode_texts([t.replace("{}", "a fox")]).embeddings[0] for t in templates]
    mean = np.mean(alone, axis=0)
    wanted = mean / np.linalg.norm(mean)
    np.testing.assert_allclose(encoder.encode_texts(["a fox"], templates=templates).embeddings[0], wanted, atol=1e-6)


@pytest.mark.parametrize("templates", [(), ("no place",), ("a \0 {}",)])
def test_templates_without_a_place_are_refused(encoder, templates):
    with pytest.raises(InputError, match="template"):
        encoder.encode_texts(["a fox"], templates=templates)


def test_braces_in_prompts_and_templates_are_literal(encoder):
    strange = encoder.encode_texts(["%{x} {0} {{7*7}}"], templates=("{} {y}",))
    assert np.isfinite(strange.embeddings).all()


def test_words_that_do_not_fit_are_named(encoder):
    fits, cut, tail = (
        encoder.encode_texts([text]).cut[0]
        for text in (
            " ".join(["cat"] * 14),
            " ".join(["cat"] * 14 + ["zebra"]),
            "cat " * 13 + "Elephant, Giraffe!  zebra",
        )
    )
    assert fits == ""
    assert cut == "zebra"
    assert tail == "Giraffe!  zebra"


def test_what_is_cut_is_really_not_read_and_what_is_not_cut_is(encoder):
    start = " ".join(["cat"] * 13)
    one, two, three = encoder.encode_texts(
        [f"{start} dog zebra", f"{start} dog whale", f"{start} fox zebra"]
    ).embeddings
    np.testing.assert_allclose(one, two, atol=1e-6)
    assert np.abs(one - three).max() > 1e-4


def test_a_single_text_instead_of_a_list_is_refused(encoder):
    with pytest.raises(InputError, match="list of prompts"):
        encoder.encode_texts("a fox")


def test_typing_the_end_mark_does_not_end_the_prompt(encoder):
    cat, marked, escaped = encoder.encode_texts(
        ["cat", "cat <end_of_text> dog", "cat &lt;END_OF_TEXT&gt; dog"]
    ).embeddings
    assert np.abs(cat - marked).max() > 1e-4
    assert np.abs(cat - escaped).max() > 1e-4


def test_the_identity_changes_with_everything_that_changes_a_vector(model_dir, encoders, tmp_path):
    base = encoders("vit").identity
    copy = tmp_path / model_dir("vit").name
    shutil.copytree(model_dir("vit"), copy)
    assert OpenClipEncoder(str(copy)).identity == base

    config_file = copy / "open_clip_config.json"
    original = config_file.read_text()
    identities = {base}
    for section, key, value in [("preprocess_cfg", "mean", [0.4] * 3), ("preprocess_cfg", "resize_mode", "squash")]:
        config = json.loads(original)
        config[section][key] = value
        config_file.write_text(json.dumps(config))
        identities.add(OpenClipEncoder(str(copy)).identity)
    config_file.write_text(original)

    from safetensors.torch import load_file, save_file

    weights = load_file(copy / "open_clip_model.safetensors")
    weights["logit_scale"] = weights["logit_scale"] + 1e-3
    save_file(weights, copy / "open_clip_model.safetensors")
    identities.add(OpenClipEncoder(str(copy)).identity)
    assert len(identities) == 4
    assert all(str(tmp_path) not in identity for identity in identities)


def test_names_are_trimmed_before_they_count(model_dir, encoders):
    assert load_encoder(f"  {model_dir('vit')} ", device="cpu").identity == encoders("vit").identity


def test_a_checkpoint_file_of_a_named_architecture(tiny_architecture, encoders):
    named = load_encoder(f"tiny-vit@{tiny_architecture}", device="cpu")
    assert named.identity.startswith("Tiny-ViT@open_clip_model.safetensors#")
    prompts = ["a red fox"]
    np.testing.assert_allclose(
        named.encode_texts(prompts).embeddings, encoders("vit").encode_texts(prompts).embeddings, atol=1e-6
    )


def test_a_plain_tensor_pickle_is_read(tiny_architecture, encoders, tmp_path):
    import torch
    from safetensors.torch import load_file

    torch.save(load_file(tiny_architecture), tmp_path / "weights.pt")
    named = load_encoder(f"Tiny-ViT@{tmp_path / 'weights.pt'}", device="cpu")
    np.testing.assert_allclose(
        named.encode_texts(["fox"]).embeddings, encoders("vit").encode_texts(["fox"]).embeddings, atol=1e-6
    )


class Trap:
    def __reduce__(self):
        return (Path.touch, (Path("PICKLE_WAS_LOADED"),))


@pytest.mark.parametrize("suffix", [".pt", ".pth", ".bin"])
def test_a_pickle_that_runs_code_is_refused(tiny_architecture, tmp_path, monkeypatch, suffix):
    import torch

    monkeypatch.chdir(tmp_path)
    torch.save({"state_dict": Trap()}, f"torch{suffix}")
    Path(f"bare{suffix}").write_bytes(pickle.dumps(Trap()))
    for name in (f"torch{suffix}", f"bare{suffix}"):
        with pytest.raises(ModelUnavailable, match="could run code"):
            load_encoder(f"Tiny-ViT@{name}")
    assert not Path("PICKLE_WAS_LOADED").exists()
    pickle.loads(pickle.dumps(Trap()))
    assert Path("PICKLE_WAS_LOADED").exists(), "the trap itself must work"


@pytest.mark.parametrize("damage", ["cut", "empty", "noise"])
def test_damaged_weights_are_refused_in_a_sentence(model_dir, tmp_path, damage):
    folder = tmp_path / "damaged"
    shutil.copytree(model_dir("vit"), folder)
    weights = folder / "open_clip_model.safetensors"
    data = weights.read_bytes()
    weights.write_bytes({"cut": data[: len(data) // 2], "empty": b"", "noise": b"\x07" * 4096}[damage])
    with pytest.raises(ModelUnavailable, match="damaged or cut off"):
        load_encoder(str(folder))


def test_weights_of_another_architecture_are_refused(model_dir, tiny_architecture):
    with pytest.raises(ModelUnavailable, match="belongs to another architecture"):
        load_encoder(f"Tiny-ViT@{model_dir('conv') / 'open_clip_model.safetensors'}")


def test_weights_that_are_not_finite_are_noticed(model_dir, tmp_path):
    from safetensors.torch import load_file, save_file

    folder = tmp_path / "nan"
    shutil.copytree(model_dir("vit"), folder)
    weights = load_file(folder / "open_clip_model.safetensors")
    weights["visual.proj"][:] = float("nan")
    save_file(weights, folder / "open_clip_model.safetensors")
    with pytest.raises(ModelUnavailable, match="not finite"):
        load_encoder(str(folder)).encode_images(pictures(1))


def test_devices_that_are_not_there_are_refused(model_dir):
    import torch

    with pytest.raises(InputError, match="no device"):
        load_encoder(str(model_dir("vit")), device="toaster")
    with pytest.raises((InputError, ModelUnavailable)):
        load_encoder(str(model_dir("vit")), device="cuda:99")
    auto = load_encoder(str(model_dir("vit"))).card.device
    assert auto == ("cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu")


@pytest.mark.parametrize("name", ["", "   ", None, 3])
def test_names_that_are_none_are_refused(name):
    with pytest.raises(InputError, match="by its name"):
        load_encoder(name)


def test_the_starter_is_what_it_says():
    from anchordiv.encoders.presets import starter_dir

    if not (starter_dir() / "open_clip_config.json").is_file():
        pytest.skip("the starter's weights are not in assets yet")
    starter = load_encoder("starter", device="cpu")
    assert starter.card.name == "starter"
    assert starter.card.languages == "English"
    assert starter.identity.startswith("starter#")
    white = starter.encode_images([Image.new("RGB", (160, 160), "white"), Image.new("RGB", (50, 90), "red")])
    assert white.shape == (2, starter.dim)

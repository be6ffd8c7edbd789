import json
import shutil

import pytest

from anchordiv.encoders import load_encoder, model_source
from anchordiv.errors import ModelUnavailable


def test_unknown_names_suggest_near_ones():
    with pytest.raises(ModelUnavailable, match=r"ViT-B-32.*starter"):
        load_encoder("ViT-B-3/openai")


def test_a_missing_tag_lists_the_tags():
    with pytest.raises(ModelUnavailable, match='"ViT-B-32/openai"'):
        load_encoder("vit-b-32")
    with pytest.raises(ModelUnavailable, match='"ViT-B-32/laion2b_s34b_b79k"'):
        load_encoder("ViT-B-32/laion2b_s34b_b79")


def test_without_a_network_the_starter_is_named(monkeypatch, tmp_path):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    for name in ("ViT-B-32/laion2b_s34b_b79k", "hf-hub:nobody/nothing"):
        with pytest.raises(ModelUnavailable, match="starter"):
            load_encoder(name)
    assert constants.HF_HUB_OFFLINE in (False, None), "the patience of the hub client must come back"


def test_hub_names_have_two_parts():
    with pytest.raises(ModelUnavailable, match="organisation/model"):
        load_encoder("hf-hub:nothing")


@pytest.mark.parametrize("name", ["local-dir:/no/such", "Tiny-ViT@/no/such.safetensors"])
def test_places_that_do_not_exist(name):
    with pytest.raises(ModelUnavailable, match="There is no"):
        load_encoder(name)


@pytest.mark.parametrize("name", ["n" * 5000, "~no_such_person/model", "local-dir:" + "n" * 5000, "x@" + "n" * 5000])
def test_names_that_cannot_be_places_are_refused(name):
    with pytest.raises(ModelUnavailable):
        load_encoder(name)


def test_a_weights_file_without_its_architecture(tmp_path):
    file = tmp_path / "weights.safetensors"
    file.write_bytes(b"x")
    with pytest.raises(ModelUnavailable, match="which architecture"):
        load_encoder(str(file))


def test_other_files_are_no_weights(tiny_architecture, tmp_path):
    file = tmp_path / "weights.npz"
    file.write_bytes(b"x")
    with pytest.raises(ModelUnavailable, match="no weights file"):
        load_encoder(f"Tiny-ViT@{file}")


def test_folders_without_a_model(tmp_path):
    with pytest.raises(ModelUnavailable, match=r"holds no open_clip_config\.json"):
        load_encoder(str(tmp_path))
    config = tmp_path / "open_clip_config.json"
    for content in ("not json", "{}", '{"model_cfg": {}}', '{"model_cfg": {"embed_dim": "wide"}}', "[]"):
        config.write_text(content)
        with pytest.raises(ModelUnavailable, match="not a readable open_clip config"):
            load_encoder(str(tmp_path))
    config.write_text(json.dumps({"model_cfg": {"embed_dim": 24, "vision_cfg": {}, "text_cfg": {}}}))
    with pytest.raises(ModelUnavailable, match="holds no weights"):
        load_encoder(str(tmp_path))


def test_a_registered_tag_is_loaded_with_the_gelu_it_was_trained_with(tiny_architecture, monkeypatch):
    from open_clip import pretrained
    from open_clip.transformer import QuickGELU

    tags = {
        "plain": {"file": str(tiny_architecture)},
        "quick": {"file": str(tiny_architecture), "quick_gelu": True, "mean": (0.1, 0.2, 0.3)},
    }
    monkeypatch.setitem(pretrained._PRETRAINED, "Tiny-ViT", tags)
    plain, quick = (load_encoder(f"Tiny-ViT / {tag}", device="cpu") for tag in tags)

    def has_quick_gelu(encoder):
        return any(isinstance(module, QuickGELU) for module in encoder._model.modules())

    assert not has_quick_gelu(plain)
    assert has_quick_gelu(quick)
    assert quick._preprocess_config["mean"] == [0.1, 0.2, 0.3]
    assert plain.identity.startswith("Tiny-ViT/plain#")
    assert plain.identity.partition("#")[2] != quick.identity.partition("#")[2]


def test_a_hub_model_is_taken_from_the_cache(model_dir, monkeypatch, encoders):
    from open_clip import pretrained

    asked = []

    def from_cache(repo_id, filename, **_):
        asked.append((repo_id, filename))
        file = model_dir("conv") / filename.replace("open_clip_model.safetensors", "open_clip_model.safetensors")
        if not file.is_file():
            raise FileNotFoundError(filename)
        return str(file)

    source = model_dir("conv") / "open_clip_model.safetensors"
    hub_name = model_dir("conv") / pretrained.HF_SAFE_WEIGHTS_NAME
    if not hub_name.exists():
        shutil.copy(source, hub_name)
    monkeypatch.setattr(pretrained, "hf_hub_download", from_cache)
    encoder = load_encoder("hf-hub:someone/tiny", device="cpu")
    assert encoder.identity.startswith("hf-hub:someone/tiny#")
    assert encoder.dim == encoders("conv").dim
    assert {repo for repo, _ in asked} == {"someone/tiny"}


def test_a_tokenizer_package_that_is_missing_is_named(model_dir, tmp_path, monkeypatch):
    folder = tmp_path / "needs_transformers"
    shutil.copytree(model_dir("conv"), folder)
    config = json.loads((folder / "open_clip_config.json").read_text())
    config["model_cfg"]["text_cfg"]["hf_tokenizer_name"] = "someone/tokenizer"
    (folder / "open_clip_config.json").write_text(json.dumps(config))
    monkeypatch.setitem(__import__("sys").modules, "transformers", None)
    with pytest.raises(ModelUnavailable, match="transformers"):
        load_encoder(str(folder))


def test_local_folders_never_ask_the_network(model_dir, monkeypatch):
    def asked(address):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(model_source, "_answers", asked)
    assert load_encoder(str(model_dir("vit")), device="cpu").dim == 24


def test_a_server_that_refuses_is_a_network():
    import http.server
    import threading

    with http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        assert ORIGINAL_ANSWERS(f"http://127.0.0.1:{server.server_port}/")
        server.shutdown()
    assert not ORIGINAL_ANSWERS("http://127.0.0.1:9/", 1.0)
    assert not ORIGINAL_ANSWERS("no address", 1.0)


ORIGINAL_ANSWERS = model_source._answers

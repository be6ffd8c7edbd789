"""Where a model comes from: its name taken apart, its weights found on this machine or fetched."""

import difflib
import hashlib
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anchordiv.errors import ModelUnavailable

CONFIG_NAME = "open_clip_config.json"
_WEIGHTS_SUFFIXES = (".safetensors", ".pt", ".pth", ".bin")
_TOKENIZER_FILES = ("tokenizer*", "vocab*", "merges*", "special_tokens*", "spiece*", "sentencepiece*")
_STARTER_WORKS = 'the encoder "starter" is always there'


@dataclass(frozen=True)
class ModelSource:
    """One model, found.

    Args:
        label: the name people see; no folder of this machine is part of it.
        architecture: what open_clip's ``create_model`` takes as its model name.
        pretrained: its weights tag or file, None where the architecture brings its own.
        weights: the file that holds the weights.
        quick_gelu: whether these weights were trained with the quick approximation of GELU.
        tokenizer_files: files beside the weights that decide how text is read.
    """

    label: str
    architecture: str
    pretrained: str | None
    weights: Path
    quick_gelu: bool = False
    tokenizer_files: tuple[Path, ...] = ()


def find_model(name: str, label: str | None = None) -> ModelSource:
    """Find a model by its name; see ``load_encoder`` for the forms a name can take.

    Raises:
        ModelUnavailable: unknown name, missing file, no network.
    """
    try:
        return _found(name.strip(), label)
    except (OSError, RuntimeError) as error:
        raise ModelUnavailable(f'"{name.strip()[:80]}" cannot be opened here; {_STARTER_WORKS}.') from error


def _found(name: str, label: str | None) -> ModelSource:
    """Tell the forms of a name apart."""
    if name.startswith("hf-hub:"):
        return _from_hub(name)
    if name.startswith("local-dir:"):
        return _from_folder(Path(name.removeprefix("local-dir:")), label)
    if "@" in name:
        return _from_file(*name.split("@", 1))
    path = Path(name).expanduser()
    if path.is_dir():
        return _from_folder(path, label)
    if path.is_file():
        raise ModelUnavailable(
            f"The file {path.name} does not say which architecture it belongs to; write the name in front, "
            f'such as "ViT-B-32@{path.name}", or give its folder if that holds an {CONFIG_NAME}.'
        )
    return _from_registry(name)


def _from_folder(folder: Path, label: str | None) -> ModelSource:
    """Find the model of a folder in open_clip's local-dir format."""
    folder = folder.expanduser()
    if not folder.is_dir():
        raise ModelUnavailable(f"There is no folder {folder}; {_STARTER_WORKS}.")
    config = folder / CONFIG_NAME
    if not config.is_file():
        raise ModelUnavailable(f"The folder {folder} holds no {CONFIG_NAME}, so its model is unknown.")
    try:
        model_config = json.loads(config.read_text("utf-8"))["model_cfg"]
        embed_dim = int(model_config["embed_dim"])
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise ModelUnavailable(f"{config} is not a readable open_clip config with a model_cfg.") from error
    if embed_dim <= 0:
        raise ModelUnavailable(f"{config} asks for embeddings of width {embed_dim}.")
    # The digest must be of the very file open_clip will load, so its own choice among several is asked for.
    from open_clip.factory import _find_checkpoint_in_dir

    weights = _find_checkpoint_in_dir(folder)
    if weights is None:
        raise ModelUnavailable(f"The folder {folder} holds no weights ({CONFIG_NAME} alone is not a model).")
    return ModelSource(
        label=label or f"local-dir:{folder.resolve().name}",
        architecture=f"local-dir:{folder}",
        pretrained=None,
        weights=Path(weights),
        tokenizer_files=tuple(sorted(path for pattern in _TOKENIZER_FILES for path in folder.glob(pattern))),
    )


def _from_file(architecture: str, file: str) -> ModelSource:
    """Find a checkpoint file of a named architecture."""
    path = Path(file.strip()).expanduser()
    if not path.is_file():
        raise ModelUnavailable(f"There is no file {path}; {_STARTER_WORKS}.")
    if path.suffix.lower() not in _WEIGHTS_SUFFIXES:
        raise ModelUnavailable(f"{path.name} is no weights file: one of {', '.join(_WEIGHTS_SUFFIXES)} is wanted.")
    architecture = _known_architecture(architecture.strip())
    return ModelSource(f"{architecture}@{path.name}", architecture, str(path), path)


def _from_registry(name: str) -> ModelSource:
    """Find "ARCHITECTURE/TAG" among the models open_clip knows, and fetch its weights if need be."""
    import open_clip

    architecture, _, tag = (part.strip() for part in name.partition("/"))
    architecture = _known_architecture(architecture, wanted=name)
    config = open_clip.get_pretrained_cfg(architecture, tag) if tag else {}
    if not config:
        tags = open_clip.list_pretrained_tags_by_model(architecture)
        raise ModelUnavailable(
            f"{architecture} needs the name of trained weights behind a slash; there are "
            + (", ".join(f'"{architecture}/{name}"' for name in _nearest(tag, tags) or tags[:6]) or "none in open_clip")
            + "."
        )
    try:
        weights = open_clip.download_pretrained(config)
    except Exception as error:
        raise _unreachable(name) from error
    return ModelSource(f"{architecture}/{tag}", architecture, tag, Path(weights), bool(config.get("quick_gelu")))


def _from_hub(name: str) -> ModelSource:
    """Fetch a model of the Hugging Face hub, or take it from the cache."""
    from open_clip.pretrained import download_pretrained_from_hf

    model_id = name.removeprefix("hf-hub:").strip().strip("/")
    if model_id.count("/") != 1:
        raise ModelUnavailable(f'A hub name reads "hf-hub:organisation/model", not "{name}".')
    try:
        download_pretrained_from_hf(model_id, filename=CONFIG_NAME)
        weights = download_pretrained_from_hf(model_id)
    except Exception as error:
        raise _unreachable(name) from error
    return ModelSource(f"hf-hub:{model_id}", f"hf-hub:{model_id}", None, Path(weights))


def _known_architecture(architecture: str, wanted: str | None = None) -> str:
    """Return the architecture's name as open_clip spells it, or suggest the near ones."""
    import open_clip

    models: list[str] = open_clip.list_models()
    spelled = {model.lower(): model for model in models}
    if architecture.lower() in spelled:
        return spelled[architecture.lower()]
    near = ", ".join(_nearest(architecture, models)) or 'such as "ViT-B-32/laion2b_s34b_b79k"'
    raise ModelUnavailable(f'There is no encoder "{wanted or architecture}". Known names: {near}; {_STARTER_WORKS}.')


def _nearest(word: str, names: list[str], count: int = 4) -> list[str]:
    """Return the names most like a word."""
    spelled = {name.lower(): name for name in names}
    near = difflib.get_close_matches(word.lower(), list(spelled), n=count, cutoff=0.5)
    return [spelled[name] for name in near]


def _unreachable(name: str) -> ModelUnavailable:
    """Say that the weights are neither here nor to be had."""
    return ModelUnavailable(
        f'The weights of "{name}" are not on this machine and could not be fetched (no network, or no such '
        f"model); {_STARTER_WORKS} and needs no network, and so does a folder of weights you bring along."
    )


@contextmanager
def patient_only_with_network(name: str) -> Iterator[None]:
    """Let the hub client look into its cache alone when the hub cannot be reached.

    Its own retries take 20 s a file without a network, and a model asks for several. A folder asks for none.
    """
    if _names_a_folder(name.strip()):
        yield
        return
    from huggingface_hub import constants

    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = before or not _answers(constants.ENDPOINT)
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


def _names_a_folder(name: str) -> bool:
    try:
        return name.startswith("local-dir:") or Path(name).expanduser().is_dir()
    except (OSError, RuntimeError):
        return False


def _answers(address: str, seconds: float = 5.0) -> bool:
    """Tell whether a server answers at all, whatever it says."""
    try:
        urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=seconds).close()
    except urllib.error.HTTPError:
        return True
    except urllib.error.URLError as error:
        # Python installations without certificates of their own: the hub client brings its own.
        return isinstance(error.reason, ssl.SSLError)
    except (OSError, ValueError):
        return False
    return True


def digest(config: dict[str, Any], files: tuple[Path, ...]) -> str:
    """Return 16 hex digits over a configuration and the contents of files."""
    whole = hashlib.sha256(json.dumps(config, sort_keys=True, default=str).encode())
    for path in files:
        with path.open("rb") as stream:
            whole.update(path.name.encode() + hashlib.file_digest(stream, "sha256").digest())
    return whole.hexdigest()[:16]

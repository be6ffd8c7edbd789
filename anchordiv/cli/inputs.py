"""What people type becomes collections, contexts and queries."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from anchordiv.cli.options import Model
from anchordiv.cli.printing import note, shortened
from anchordiv.errors import InputError

if TYPE_CHECKING:
    from PIL.Image import Image

    from anchordiv.collection import Collection, Store
    from anchordiv.contexts import Context
    from anchordiv.encoders import Encoder

SAMPLE_PREFIX = "sample:"


def absolute_encoder(name: str) -> str:
    """Return an encoder's name that means the same from another folder."""
    architecture, at, file = name.partition("@")
    if at:
        return f"{architecture}@{Path(file).expanduser().resolve()}"
    folder = Path(name.removeprefix("local-dir:")).expanduser()
    return str(folder.resolve()) if folder.is_dir() else name


def absolute_store(name: str) -> str:
    """Return a store's name that means the same from another folder."""
    return name if name == ":memory:" else str(Path(name).expanduser().resolve())


def encoder_named(name: str | None) -> "Encoder":
    """Load an encoder; the starter if none is named."""
    from anchordiv.encoders import load_encoder

    return load_encoder(name or "starter")


def open_source(source: str, encoder: str | None, store: str | None = None) -> "Collection":
    """Open a source with the encoder asked for, or else with the one a saved collection was made by."""
    collection = _opened(source, encoder, store)
    report = collection.report
    if report.warning:
        note(report.warning)
    if report.rejected or report.duplicates or not len(collection):
        note(report.sentence())
    return collection


def _opened(source: str, encoder: str | None, store: str | None) -> "Collection":
    from anchordiv.collection import Collection

    if source.startswith(SAMPLE_PREFIX):
        from anchordiv.samples import open_sample

        sample: Collection = open_sample(source.removeprefix(SAMPLE_PREFIX), encoder=encoder_named(encoder))
        return sample
    if source.lower().endswith(".npz"):
        saved = Collection.load(Path(source).expanduser())
        return Collection.load(
            Path(source).expanduser(), encoder_named(encoder or saved.encoder_identity.partition("#")[0])
        )
    return Collection.open(source, encoder=encoder_named(encoder), progress=_progress(), store=_store(store))


def _store(named: str | None) -> "Store | None":
    """Open the store; one nobody named may be missing, at the price of encoding again."""
    from anchordiv.collection import Store
    from anchordiv.errors import StoreUnavailable

    try:
        return Store.open(named)
    except StoreUnavailable as error:
        if named is not None:
            raise
        note(str(error))
        return None


def _progress() -> Callable[[str, int, int], None] | None:
    """Return a counter on standard error, if a person is watching it."""
    if not sys.stderr.isatty():
        return None

    def show(stage: str, done: int, total: int) -> None:
        end = "\n" if stage == "encoding" and done >= total else "\r"
        print(f"{stage} {done:,} of {total:,}   ", end=end, file=sys.stderr, flush=True)

    return show


def read_groups(options: Sequence[str]) -> dict[str, list[object]]:
    """Read groups off the command line: "NAME=PROMPT;PROMPT;@PICTURE", or a name that is its own prompt."""
    groups: dict[str, list[object]] = {}
    for option in options:
        name, equals, listed = option.partition("=")
        name = name.strip()
        anchors = [anchor.strip() for anchor in listed.split(";") if anchor.strip()] if equals else [name]
        if not name or not anchors:
            raise InputError(f'The group "{option}" reads NAME=ANCHOR;ANCHOR, such as "photo=a photo;a photograph".')
        if name in groups:
            raise InputError(f'The group "{name}" is there twice; put all its anchors into one, between semicolons.')
        groups[name] = [_picture(a.removeprefix("@")) if a.startswith("@") else a for a in anchors]
    return groups


def _picture(path: str) -> "Image":
    """Read a picture from a file."""
    from anchordiv.collection import read_image
    from anchordiv.collection.sources import place_of, read_file

    file = place_of(path)
    if not file.is_file():
        raise InputError(f'There is no picture "{path}".')
    return read_image(read_file(file, file.name), file.name)


def context_of(
    collection: "Collection",
    groups: Sequence[str] | None,
    file: Path | None,
    model: Model,
    concentration: float | None,
) -> "Context":
    """Return the context of a command: from a file, from groups, or cosine where there is neither."""
    from anchordiv.contexts import Context

    if groups and file is not None:
        raise InputError("Give groups or a context file, not both.")
    if file is not None:
        loaded = Context.load(file)
        return loaded if concentration is None else loaded.with_model(loaded.model, concentration)
    encoder = cast("Encoder", collection.encoder)
    if not groups:
        return Context.cosine(encoder)
    return context_from_groups(read_groups(groups), encoder, model, concentration)


def context_from_groups(
    groups: Mapping[str, Sequence[object]], encoder: "Encoder", model: Model, concentration: float | None
) -> "Context":
    """Build a context and say which words of its prompts were not read."""
    from anchordiv.contexts import Context

    made = Context.from_groups(groups, encoder=encoder, model=model.value, concentration=concentration)
    for prompt, cut in made.cut_words.items():
        note(f'The prompt "{shortened(prompt)}" is too long for this encoder; not read: "{shortened(cut)}".')
    return made


def read_query(collection: "Collection", query: str) -> "int | str | Image":
    """Read a query: text:WORDS, an item's name, its number, or a picture's path."""
    if query.startswith("text:"):
        return query.removeprefix("text:")
    named = [row for row, item in enumerate(collection.items) if item.name == query]
    if len(named) > 1:
        raise InputError(f'{len(named)} items are called "{query}"; use a number, such as {named[0]}.')
    if named:
        return named[0]
    if query.lstrip("-").isdigit():
        return int(query)
    import difflib

    from anchordiv.collection.sources import place_of

    try:
        if place_of(query).is_file():
            return _picture(query)
    except InputError:
        pass

    near = difflib.get_close_matches(query, [item.name for item in collection.items], n=3, cutoff=0.4)
    asked = shortened(query)
    raise InputError(
        f'No item is called "{asked}", and there is no such picture file; write text:{asked} to search by words'
        + (f", or one of {', '.join(near)}." if near else ".")
    )

"""What outlives a rerun: sample, encoder, contexts; each bounded and kept under digests of its own content."""

from __future__ import annotations

import os
import secrets
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import streamlit as st

from anchordiv.errors import AnchordivError, StoreUnavailable
from anchordiv.ui.jobs import Job, Lane, start
from anchordiv.ui.thumbnails import OpenedCollection

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from anchordiv.collection import Collection, Store
    from anchordiv.collection.sources import Source
    from anchordiv.contexts import Context
    from anchordiv.encoders.protocol import EncodedTexts, Encoder, EncoderCard
    from anchordiv.projection import Layout
    from anchordiv.ui.session import ContextPlan

SAMPLE: Final = "atelier"
_KEPT_PROMPTS: Final = 4096
_HEAD_START: Final = 1.0


class RememberingEncoder:
    """An encoder that reads each prompt once ever; moving a slider then costs no encoding.

    Args:
        encoder: the encoder behind.
        store: keeps the prompts' vectors beyond this process; none keeps nothing.
    """

    def __init__(self, encoder: Encoder, store: Store | None = None) -> None:
        self._encoder, self._store = encoder, store
        self._texts: OrderedDict[tuple[str, tuple[str, ...]], tuple[NDArray[np.float32], str]] = OrderedDict()
        self._lock = threading.Lock()
        self.texts_read = 0
        self.images_read = 0

    @property
    def identity(self) -> str:
        """The identity of the encoder behind."""
        return self._encoder.identity

    @property
    def dim(self) -> int:
        """The width of its embeddings."""
        return self._encoder.dim

    @property
    def concentration(self) -> float:
        """Its own inverse temperature."""
        return self._encoder.concentration

    @property
    def card(self) -> EncoderCard:
        """What a person should know about it."""
        return self._encoder.card

    def encode_images(
        self, images: Sequence[object], *, batch_size: int = 32, progress: Callable[[int, int], None] | None = None
    ) -> NDArray[np.float32]:
        """Pass pictures on, counted; collections and the store keep their embeddings."""
        self.images_read += len(images)
        return self._encoder.encode_images(images, batch_size=batch_size, progress=progress)  # type: ignore[arg-type]

    def encode_texts(self, prompts: Sequence[str], *, templates: Sequence[str] = ("{}",)) -> EncodedTexts:
        """Embed prompts, reading only those that are new."""
        import numpy as np

        from anchordiv.encoders.protocol import EncodedTexts

        keys = [(prompt, tuple(templates)) for prompt in prompts]
        with self._lock:
            new = list(dict.fromkeys(key for key in keys if key not in self._texts))
            new = self._from_store(new)
            if new:
                fresh = self._encoder.encode_texts([prompt for prompt, _ in new], templates=templates)
                self.texts_read += len(new)
                self._texts.update(zip(new, zip(fresh.embeddings, fresh.cut, strict=True), strict=True))
                self._to_store(new)
            rows = [self._texts[key] for key in keys]
            while len(self._texts) > _KEPT_PROMPTS:
                self._texts.popitem(last=False)
        return EncodedTexts(np.stack([vector for vector, _ in rows]), tuple(cut for _, cut in rows))

    def _from_store(self, keys: list[tuple[str, tuple[str, ...]]]) -> list[tuple[str, tuple[str, ...]]]:
        """Take what the store knows; return the keys it does not know."""
        from anchordiv.collection.store import prompt_key

        if self._store is None or not keys:
            return keys
        try:
            known = self._store.prompt_vectors([prompt_key(*key) for key in keys], self.identity)
        except StoreUnavailable:
            return keys
        found = {key: known[prompt_key(*key)] for key in keys if prompt_key(*key) in known}
        self._texts.update({key: (vector, "") for key, vector in found.items()})
        return [key for key in keys if key not in found]

    def _to_store(self, keys: Sequence[tuple[str, tuple[str, ...]]]) -> None:
        """Keep new vectors; a prompt that was cut is read again each time, since its words are not kept."""
        from anchordiv.collection.store import prompt_key

        if self._store is None:
            return
        whole = {prompt_key(*key): self._texts[key][0] for key in keys if not self._texts[key][1]}
        with suppress(StoreUnavailable):
            self._store.keep_prompt_vectors(whole, self.identity)


@dataclass(frozen=True)
class _OpenedStore:
    store: Store
    problem: str = ""


@st.cache_resource(max_entries=1, show_spinner=False)
def _opened_store() -> _OpenedStore:
    from anchordiv.collection.store import IN_MEMORY, Store

    try:
        return _OpenedStore(Store.open())
    except StoreUnavailable as error:
        return _OpenedStore(Store.open(IN_MEMORY), f"{error} Until then nothing is kept when the app ends.")


def store() -> Store:
    """Return the store, opened once per server; one in memory where the named one cannot be opened."""
    return _opened_store().store


def store_problem() -> str:
    """Return the sentence that says why the named store is not in use, or nothing."""
    return _opened_store().problem


@st.cache_resource(max_entries=1, show_spinner=False)
def sample() -> OpenedCollection:
    """Open the sample collection, once per server; it needs no encoder."""
    from anchordiv.samples import open_sample

    return OpenedCollection(open_sample(SAMPLE), is_sample=True)


def ready() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the ready-made contexts of the sample."""
    from anchordiv.contexts import ready_contexts

    return ready_contexts(SAMPLE)


@st.cache_resource(max_entries=1, show_spinner=False)
def encoder_job() -> Job[RememberingEncoder]:
    """Load the encoder in the background, once per server, then warm up what a map needs.

    Which one is the environment's choice (``ANCHORDIV_ENCODER``), the starter otherwise.
    """

    def load(report: Callable[[str, int, int], None]) -> RememberingEncoder:
        # The imports below keep the interpreter busy for seconds; the first pictures go out before.
        threading.Event().wait(_HEAD_START)
        from anchordiv.encoders import load_encoder

        encoder = RememberingEncoder(load_encoder(os.environ.get("ANCHORDIV_ENCODER") or "starter"), store())
        _read_ready_prompts(encoder)
        map_lane().add(Job(warm_map))
        return encoder

    def warm_map(report: Callable[[str, int, int], None]) -> None:
        from anchordiv.projection import warm_up

        warm_up()

    return start(Job(load))


def computing_device() -> str:
    """Return what people call the device that encodes, compares and finds neighbours: the best one there is."""
    from anchordiv.geometry import device_name, device_of

    return device_name(device_of())


def _read_ready_prompts(encoder: RememberingEncoder) -> None:
    """Read what the ready-made contexts and every text query will need, so that a first click does not wait."""
    from anchordiv.encoders import text_mean

    encoder.encode_texts([text for groups in ready().values() for texts in groups.values() for text in texts])
    text_mean(encoder)


@st.cache_resource(max_entries=1, show_spinner=False)
def map_lane() -> Lane:
    """Return the one thread on which maps are laid out; UMAP's compiled parts do not bear two at once."""
    return Lane("map")


def encoder() -> RememberingEncoder | None:
    """Return the encoder if it is loaded."""
    return encoder_job().result


@st.cache_resource(max_entries=4, show_spinner=False)
def folder_job(source: str) -> Job[OpenedCollection]:
    """Open a folder, zip or table on this computer in the background, once per server, for every visitor."""
    return start(intake_job(source, place=source))


def intake_job(source: Source, name: str | None = None, *, owner: str = "", place: str = "") -> Job[OpenedCollection]:
    """Describe the work of turning a source into an opened collection; waits for the encoder first.

    Args:
        source: what to open.
        name: what to call it.
        owner: whose it becomes; without one it is not kept as a collection.
        place: the place on this computer the server was started with.
    """
    token = secrets.token_urlsafe(18)

    def shown(collection: Collection, kept_as: str = "") -> OpenedCollection:
        # Uploaded bytes would stay in memory with their originals; what is shown are thumbnails and vectors.
        light = collection if isinstance(source, str) else replace(collection, originals=None)
        return OpenedCollection(light, kept_as=kept_as, source=place, token=token)

    def take_in(report: Callable[[str, int, int], None]) -> OpenedCollection:
        from anchordiv.collection import Collection

        ready_encoder = _wait_for_encoder(report)
        if isinstance(source, str) and source.lower().endswith(".npz"):
            collection = Collection.load(source, encoder=ready_encoder)
        else:
            collection = Collection.open(
                source, encoder=ready_encoder, name=name, progress=report, store=store(),
                arrived=lambda partial: job.publish(shown(partial)),
            )  # fmt: skip
        return shown(collection, _kept(collection, owner))

    job = Job(take_in)
    return job


def _kept(collection: Collection, owner: str) -> str:
    if not owner or not len(collection):
        return ""
    try:
        return store().keep_collection(collection, owner)
    except StoreUnavailable:
        return ""


def keep_partial(opened: OpenedCollection, owner: str) -> OpenedCollection:
    """Keep what came in of a collection before it was called off."""
    return replace(opened, kept_as=_kept(opened.collection, owner))


@st.cache_resource(max_entries=1, show_spinner=False)
def sample_again_job(identity: str) -> Job[OpenedCollection]:
    """Encode the sample anew for an encoder its shipped vectors are not of, once per server."""

    def encode(report: Callable[[str, int, int], None]) -> OpenedCollection:
        from anchordiv.samples import open_sample

        again = open_sample(SAMPLE, encoder=_wait_for_encoder(report), progress=report)
        return OpenedCollection(again, is_sample=True)

    return start(Job(encode))


def _wait_for_encoder(report: Callable[[str, int, int], None]) -> RememberingEncoder:
    job = encoder_job()
    while job.pending:
        report("loading the encoder", 0, 0)
        threading.Event().wait(0.1)
    if job.result is None:
        raise AnchordivError(job.problem)
    return job.result


def context_of(plan: ContextPlan, opened: OpenedCollection) -> Context | None:
    """Return the geometry a plan describes, or nothing while the encoder is still on its way.

    Raises:
        AnchordivError: a sentence about what keeps the plan from being a context.
    """
    ready_encoder = encoder()
    if ready_encoder is None:
        return None
    return _context(plan, opened.key, ready_encoder.identity, opened, ready_encoder)


@st.cache_resource(max_entries=64, show_spinner=False)
def _context(
    plan: ContextPlan, key: str, identity: str, _opened: OpenedCollection, _encoder: RememberingEncoder
) -> Context:
    from anchordiv.contexts import Anchor, Context

    groups = {
        name: [*texts, *(Anchor.of_item(_opened.collection, _opened.index_by_id[item]) for item in pictures)]
        for name, texts, pictures, _ in plan.groups
    }
    return Context.from_groups(
        groups,
        encoder=_encoder,
        model=plan.model,  # type: ignore[arg-type]
        concentration=plan.concentration,
        weights={name: weight for name, _, _, weight in plan.groups},
    )


def cosine_of(opened: OpenedCollection) -> Context:
    """Return the geometry without opinion for a collection."""
    from anchordiv.contexts import Context

    collection = opened.collection
    return Context((), "uniform", 1.0, collection.encoder_identity, int(collection.embeddings.shape[1]))


@st.cache_resource(max_entries=16, show_spinner=False)
def group_shares(plan: ContextPlan, key: str, _context: Context, _opened: OpenedCollection) -> NDArray[np.float32]:
    """Return every picture's posterior over the groups, (n, G)."""
    import numpy as np

    embeddings = _opened.collection.embeddings
    return np.exp(_context.group_log_probs(embeddings, embeddings)).astype(np.float32)


def embed_words(words: str, opened: OpenedCollection) -> tuple[NDArray[np.float32], str] | None:
    """Return the vector of a text query among a collection's pictures and the words that were cut.

    Nothing while the encoder is still on its way.
    """
    ready_encoder = encoder()
    if ready_encoder is None:
        return None
    return _embed_words(words, opened.key, ready_encoder.identity, opened, ready_encoder)


@st.cache_resource(max_entries=256, show_spinner=False)
def _embed_words(
    words: str, key: str, identity: str, _opened: OpenedCollection, _encoder: RememberingEncoder
) -> tuple[NDArray[np.float32], str]:
    from anchordiv.retrieval import embed_query

    # The sample opens without an encoder, so that it can be shown before one is loaded.
    collection = replace(_opened.collection, encoder=_encoder)
    vector, _, cut = embed_query(collection, cosine_of(_opened), words)
    return vector, cut


def dropped_picture(name: str, data: bytes) -> OpenedCollection | None:
    """Encode one picture that was dropped on the page; nothing while the encoder is still on its way."""
    from anchordiv.collection import Collection

    ready_encoder = encoder()
    if ready_encoder is None:
        return None
    collection = Collection.open([(name, data)], encoder=ready_encoder, name=name, store=store())
    return OpenedCollection(replace(collection, originals=None))


def layout_job(
    plan: ContextPlan | None, opened: OpenedCollection, context: Context | None, before: Layout | None
) -> Job[Layout]:
    """Queue the map of a context.

    Args:
        plan: the context as asked for; none means plain cosine.
        opened: the pictures.
        context: its geometry; none means plain cosine.
        before: the layout to move on from. Without one, visitors of the sample share the job.
    """
    if before is None and opened.is_sample:
        return _first_layout_job(plan, opened.key, opened, context)
    return map_lane().add(_laying_out(opened, context, before, shared=False))


@st.cache_resource(max_entries=16, show_spinner=False)
def _first_layout_job(
    plan: ContextPlan | None, key: str, _opened: OpenedCollection, _context: Context | None
) -> Job[Layout]:
    return map_lane().add(_laying_out(_opened, _context, None, shared=True))


def _laying_out(
    opened: OpenedCollection, context: Context | None, before: Layout | None, *, shared: bool
) -> Job[Layout]:
    """Describe the work of laying a map out; its first steps are published, so that the map moves at once."""

    def lay_out(report: Callable[[str, int, int], None]) -> Layout:
        from anchordiv.projection import Layout, project

        geometry = context if context is not None else cosine_of(opened)
        ids = tuple(item.id for item in opened.collection.items)
        start_from = before or Layout(sketch(opened.key, opened), ids, "plain")

        def step(layout: Layout) -> None:
            report("map", 0, 0)
            job.publish(layout)

        return project(opened.collection, geometry, init=start_from, steps=step)

    job = Job(lay_out, shared=shared)
    return job


@st.cache_resource(max_entries=4, show_spinner=False)
def sketch(key: str, _opened: OpenedCollection) -> NDArray[np.float32]:
    """Return the first two principal axes, (n, 2): a map in milliseconds, before UMAP has woken up."""
    import numpy as np

    embeddings = _opened.collection.embeddings
    centred = embeddings - embeddings.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    plane = centred @ axes[:, :-3:-1]
    return np.asarray(10 * plane / max(float(np.abs(plane).max()), 1e-12), dtype=np.float32)

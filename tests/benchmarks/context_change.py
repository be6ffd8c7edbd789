"""How long a change of context takes on the Atelier sample: the grid, the map's first move, the map at rest.

    python tests/benchmarks/context_change.py [--repeats 5]

Starter encoder, prompts already read, compiled loops warm. Every time counts from the change and so includes
building the Context. Aims: grid 0.2 s, first move 0.5 s. The alternative, in the same run: what a plain script
would do, a cold-started UMAP of the posterior matrix (the matrix itself is not timed). Printed, never asserted.
"""

import argparse
import logging
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path
from statistics import median

import numpy as np

import anchordiv as ad
from anchordiv.collection import Collection
from anchordiv.contexts import Context, ready_contexts
from anchordiv.projection import Layout, project, warm_up
from anchordiv.retrieval import divergences, ranks_of

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.browser import look
from tests.browser.server import BROWSER_FLAGS, find_browser, running_app

GRID = 24  # pictures on the first page of the grid
Groups = Mapping[str, Sequence[str]]


def seconds_to_grid(collection: Collection, groups: Groups, query: int) -> float:
    """Return the seconds until the first pictures and every picture's posterior are known."""
    began = time.perf_counter()
    context = Context.from_groups(groups, encoder=collection.encoder)
    embeddings = collection.embeddings
    ranks = ranks_of(divergences(collection, context, embeddings[query]), leave_out=query)
    shares = np.exp(context.group_log_probs(embeddings, embeddings))
    rows = np.flatnonzero((ranks >= 1) & (ranks <= GRID))
    shares[rows[np.argsort(ranks[rows])]]
    return time.perf_counter() - began


def seconds_to_map(collection: Collection, groups: Groups, before: Layout) -> tuple[float, float]:
    """Return the seconds until the map can start to move, and until it is at rest."""
    moves: list[float] = []
    began = time.perf_counter()
    context = Context.from_groups(groups, encoder=collection.encoder)
    project(collection, context, init=before, steps=lambda _: moves.append(time.perf_counter() - began))
    return moves[0], time.perf_counter() - began


def seconds_to_cold_umap(posteriors: np.ndarray) -> float:
    """Return the seconds a UMAP without a start takes on the posteriors, ``(n, G)``."""
    from umap import UMAP

    began = time.perf_counter()
    UMAP(n_neighbors=15).fit_transform(posteriors)
    return time.perf_counter() - began


def measure(collection: Collection, old: Groups, new: Groups, repeats: int) -> list[float]:
    """Return median seconds to the grid, the first move, the map at rest, and the cold UMAP."""
    before = project(collection, Context.from_groups(old, encoder=collection.encoder))
    context = Context.from_groups(new, encoder=collection.encoder)
    posteriors = np.exp(context.group_log_probs(collection.embeddings, collection.embeddings))
    queries = np.random.default_rng(0).choice(len(collection), repeats)
    # The four are timed in turn, so that other work on the machine slows all of them alike.
    rounds = [
        (
            seconds_to_grid(collection, new, int(query)),
            *seconds_to_map(collection, new, before),
            seconds_to_cold_umap(posteriors),
        )
        for query in queries
    ]
    return [median(column) for column in zip(*rounds, strict=True)]


def row(title: str, cells: Sequence[float]) -> str:
    """Return a line of the table; the ratio is the cold UMAP's time over the map's at rest."""
    grid, first, rest, cold = cells
    return f"| {title} | {grid:.3f} | {first:.2f} | {rest:.2f} | {cold:.2f} | {cold / rest:.1f} |"


CLICK_AND_WATCH = """
async (words) => {
  const all = DEEP;
  const grid = () => all(".st-key-neighbours .tile").concat(all(".grid .tile")).map((tile) => tile.dataset.id).join();
  const map = () => JSON.stringify((document.querySelector(".js-plotly-plot")?._fullData ?? []).slice(0, 3)
    .map((trace) => [trace.x?.[0], trace.y?.[0], trace.x?.length]));
  const before = [grid(), map()];
  const seconds = [0, 0];
  const began = performance.now();
  [...document.querySelectorAll(".st-key-ready button")].find((pill) => pill.textContent.trim() === words).click();
  while ((!seconds[0] || !seconds[1]) && performance.now() - began < 20000) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    const now = (performance.now() - began) / 1000;
    if (!seconds[0] && grid() !== before[0]) seconds[0] = now;
    if (!seconds[1] && map() !== before[1]) seconds[1] = now;
  }
  return seconds;
}
"""


def on_the_page(contexts: Sequence[str], repeats: int) -> tuple[float, float] | None:
    """Return median seconds from a click in the running app to another grid, and to a map that has moved."""
    from playwright.sync_api import sync_playwright

    executable = find_browser()
    if executable is None:
        return None
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=executable, args=list(BROWSER_FLAGS))
        environment = {"ANCHORDIV_STORE": ":memory:"}
        with running_app(Path(folder) / "log.txt", environment) as address:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(address + "/Explore")
            look.at_rest(page)
            times = []
            for _ in range(repeats):
                for name in (*contexts[1:], contexts[0]):
                    times.append(page.evaluate(CLICK_AND_WATCH.replace("DEEP", look.DEEP), name.capitalize()))
                    look.at_rest(page)
        browser.close()
    first_visits = times[: len(contexts) - 1]
    grid, _ = (median(column) for column in zip(*times, strict=True))
    return grid, median(moved for _, moved in first_visits)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5, help="how often each change is timed")
    repeats = parser.parse_args().repeats
    logging.getLogger("streamlit").setLevel(logging.ERROR)
    warnings.simplefilter("ignore")
    from anchordiv.ui.resources import RememberingEncoder

    collection = ad.open_sample("atelier", encoder=RememberingEncoder(ad.load_encoder("starter")))
    contexts = ready_contexts("atelier")
    warm_up()
    for groups in contexts.values():  # reads the prompts and compiles the alternative's loops
        seconds_to_grid(collection, groups, 0)
    seconds_to_cold_umap(collection.embeddings)
    load = os.getloadavg()[0]
    print(f"{len(collection)} pictures, {os.cpu_count()} cores, load {load:.1f}; medians of {repeats}, in seconds\n")
    print("| change | grid | first move | map at rest | cold UMAP | ratio |")
    print("|---|---|---|---|---|---|")
    rows = []
    for old, new in permutations(contexts, 2):
        rows.append(measure(collection, contexts[old], contexts[new], repeats))
        print(row(f"{old} to {new}", rows[-1]), flush=True)
    print(row("**median**", [median(column) for column in zip(*rows, strict=True)]))
    print("| aim | 0.2 | 0.5 | | | |")
    seen = on_the_page(list(contexts), 3)
    if seen is not None:
        print(
            f"\nOn the page, from the click: another grid {seen[0]:.2f} s; a map laid out anew starts {seen[1]:.2f} s"
        )


if __name__ == "__main__":
    main()

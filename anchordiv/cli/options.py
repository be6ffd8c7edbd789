"""The arguments and options the commands share."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Divergence(StrEnum):
    """The divergences a ranking can follow."""

    kl = "kl"
    reverse_kl = "reverse_kl"
    jeffreys = "jeffreys"
    bhattacharyya = "bhattacharyya"
    hellinger = "hellinger"
    fisher_rao = "fisher_rao"


class Model(StrEnum):
    """How anchors become a distribution."""

    prototype = "prototype"
    empirical = "empirical"
    discriminant = "discriminant"
    uniform = "uniform"


SourceArgument = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="A folder, a zip, a CSV or Parquet table with a path column, an .npz made by encode, or sample:atelier.",
    ),
]
GroupOption = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        "-g",
        metavar="NAME=ANCHORS",
        help='A group and its anchors, such as "photo=a photo;a photograph"; @FILE is a picture. Repeat per group.',
    ),
]
ContextOption = Annotated[
    Path | None, typer.Option("--context", "-c", help="A context file (.anchors.json) instead of groups.")
]
ModelOption = Annotated[Model, typer.Option(help="How the anchors of a group become a distribution.")]
ConcentrationOption = Annotated[
    float | None, typer.Option(help="Sharpness κ of the geometry; the encoder's own if not given.")
]
EncoderOption = Annotated[
    str | None,
    typer.Option(
        "--encoder",
        "-e",
        help='"starter", a hub name such as "ViT-B-32/laion2b_s34b_b79k", a folder, or "ARCHITECTURE@FILE".',
    ),
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        help="The store: a file that keeps what was encoded, so that no picture is encoded twice; :memory: keeps "
        "nothing. By default what ANCHORDIV_STORE names, else a file in your data folder.",
    ),
]
DivergenceOption = Annotated[Divergence, typer.Option(help="What ranks: kl is KL(query ‖ picture).")]
GroupedOption = Annotated[
    bool, typer.Option("--grouped", help="Compare which group a picture belongs to, and forget what varies inside one.")
]
DeviceOption = Annotated[str, typer.Option(help="Where to search: auto (the best there is), cpu, cuda or mps.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on standard output.")]

"""The commands: start the app, encode pictures, search, judge and write contexts."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from anchordiv.cli.inputs import (
    SAMPLE_PREFIX,
    absolute_encoder,
    absolute_store,
    context_from_groups,
    context_of,
    encoder_named,
    open_source,
    read_groups,
    read_query,
)
from anchordiv.cli.options import (
    ConcentrationOption,
    ContextOption,
    DeviceOption,
    Divergence,
    DivergenceOption,
    EncoderOption,
    GroupedOption,
    GroupOption,
    JsonOption,
    Model,
    ModelOption,
    SourceArgument,
    StoreOption,
)
from anchordiv.cli.printing import note, plain, print_hits, print_json, print_typical
from anchordiv.errors import InputError

app = typer.Typer(
    name="anchordiv",
    help='Say what "similar" means by pointing at anchors; search and map a collection accordingly.',
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
context_app = typer.Typer(help="Make and show context files (.anchors.json).", no_args_is_help=True)
app.add_typer(context_app, name="context")


@app.command("app")
def run_app(
    source: Annotated[str | None, typer.Argument(metavar="[SOURCE]", help="What to open first.")] = None,
    port: Annotated[int, typer.Option(help="The port on this machine.", min=1, max=65535)] = 8501,
    encoder: EncoderOption = None,
    store: StoreOption = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
) -> None:
    """Start the app in the browser; it stays on this machine and sends no statistics."""
    from anchordiv.places import app_file

    page = app_file()
    environment = dict(os.environ)
    environment.pop("ANCHORDIV_SOURCE", None)
    if source is not None and not source.startswith(SAMPLE_PREFIX):
        place = Path(source).expanduser().resolve()
        if not place.exists():
            raise InputError(f'There is no file or folder "{source}"; check the spelling, or give the whole path.')
        environment["ANCHORDIV_SOURCE"] = str(place)
    if store is not None:
        environment["ANCHORDIV_STORE"] = absolute_store(store)
    if encoder is not None:
        environment["ANCHORDIV_ENCODER"] = absolute_encoder(encoder)
    command = [sys.executable, "-m", "streamlit", "run", str(page), *_server_options(port, browser)]
    typer.echo(f"Anchordiv is at http://localhost:{port}; Ctrl+C ends it.")
    # The configuration and the theme are read from the folder the server starts in.
    raise typer.Exit(_run_server(command, page.parent, environment))


@app.command()
def encode(
    source: SourceArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="The .npz file to write.")],
    encoder: EncoderOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read and encode pictures once; the result opens at once everywhere a SOURCE is asked for."""
    if output.suffix.lower() != ".npz":
        raise InputError(f'The output is an .npz file, such as "{output.with_suffix(".npz").name}".')
    if not output.absolute().parent.is_dir():
        raise InputError(f'There is no folder "{output.parent}" to write to.')
    collection = open_source(source, encoder, store)
    collection.save(output)
    report = collection.report
    if as_json:
        print_json(
            {
                "output": str(output),
                "pictures": len(collection),
                "dim": int(collection.embeddings.shape[1]),
                "encoder": collection.encoder_identity,
                "duplicates": list(report.duplicates),
                "rejected": [{"name": n, "reason": r} for n, r in report.rejected],
                "skipped": report.skipped,
            }
        )
        return
    for name, reason in report.rejected[1:]:
        note(f"{name} was left out: {reason}")
    typer.echo(f"{plain(str(output))}: {len(collection):,} pictures by {plain(collection.encoder_identity)}.")


@app.command()
def search(  # noqa: PLR0913, PLR0917 - each is an option people type
    source: SourceArgument,
    query: Annotated[
        str | None,
        typer.Option(
            "--query",
            "-q",
            help="An item's name or number, text:WORDS, or a picture's path; without it each group lists its best.",
        ),
    ] = None,
    group: GroupOption = None,
    context: ContextOption = None,
    k: Annotated[int, typer.Option("-k", help="How many pictures to list.", min=1)] = 20,
    divergence: DivergenceOption = Divergence.kl,
    grouped: GroupedOption = False,
    model: ModelOption = Model.prototype,
    concentration: ConcentrationOption = None,
    encoder: EncoderOption = None,
    store: StoreOption = None,
    device: DeviceOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """List the pictures nearest to a query under a context, or each group's most typical pictures."""
    if query is None and not group and context is None:
        raise InputError('Say what to look for: --query, or groups such as --group "photo=a photo".')
    collection = open_source(source, encoder, store)
    chosen = context_of(collection, group, context, model, concentration)
    if query is None:
        print_typical(collection, chosen, k, as_json)
    else:
        how = {"k": k, "divergence": divergence.value, "grouped": grouped, "device": device}
        print_hits(collection, chosen, read_query(collection, query), how, as_json)


@app.command()
def evaluate(  # noqa: PLR0913, PLR0917 - each is an option people type
    source: SourceArgument,
    labels: Annotated[str, typer.Option("--labels", "-l", help="The label column that says what belongs together.")],
    group: GroupOption = None,
    context: ContextOption = None,
    divergence: DivergenceOption = Divergence.kl,
    grouped: GroupedOption = False,
    model: ModelOption = Model.prototype,
    concentration: ConcentrationOption = None,
    encoder: EncoderOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure whether a context brings pictures of the same label nearer than cosine does."""
    from anchordiv.evaluation import evaluate as judge

    if not group and context is None:
        raise InputError('Say which context to judge: groups such as --group "photo=a photo", or --context FILE.')
    collection = open_source(source, encoder, store)
    chosen = context_of(collection, group, context, model, concentration)
    report = judge(collection, chosen, labels=labels, divergence=divergence.value, grouped=grouped)
    result = {
        "labels": labels,
        "queries": len(report.queries),
        "left_out": report.left_out,
        "context_map": report.context_map,
        "cosine_map": report.cosine_map,
        "gain": report.gain,
        "divergence": divergence.value,
        "grouped": grouped,
        "model": chosen.model,
        "concentration": chosen.concentration,
    }
    if as_json:
        print_json(result)
        return
    typer.echo(f'Mean average precision of "same {plain(labels)}" over {len(report.queries)} queries')
    typer.echo(f"  this context  {report.context_map:.3f}")
    typer.echo(f"  cosine        {report.cosine_map:.3f}")
    typer.echo(f"  gain          {report.gain:+.3f}")


@context_app.command("make")
def make_context(
    output: Annotated[Path, typer.Argument(help="The file to write, such as styles.anchors.json.")],
    group: GroupOption = None,
    model: ModelOption = Model.prototype,
    concentration: ConcentrationOption = None,
    encoder: EncoderOption = None,
) -> None:
    """Encode groups of anchors into a context file."""
    if not group:
        raise InputError('A context is made of groups, such as --group "photo=a photo;a photograph".')
    made = context_from_groups(read_groups(group), encoder_named(encoder), model, concentration)
    made.save(output)
    typer.echo(f"{plain(str(output))}: {len(made.groups)} groups ({', '.join(map(plain, made.group_names))}).")


@context_app.command("show")
def show_context(path: Annotated[Path, typer.Argument(help="A context file.")], as_json: JsonOption = False) -> None:
    """Show what a context file holds."""
    from anchordiv.contexts import Context

    shown = Context.load(path)
    groups = [
        {"name": g.name, "weight": g.weight, "anchors": [{"kind": a.kind, "label": a.label} for a in g.anchors]}
        for g in shown.groups
    ]
    if as_json:
        print_json(
            {
                "model": shown.model,
                "concentration": shown.concentration,
                "encoder": shown.encoder_identity,
                "groups": groups,
            }
        )
        return
    typer.echo(f"{shown.model}, concentration {shown.concentration:g}, made with {plain(shown.encoder_identity)}")
    for g in shown.groups:
        typer.echo(f"{plain(g.name)} (weight {g.weight:g})")
        for anchor in g.anchors:
            typer.echo(f"  {anchor.kind:5} {plain(anchor.label)}")


def _run_server(command: list[str], folder: Path, environment: dict[str, str]) -> int:
    """Run the server in a folder until it ends; returns its exit status."""
    if os.name == "posix":
        # Taking this process over means that whoever ends the command ends the server.
        os.chdir(folder)
        sys.stdout.flush()
        os.execve(command[0], command, environment)
    return subprocess.call(command, cwd=folder, env=environment)


def _server_options(port: int, browser: bool) -> list[str]:
    """Return what must hold whatever configuration the server finds."""
    return [
        "--server.address=localhost",
        f"--server.port={port}",
        f"--server.headless={'false' if browser else 'true'}",
        "--server.showEmailPrompt=false",
        "--browser.gatherUsageStats=false",
        # Streamlit's greeting, and with it an offer to install coding-agent skills that it shows on our pages.
        "--logger.hideWelcomeMessage=true",
    ]

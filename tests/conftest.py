"""Strict by default: 64-bit JAX, promotions are errors, pictures drawn without a screen."""

import signal

import jax
import matplotlib as mpl
from hypothesis import settings

jax.config.update("jax_enable_x64", True)
mpl.use("Agg")
# A shell starts what it runs in the background with Ctrl-C ignored; tests send it, and children inherit this.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples every time; `make test-long` asks for the second profile.
settings.register_profile("short", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("long", deadline=None, derandomize=False, max_examples=1000, print_blob=True)
settings.load_profile("short")

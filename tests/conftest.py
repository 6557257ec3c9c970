"""Strict by default: 64-bit JAX, promotions are errors, pictures drawn without a screen."""

import signal

import jax
import matplotlib as mpl

jax.config.update("jax_enable_x64", True)
mpl.use("Agg")
# A shell starts what it runs in the background with Ctrl-C ignored; tests send it, and children inherit this.
signal.signal(signal.SIGINT, signal.default_int_handler)

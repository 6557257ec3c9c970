"""Strict by default: 64-bit JAX, promotions are errors, pictures drawn without a screen."""

import jax
import matplotlib as mpl

jax.config.update("jax_enable_x64", True)
mpl.use("Agg")

"""Strict by default: 64-bit JAX, promotions are errors, pictures drawn without a screen."""

import signal

import jax
import matplotlib as mpl
import pytest
from hypothesis import settings
from matplotlib.layout_engine import ConstrainedLayoutEngine

from tests.examples import is_long

jax.config.update("jax_enable_x64", True)
mpl.use("Agg")
# A shell starts what it runs in the background with Ctrl-C ignored; tests send it, and children inherit this.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples every time; `make test-long` asks for the second profile.
settings.register_profile("short", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("long", deadline=None, derandomize=False, max_examples=1000, print_blob=True)
settings.load_profile("short")


@pytest.fixture(scope="session", autouse=True)
def compiled_quickly():
    """Tests compile more than they compute: XLA's expensive passes are left to the long profile."""
    jax.config.update("jax_disable_most_optimizations", not is_long())
    yield
    jax.config.update("jax_disable_most_optimizations", False)


@pytest.fixture(scope="module")
def drawn_quickly():
    """Pictures of which only the numbers are looked at: nobody makes room around labels, a third of the drawing."""
    with pytest.MonkeyPatch.context() as patch:
        if not is_long():
            patch.setattr(ConstrainedLayoutEngine, "execute", lambda self, figure: None)
        yield

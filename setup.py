"""Build the package, with the stubs of its laws; setup.cfg describes it."""

import sys
from pathlib import Path

from setuptools import setup

sys.path.insert(0, str(Path(__file__).parent))  # an isolated build does not start here

from docs.stubs import BuildWithStubs

setup(cmdclass={"build_py": BuildWithStubs})

"""Build the package, with the stubs of its laws; setup.cfg describes it.

With LONGFAT_COMPILED in the environment (``make wheel``) the wheel also contains the compiled code of the simulators,
for every processor of this architecture. Then it is a wheel for this platform and version of Python.
"""

import os
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel

sys.path.insert(0, str(Path(__file__).parent))  # an isolated build does not start here

from docs.stubs import BuildWithStubs

COMPILED = bool(os.environ.get("LONGFAT_COMPILED"))


class Build(BuildWithStubs):
    """Command that builds the package with stubs and, if asked for, compiled code."""

    def run(self):
        """Build the package, and compile it where it was built to."""
        super().run()
        if COMPILED and not self.editable_mode:
            built = {"PYTHONPATH": str(Path(self.build_lib).resolve()), "NUMBA_CPU_NAME": "generic"}
            kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "PYTHON"))}
            command = [sys.executable, "-m", "longfat.cli.precompile"]
            subprocess.run(command, env=kept | built, cwd=self.build_lib, check=True)


class Wheel(bdist_wheel):
    """Command that writes the wheel, which with compiled code is not for every platform."""

    def finalize_options(self):
        """Choose the tags of the wheel."""
        super().finalize_options()
        if COMPILED:
            self.root_is_pure = False


setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel})

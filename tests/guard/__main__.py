"""Write the values of the guard anew: all, or the tables and commands that are named."""

import sys
import tempfile
from pathlib import Path

from tests.guard.values import COMMANDS, STORED, TABLES, command, write

if __name__ == "__main__":
    wanted = sys.argv[1:] or [*TABLES, *COMMANDS]
    (STORED / "commands").mkdir(parents=True, exist_ok=True)
    for name in wanted:
        if name in TABLES:
            write(name, TABLES[name]())
        else:
            with tempfile.TemporaryDirectory() as folder:
                (STORED / "commands" / f"{name}.txt").write_text(command(name, Path(folder)), encoding="utf-8")
        print(name)

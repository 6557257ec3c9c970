"""Declaration of laws and the arithmetics in which they are evaluated; see `longfat.law.declaring`."""

from longfat.law.declaring import PACKAGE as PACKAGE
from longfat.law.declaring import Kind as Kind
from longfat.law.declaring import Law, law, register, registered
from longfat.law.symbols import SimulatedBy, Symbol, Validity

__all__ = ["Law", "SimulatedBy", "Symbol", "Validity", "law", "register", "registered"]

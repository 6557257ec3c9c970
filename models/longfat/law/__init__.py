"""Declaration of laws and the arithmetics in which they are evaluated; see `longfat.law.declaring`."""

from longfat.law.declaring import PACKAGE as PACKAGE
from longfat.law.declaring import Law, law, registered
from longfat.law.symbols import Equation, SimulatedBy, Symbol, Validity

__all__ = ["Equation", "Law", "SimulatedBy", "Symbol", "Validity", "law", "registered"]

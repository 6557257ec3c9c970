"""Numbers of the errata and refinements of F. Gong and G. Parulkar, WUCS-92-38 (1992)."""

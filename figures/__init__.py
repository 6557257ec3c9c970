"""One module per paper: every published figure and table, ours beside theirs."""

"""Runs repeated: threads, and Student's quantile for the intervals."""

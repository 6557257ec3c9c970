"""The handbook: the laws' formulas in JavaScript, their records, and static pages in which they move.

`longfat.handbook.javascript` writes the formulas, `longfat.handbook.records` the records.
"""

"""Conversion of the laws for browsers: formulas to JavaScript, records to JSON, and static pages with sliders.

=========================================  ============================================================================
`longfat.handbook.javascript.module`       all laws as one ES module, ``laws.mjs``; ``script``: as a classic script
`longfat.handbook.law_records.records`     the record of each law, for ``laws.json``
`longfat.handbook.pages.write`             a page for each law, with an index; ``longfat explore --output FOLDER``
`longfat.handbook.pages.live`              the interactive plot of one law, for other pages
`longfat.handbook.curves_page.document`    a page of design curves, for ``longfat curves --html``
`longfat.handbook.pages.site_script`       one script that draws a law in each element that has ``data-law``
=========================================  ============================================================================

The folder ``view`` has the front end: ``quantities.js`` (numbers with units), ``chart.js`` (scales and the picture) and
``view.js`` (sliders, fields, keyboard) are modules without dependencies, and need no build step.
"""

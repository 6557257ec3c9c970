"""Conversion of the laws for browsers: formulas to JavaScript, and static pages with sliders.

=========================================  ============================================================================
`longfat.handbook.javascript.module`       all laws as one ES module; ``script``: as a classic script
`longfat.handbook.pages.write`             a page for each law, with an index; ``longfat explore --output FOLDER``
`longfat.handbook.pages.laws_script`       the view, with the formulas and records of laws, for other pages
`longfat.handbook.curves_page.document`    a page of design curves, for ``longfat curves --html``
=========================================  ============================================================================

The folder ``view`` has the front end: ``quantities.js`` (numbers with units), ``chart.js`` (scales and the picture) and
``view.js`` (sliders, fields, keyboard) are modules without dependencies, and need no build step.
"""

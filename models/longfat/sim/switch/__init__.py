"""Queue disciplines and schedulers of links, one module for each mechanism; a module may define both.

`longfat.sim.queues` maps names to disciplines, and `longfat.sim.services` maps names to schedulers. To add one of
either, add a module to this package: every public name in it that is bound to a `Discipline` becomes a choice of
``Network.link(discipline=)``, of scenario files and of the command line, and every name bound to a `Service` a choice
of ``Discipline(service=)``.
"""

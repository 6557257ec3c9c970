"""Queue disciplines and schedulers of links, one module for each mechanism; a module may define both.

`longfat.sim.queues` maps names to disciplines, and `longfat.sim.services` maps names to schedulers. To add a discipline
or a scheduler, add a module to this package: ``Network.link(discipline=)``, scenario files and the command line accept
every `Discipline` that has a public name in it, and ``Discipline(service=)`` accepts every such `Service`.
"""

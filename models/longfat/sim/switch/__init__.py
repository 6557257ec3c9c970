"""Queue disciplines and schedulers of links, one file for each mechanism, with both where it needs both.

`longfat.sim.queues` has the disciplines by their names, and `longfat.sim.services` the schedulers. A new module in this
package is enough to add one: every public name in it that is bound to a `Discipline` becomes a choice of
``Network.link(discipline=)``, of scenario files and of the command line, a `Service` one of ``Discipline(service=)``.
"""

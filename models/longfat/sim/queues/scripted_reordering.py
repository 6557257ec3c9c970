"""Reordering by script: named packets are sent behind later ones.

Ours, because published test cases ask for reordering: draft-ietf-ccwg-bbr-06, appendices A.18 and A.19, are examples.
The service (`longfat.sim.services.scripted_reordering`) has the rules.

>>> scripted_reordering(packets=[[0, 20, 2, 5]]).values["packets"]
((0.0, 20.0, 2.0, 5.0),)
"""

from longfat.sim.queues.discipline import Discipline

scripted_reordering = Discipline(
    "scripted-reordering",
    service="scripted-reordering",
    needs_buffer=True,
    source="Ours, because test cases in drafts ask for reordering, and no publication defines a discipline for it",
)

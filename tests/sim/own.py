"""What schemes and disciplines keep of their own in a run: parameters and state by name, to be read and set."""


def of_flow(run, flow=0):
    """The record that a flow's scheme has of it, by the flow's place."""
    scheme = run.assembly.schemes[int(run.world.flows[flow].scheme)]
    return _record(run.world.flow_own, run.world.row.flow_own_words, flow, scheme.own)


def of_link(run, link=0):
    """The record that a link's discipline has of it, by the link's place."""
    discipline = run.assembly.disciplines[int(run.world.links[link].discipline)]
    return _record(run.world.link_own, run.world.row.link_own_words, link, discipline.own)


def _record(words, width, place, own):
    if own.dtype is None:
        return None
    mine = words[int(width) * place :][: own.words].view("u1")
    return mine[: own.dtype.itemsize].view(own.dtype)[0]

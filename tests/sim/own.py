"""Access of tests to a run: records of plug-ins, fields of flows, counters of links."""

from longfat.sim.kernel import records


def of_flow(run, flow=0):
    """Return the record that a scheme has for a flow, by the flow's place."""
    scheme = run.state.schemes[int(run.state.flows[flow].scheme)]
    return _record(run.state.flow_own, run.state.row.flow_own_words, flow, scheme.columns)


def of_link(run, link=0):
    """Return the record that a discipline has for a link, by the link's place."""
    discipline = run.state.disciplines[int(run.state.links[link].discipline)]
    return _record(run.state.link_own, run.state.row.link_own_words, link, discipline.columns)


def of_service(run, link=0):
    """Return the record that a service has for a link, by the link's place."""
    service = run.state.services[int(run.state.links[link].service)]
    return _record(run.state.service_own, run.state.row.service_own_words, link, service.columns)


def of_queue(run, queue):
    """Return the record that a service has for a queue, by the queue's row."""
    state = run.state
    service = run.state.services[int(state.links[state.queues[queue].link].service)]
    return _record(state.queue_own, state.row.queue_own_words, queue, service.queue_columns)


def _record(words, width, place, columns):
    if columns.dtype is None:
        return None
    mine = words[int(width) * place :][: columns.words].view("u1")
    return mine[: columns.dtype.itemsize].view(columns.dtype)[0]


def column(run, name):
    """Return one field of all flows as an array of the run, which may be written to, unlike ``run.state.flows``."""
    for kind in records.OF_FLOWS:
        array = getattr(run.state, kind)
        if len(array) and name in array.dtype.names:
            return array[name]
    raise KeyError(name)


def stop(run, which=slice(None)):
    """Stop flows, by their places, so that they send nothing new from now on."""
    column(run, "stop")[which] = column(run, "sends_until_ns")[which] = run.state.row.now


def arrived(run):
    """Return how many packets have arrived at each link, dropped ones included."""
    run.count()
    return run.state.census["arrived"]

"""Numbers of the errata and refinements of Welzl (2005): equation (1) iterated flow by flow, and short simulations.

No law of longfat is used. Rates are relative to the capacity of a link; the smoothness factor a is 0.5, as in table I
of the paper, unless said otherwise.
"""

from fractions import Fraction

from figures.cadpc import networks, runs

#: Flows of a parking lot: over both links, over the first, over the second.
PLACES = ("long", "first", "second")


def _updated(rates: list[float], smoothing: float) -> list[float]:
    """Return the rates on one link after an update of every flow by equation (1)."""
    total = sum(rates)
    return [x * (1 + smoothing * (1 - x - total)) for x in rates]


def seconds_to_fairness(flows: int, remaining: float = 0.01, round_trip: float = 0.3) -> float:
    """Return the time [s] until a fraction of the difference between one flow and all others is left."""
    rates = [1 / (flows + 1)] * flows
    rates[0] *= 1.001
    first, updates = rates[0] - rates[1], 0
    while rates[0] - rates[1] > remaining * first:
        rates, updates = _updated(rates, 0.5), updates + 1
    return updates * 4 * round_trip


def seconds_to_share(round_trip: float) -> float:
    """Simulate ten flows over 10 Mbit/s; return when their mean rate is within 10 % of 1/11 for good [s]."""
    net = networks.dumbbell("CADPC", 10, link_delay=round_trip / 6)
    (data,) = runs.observe(net, duration=160 * round_trip, sample_every=round_trip, replications=1)
    return runs.converged_after(data, networks.CAPACITY / 11, bin=round_trip)


def _routes(first: int, second: int) -> list[tuple[int, ...]]:
    """Return the links of each flow of a parking lot, given the short flows on each link; the long flow is first."""
    return [(0, 1)] + [(0,)] * first + [(1,)] * second


def _of(place: str, first: int) -> int:
    return {"long": 0, "first": 1, "second": 1 + first}[place]


def parking_lot(place: str, first: int, second: int) -> float:
    """Iterate equation (1) in a parking lot, with the report of the link that has less to spare; return a rate."""
    routes = _routes(first, second)
    rates = [0.01] * len(routes)
    for _ in range(2000):
        spare = [1 - sum(x for x, route in zip(rates, routes, strict=True) if link in route) for link in (0, 1)]
        rates = [
            x * (1 + 0.5 * (min(spare[link] for link in route) - x)) for x, route in zip(rates, routes, strict=True)
        ]
    return rates[_of(place, first)]


def max_min(place: str, first: int, second: int) -> float:
    """Return the max-min fair rate: all rates rise together until a link is full, then those of the others."""
    routes = _routes(first, second)
    left, rates = [Fraction(1), Fraction(1)], {}
    while len(rates) < len(routes):
        rising = [
            [i for i, route in enumerate(routes) if link in route and i not in rates] for link in range(len(left))
        ]
        level, full = min((left[link] / len(flows), link) for link, flows in enumerate(rising) if flows)
        for i in rising[full]:
            rates[i] = level
            for link in routes[i]:
                left[link] -= level
    return float(rates[_of(place, first)])


def simulated_parking_lot(place: str) -> float:
    """Simulate the parking lot with three short flows on the first link and one on the second; return a rate."""
    (data,) = runs.observe(networks.parking_lot(), duration=300, warm_up=150, replications=1)
    return float(data.goodput.values[_of(place, 3)]) / networks.CAPACITY


def shrinking_of_the_total(flows: int, equal: bool = False) -> float:
    """Return the factor by which an update shrinks the error of the total at last, with a = 1.

    The rates begin apart by up to a fifth. If they begin equal, it is the factor of the update after the error has
    fallen below 1e-3, which is the error itself.
    """
    rest = 1 / (flows + 1)
    rates = [rest * (0.9 if equal else 0.9 + 0.2 * k / (flows - 1)) for k in range(flows)]
    errors = [1 - sum(rates) / (flows * rest)]
    for _ in range(60):
        rates = _updated(rates, 1.0)
        errors.append(1 - sum(rates) / (flows * rest))
        if equal and abs(errors[-2]) < 1e-3:
            break
    return abs(errors[-1] / errors[-2])

"""The verbs that begin docstrings and commit subjects. A good English imperative that is missing may be added."""

VERBS = frozenset(
    """
    abandon accelerate accept account acknowledge activate adapt add adjust admit advance aggregate aim align
    allocate allow announce answer append apply approximate arm arrange ask assemble assert assess assign attach
    average avoid balance base begin bin bind bisect bound bracket break bring broadcast build bump cache calculate
    call cancel capture carry catch change charge check choose cite clean clear clip close collect colour combine
    commit compare compile complete compute condense configure connect construct consume continue convert copy
    correct count cover create cut deal decide declare decode decorate decrease define delay delete deliver demand
    deprecate derive describe detect determine disable discard dispatch displace display divide document double
    download drain draw drive drop embed empty emulate enable encode end enforce enlarge enqueue enter enumerate
    escape estimate evaluate examine exchange exclude execute expand expect explain export express extend extract
    fail fall feed fetch fill filter find finish fit fix flatten follow forget form format forward free freeze
    gather generate get give go grant group grow guard guess halve handle hash hide hint hold identify ignore import
    improve include increase infer initialise insert install integrate interpolate interpret intersect invert
    iterate join judge keep label launch lay leave lengthen let limit linearise list listen load locate log look
    lose lower make map mark match maximise mean measure mend merge minimise mirror model move multiply name narrow
    normalise note notify number offer open order pace pack pad paint pair parse partition pass pause perform permit
    pick pickle place plan plot point pop port post precompile predict prefetch prepare present press print probe
    process produce project promise prove provide publish pull push put quantise query queue quote raise rank read
    rebuild receive recognise recompute record recover reduce refine refresh refuse register reject relate release
    reload remember remove rename render renumber reorder repeat replace replay reply report represent request
    require reserve reset resolve respond restart restore restrict resume retransmit retry return reuse reverse
    revert reword rework rewrite round route run sample save say scale scan schedule search select send separate
    serve set settle shade share shift shorten show shrink shut sign simplify simulate skip slice smooth solve sort
    speed split spread stand start state steer step stop store stretch strip substitute sum summarise supply
    suppress switch sync take tell test tie time toggle tokenise trace track trade train transform translate
    transmit treat trim truncate try turn type undo unite unlink unpack update upgrade use validate vary verify
    visit wait wake walk warn weigh widen work wrap write yield
    """.split()  # noqa: SIM905
)

"""Full references to the publications that the laws come from."""

KIM_FARBER = (
    'H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay Tradeoff in Very High-Speed Networks: The Case of '
    'Window-Based Control", MS-CIS-94-55, University of Pennsylvania, 1994'
)
WELZL = (
    'M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High Speed Networks", University '
    "of Innsbruck, PFLDnet 2005"
)
GONG_PARULKAR = (
    'F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks", WUCS-92-38, Washington '
    "University in St. Louis, 1992"
)
PRITHVIRAJ_WILLIAMSON = (
    'N. Prithviraj and C. L. Williamson, "A Virtual Loss-Load Congestion Control Strategy for High Speed Networks", '
    "University of Saskatchewan, about 1995 (the paper prints no year; its newest reference is of that time)"
)
WILLIAMSON_CHERITON = (
    'C. L. Williamson and D. R. Cheriton, "Loss-Load Curves: Support for Rate-Based Congestion Control in High-Speed '
    'Datagram Networks", ACM SIGCOMM 1991'
)
KLEINROCK_QUEUES = 'L. Kleinrock, "Queueing Systems, Volume 1: Theory", Wiley, 1975'
KLEINROCK_COMPUTERS = 'L. Kleinrock, "Queueing Systems, Volume 2: Computer Applications", Wiley, 1976'
KLEINROCK_POWER = (
    'L. Kleinrock, "Power and Deterministic Rules of Thumb for Probabilistic Problems in Computer Communications", '
    "IEEE ICC 1979"
)
BRUN_GARCIA = (
    'O. Brun and J.-M. Garcia, "Analytical Solution of Finite Capacity M/D/1 Queues", Journal of Applied Probability '
    "37(4), 2000, pages 1092-1098, doi:10.1239/jap/1014843086"
)
LITTLE = (
    'J. D. C. Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9(3), 1961, pages 383-387, '
    "doi:10.1287/opre.9.3.383"
)
GIESSLER = (
    'A. Giessler, J. Hänle, A. König and E. Pade, "Free Buffer Allocation - An Investigation by Simulation", Computer '
    "Networks, July 1978 (volume 1(3), pages 191-204, as Kim and Farber print it)"
)
JACOBSON = 'V. Jacobson, "Congestion Avoidance and Control", ACM SIGCOMM 1988, doi:10.1145/52324.52356'
MATHIS = (
    'M. Mathis, J. Semke, J. Mahdavi and T. Ott, "The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm", '
    "Computer Communication Review 27(3), 1997, doi:10.1145/263932.264023"
)
ALTMAN = (
    'E. Altman, D. Barman, B. Tuffin and M. Vojnovic, "Parallel TCP Sockets: Simple Model, Throughput and Validation", '
    "IEEE INFOCOM 2006; as MSR-TR-2005-130, Microsoft Research, 2005"
)
CROWCROFT_OECHSLIN = (
    'J. Crowcroft and P. Oechslin, "Differentiated End-to-End Internet Services using a Weighted Proportional Fair '
    'Sharing TCP", Computer Communication Review 28(3), 1998, arXiv:cs/9808004'
)
PADHYE = (
    'J. Padhye, V. Firoiu, D. Towsley and J. Kurose, "Modeling TCP Throughput: A Simple Model and its Empirical '
    'Validation", ACM SIGCOMM 1998, doi:10.1145/285237.285291'
)
RFC_5348 = 'S. Floyd et al., "TCP Friendly Rate Control (TFRC): Protocol Specification", RFC 5348, 2008'
YANG_LAM = 'Y. R. Yang and S. S. Lam, "General AIMD Congestion Control", IEEE ICNP 2000'
APPENZELLER = (
    'G. Appenzeller, I. Keslassy and N. McKeown, "Sizing Router Buffers", ACM SIGCOMM 2004, doi:10.1145/1015467.1015499'
)
CARDWELL = 'N. Cardwell, S. Savage and T. Anderson, "Modeling TCP Latency", IEEE INFOCOM 2000'
RFC_9438 = 'L. Xu, S. Ha, I. Rhee, V. Goel and L. Eggert, "CUBIC for Fast and Long-Distance Networks", RFC 9438, 2023'
LAKSHMAN_MADHOW = (
    'T. V. Lakshman and U. Madhow, "The Performance of TCP/IP for Networks with High Bandwidth-Delay Products and '
    'Random Loss", IEEE/ACM Transactions on Networking 5(3), 1997, doi:10.1109/90.611099'
)
RFC_6349 = 'B. Constantine, G. Forget, R. Geib and R. Schrage, "Framework for TCP Throughput Testing", RFC 6349, 2011'
POOJARY_SHARMA = 'S. Poojary and V. Sharma, "An Asymptotic Approximation of TCP CUBIC", arXiv:1510.08496, 2015'
FLACH = (
    'T. Flach et al., "An Internet-Wide Analysis of Traffic Policing", ACM SIGCOMM 2016, doi:10.1145/2934872.2934873'
)
SCH_TBF = 'A. Kuznetsov and D. Torokhov, "Token Bucket Filter queue", net/sched/sch_tbf.c, Linux 6.12, 2024'
SCH_CAKE = 'J. Morton et al., "Common Applications Kept Enhanced", net/sched/sch_cake.c, Linux 6.12, 2024'
SPANG = (
    'B. Spang, S. Arslan and N. McKeown, "Updating the Theory of Buffer Sizing", Performance Evaluation 151, 2021, '
    "doi:10.1016/j.peva.2021.102232"
)
HOEFFDING = (
    'W. Hoeffding, "Probability Inequalities for Sums of Bounded Random Variables", Journal of the American '
    "Statistical Association 58(301), 1963, pages 13-30, doi:10.1080/01621459.1963.10500830"
)
DCTCP_2010 = 'M. Alizadeh et al., "Data Center TCP (DCTCP)", ACM SIGCOMM 2010, doi:10.1145/1851182.1851192'
RFC_9332 = (
    'K. De Schepper, B. Briscoe and G. White, "Dual-Queue Coupled Active Queue Management (AQM) for Low Latency, Low '
    'Loss, and Scalable Throughput (L4S)", RFC 9332, 2023'
)
RFC_8289 = 'K. Nichols et al., "Controlled Delay Active Queue Management", RFC 8289, 2018'
RFC_8033 = (
    'R. Pan et al., "Proportional Integral Controller Enhanced (PIE): A Lightweight Control Scheme to Address the '
    'Bufferbloat Problem", RFC 8033, 2017'
)
BBR_DRAFT = 'N. Cardwell, I. Swett and J. Beshay, "BBR Congestion Control", draft-ietf-ccwg-bbr-06, 2026'
BBR_2016 = (
    'N. Cardwell et al., "BBR: Congestion-Based Congestion Control", ACM Queue 14(5), 2016, doi:10.1145/3012426.3022184'
)
WARE = (
    "R. Ware, M. K. Mukerjee, S. Seshan and J. Sherry, \"Modeling BBR's Interactions with Loss-Based Congestion "
    'Control", ACM IMC 2019, doi:10.1145/3355369.3355604'
)
SCHERRER = (
    'S. Scherrer, M. Legner, A. Perrig and S. Schmid, "Model-Based Insights on the Performance, Fairness, and '
    'Stability of BBR", ACM IMC 2022, doi:10.1145/3517745.3561420'
)
PAREKH_SINGLE = (
    'A. K. Parekh and R. G. Gallager, "A Generalized Processor Sharing Approach to Flow Control in Integrated Services '
    'Networks: The Single-Node Case", IEEE/ACM Transactions on Networking 1(3), 1993, doi:10.1109/90.234856'
)
PAREKH_MULTIPLE = (
    'A. K. Parekh and R. G. Gallager, "A Generalized Processor Sharing Approach to Flow Control in Integrated Services '
    'Networks: The Multiple Node Case", IEEE/ACM Transactions on Networking 2(2), 1994, doi:10.1109/90.298432'
)
ZHANG_VIRTUAL_CLOCK = (
    'L. Zhang, "VirtualClock: A New Traffic Control Algorithm for Packet-Switched Networks", ACM Transactions on '
    "Computer Systems 9(2), 1991, doi:10.1145/103720.103721"
)
KUNG_CREDIT = (
    'H. T. Kung, T. Blackwell and A. Chapman, "Credit-Based Flow Control for ATM Networks: Credit Update Protocol, '
    'Adaptive Credit Allocation and Statistical Multiplexing", ACM SIGCOMM 1994, doi:10.1145/190314.190324'
)
KUNG_CHAPMAN = (
    'H. T. Kung and A. Chapman, "The FCVC (Flow-Controlled Virtual Channels) Proposal for ATM Networks", IEEE ICNP '
    "1993, doi:10.1109/ICNP.1993.340926"
)
COPA = (
    'V. Arun and H. Balakrishnan, "Copa: Practical Delay-Based Congestion Control for the Internet", USENIX NSDI 2018, '
    "pp. 329-342"
)
SEARCH_DRAFT = (
    'J. Chung, M. Kachooei, F. Li and M. Claypool, "SEARCH -- a New Slow Start Algorithm for TCP and QUIC", '
    "draft-chung-ccwg-search-09, 2026"
)
LEDBAT_DRAFT = (
    'P. Balasubramanian, O. Ertugay and D. Havey, "LEDBAT++: Congestion Control for Background Traffic", '
    "draft-irtf-iccrg-ledbat-plus-plus-01, 2020"
)

"""AUTO's demos, with the constants that come with them, and the same curves as studies."""


def ab(auto, demo):
    auto.run("start", demo("ab.1"))
    for index in range(5):
        steady = auto.run(f"steady{index}", demo("ab.2"), start=("start", 2 + index))
        # At p2 = 16 the cycles are those of one more family; AUTO's and our study leave the same out.
        if index != 2:
            auto.run(f"cycles{index}", demo("ab.3"), start=auto.labelled(steady, "HB"))


def pp2(auto, demo):
    steady = auto.run("steady", demo("pp2"))
    stop = "{'quota': [0.0, 1.0], 'PERIOD': 36.0}"
    auto.run("cycles", demo("pp2"), start=auto.labelled(steady, "HB"), ICP="['quota', 'PERIOD']", IPS=2, UZSTOP=stop)


def frc(auto, demo):
    raised = auto.run("amplitude", demo("frc.1"))
    auto.run("frequency", demo("frc.2"), start=auto.labelled(raised, "UZ"))


def lrz(auto, demo):
    steady = auto.run("steady", demo("lrz.1"))
    for number in (1, 2):
        auto.run(f"cycles{number}", demo("lrz.2"), start=auto.labelled(steady, "HB", number))


def cusp(auto, demo):
    up = auto.run("up", demo("cusp"))
    auto.run("down", demo("cusp"), DS=-0.01)
    fold = auto.labelled(up, "LP")
    auto.run("folds up", demo("cusp"), start=fold, ISW=2)
    auto.run("folds down", demo("cusp"), start=fold, ISW=2, DS=-0.01)


def tor(auto, demo):
    steady = auto.run("steady", demo("tor.1"))
    cycles = auto.run("cycles", demo("tor.2"), start=auto.labelled(steady, "HB"))
    auto.run("asymmetric", demo("tor.3"), start=auto.labelled(cycles, "BP"))


def lor(auto, demo):
    first = auto.run("first", demo("lor.1"))
    second = auto.run("second", demo("lor.2"), start=auto.labelled(first, "PD"))
    auto.run("third", demo("lor.3"), start=auto.labelled(second, "PD"))


def plp(auto, demo):
    steady = auto.run("steady", demo("plp.ss"))
    hopf = [auto.labelled(steady, "HB", number) for number in (1, 2)]
    cycles = [auto.run(f"cycles{i}", demo("plp.ps"), start=start) for i, start in enumerate(hopf) if start]
    for direction in (0.1, -0.1):
        auto.run(f"hopf{direction}", demo("plp.hb"), start=hopf[0], DS=direction)
    fold = auto.run("fold", demo("plp.plp"), start=auto.labelled(cycles[0], "LP"))
    for direction in (0.1, -0.1):
        auto.run(f"folds{direction}", demo("plp.plp"), start=auto.labelled(fold, "EP"), DS=direction)

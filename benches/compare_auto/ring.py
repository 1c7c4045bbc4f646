"""A ring of coupled oscillators with n states, for AUTO and as a study; all of them run in phase on the circle of radius √μ."""

def fortran(n):
    pairs = n // 2
    lines = []
    jacobian = []
    for i in range(pairs):
        left, right = (i - 1) % pairs, (i + 1) % pairs
        x, y = 2 * i + 1, 2 * i + 2
        for own, neighbours, sign, other in ((x, (2 * left + 1, 2 * right + 1), "-", y), (y, (2 * left + 2, 2 * right + 2), "+", x)):
            pull = f"0.3D0*(U({neighbours[0]})+U({neighbours[1]})-2*U({own}))"
            lines.append(f"      F({own})=PAR(1)*U({own}){sign}U({other})-U({own})*(U({x})**2+U({y})**2)+{pull}")
            square = f"U({x})**2+U({y})**2"
            jacobian.append(f"      DFDU({own},{own})=DFDU({own},{own})+PAR(1)-({square})-2*U({own})**2-0.6D0")
            jacobian.append(f"      DFDU({own},{other})=DFDU({own},{other}){sign}1D0-2*U({own})*U({other})")
            for neighbour in neighbours:
                jacobian.append(f"      DFDU({own},{neighbour})=DFDU({own},{neighbour})+0.3D0")
    head = """      SUBROUTINE FUNC(NDIM,U,ICP,PAR,IJAC,F,DFDU,DFDP)
      IMPLICIT NONE
      INTEGER NDIM,IJAC,ICP(*)
      DOUBLE PRECISION U(NDIM),PAR(*),F(NDIM),DFDU(NDIM,NDIM),DFDP(NDIM,*)
"""
    start = """      END SUBROUTINE FUNC
      SUBROUTINE STPNT(NDIM,U,PAR,T)
      IMPLICIT NONE
      INTEGER NDIM
      DOUBLE PRECISION U(NDIM),PAR(*),T
      PAR(1)=1D0
      PAR(11)=8*ATAN(1D0)
      U(1:NDIM:2)=COS(PAR(11)*T)
      U(2:NDIM:2)=SIN(PAR(11)*T)
      END SUBROUTINE STPNT
"""
    rest = "".join(f"      SUBROUTINE {name}\n      END SUBROUTINE {name}\n" for name in ("BCND", "ICND", "FOPT", "PVLS"))
    middle = "      IF(IJAC==0)RETURN\n      DFDU=0D0\n"
    by_parameter = "      IF(IJAC==1)RETURN\n      DFDP(1:NDIM,1)=U(1:NDIM)\n"
    return head + "\n".join(lines) + "\n" + middle + "\n".join(jacobian) + "\n" + by_parameter + start + rest


def constants(n, intervals):
    return f"""NDIM={n}, IPS=2, IRS=0, ILP=1
ICP=[1, 11]
NTST={intervals}, NCOL=4, IAD=3, ISP=2, ISW=1, IPLT=0, NBC=0, NINT=0
NMX=20, NPR=100, MXBF=0, IID=0, ITMX=8, ITNW=7, NWTN=3, JAC=2
EPSL=1e-07, EPSU=1e-07, EPSS=1e-05
DS=0.01, DSMIN=1e-05, DSMAX=0.5, IADS=1
NPAR=1, THL={{11: 0.0}}, THU={{}}
"""


def study(n, tolerance):
    pairs = n // 2
    states, equations = [], []
    for i in range(pairs):
        left, right = (i - 1) % pairs, (i + 1) % pairs
        pull = lambda a: f"0.3*({a}{left} + {a}{right} - 2*{a}{i})"
        equations.append(f"\"x{i}' = mu*x{i} - y{i} - x{i}*(x{i}^2 + y{i}^2) + {pull('x')}\"")
        equations.append(f"\"y{i}' = x{i} + mu*y{i} - y{i}*(x{i}^2 + y{i}^2) + {pull('y')}\"")
        states += [f'"x{i}"', f'"y{i}"']
    guess = ", ".join(f'"x{i}": 1, "y{i}": 0' for i in range(pairs))
    return f"""Study(
    title: "A ring of {pairs} oscillators",
    system: Smooth(states: [{', '.join(states)}], parameters: {{"mu": 1}}, equations: [{', '.join(equations)}]),
    curves: [Curve(
        name: "ring",
        orbit: PeriodicOrbit,
        method: Collocation(stages: 4, tolerance: {tolerance}),
        points: 20,
        directions: Up,
        start: Guess(at: {{"mu": 1}}, states: [{{{guess}}}], durations: [6.283185307179586]),
        free: "mu",
        range: (0.5, 9),
        step: Step(initial: 0.01, largest: 0.01),
    )],
)
"""

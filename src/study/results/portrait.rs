//! What a slow–fast portrait shows.
use serde::{Deserialize, Serialize};
use slipstick_slow_fast::{
    FibreReturn, FoldKind, FoldLine, FoldedBranch, FoldedClass, FoldedSingularity, ManifoldMesh, ManifoldOrbit,
    ManifoldPoint, MaximalCanard, Outcome, ReducedPoint, Separatrix, SingularCanard, SingularCycle, SlowCycle,
};

/// One start of a family and what becomes of it.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Portrait",
///     system: RegularisedStiction(epsilon: 1e-2),
///     slow_fast: [Portrait(name: "layer", mesh: (6, 12), orbits: 2, manifolds: 0, fates: Fates(over: "theta", from: {"yhat": 0}, samples: 5, horizon: 3.1))],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &study::Silent, &false.into());
/// let outcomes = &result.portraits[0].outcomes;
/// // Five phases: some of the starts jump, the others turn back.
/// assert!(outcomes.len() == 5 && outcomes.iter().any(|one| one.reduced.is_some_and(|outcome| outcome.jumps())));
/// assert!(outcomes.iter().any(|one| one.reduced.is_some_and(|outcome| !outcome.jumps())));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutcomeOfStart {
    /// The value of the state that varies.
    pub value: f64,
    /// The start, in the mode's states.
    pub start: Vec<f64>,
    /// In the reduced flow; `None` where no sheet is near.
    pub reduced: Option<Outcome>,
    /// In the full system.
    pub full: Option<Outcome>,
}

/// A computed portrait. Canards, manifolds and returns carry the number of the folded singularity they belong to.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Portrait",
///     system: RegularisedStiction(epsilon: 1e-2),
///     slow_fast: [Portrait(name: "layer", mesh: (6, 12), orbits: 2, manifolds: 0)],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &study::Silent, &false.into());
/// let portrait = &result.portraits[0];
/// // Two fold lines, with a folded saddle and another folded singularity on each.
/// assert_eq!((portrait.folds.len(), portrait.singularities.len()), (2, 4));
/// assert!(portrait.describe().contains("4 folded singularities"));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Default)]
pub struct PortraitResult {
    /// Its name.
    pub name: String,
    /// The critical manifold over a mesh of the first slow state not solved for and the fast one (two slow states).
    pub mesh: Option<ManifoldMesh>,
    /// The critical manifold as points by increasing fast state (one slow state).
    pub curve: Vec<ManifoldPoint>,
    /// The fold lines; with one slow state, each fold is a line of one point.
    pub folds: Vec<FoldLine>,
    /// What the reduced flow does at the points of each fold line, with the folded singularity between any two points
    /// between which that changes.
    pub fold_kinds: Vec<Vec<(Vec<f64>, FoldKind)>>,
    /// The folded singularities.
    pub singularities: Vec<FoldedSingularity>,
    /// The singular canards.
    pub canards: Vec<(usize, SingularCanard)>,
    /// Orbits of the reduced flow, each by increasing time.
    pub reduced_orbits: Vec<Vec<ReducedPoint>>,
    /// Orbits on the slow manifolds of the full system, with their shifts from the singular canard.
    pub manifolds: Vec<(usize, f64, ManifoldOrbit)>,
    /// The maximal canards.
    pub maximal: Vec<(usize, MaximalCanard)>,
    /// The intersection of the slow manifolds with the section through the singularity: attracting, repelling.
    pub sections: Vec<(usize, [Vec<[f64; 2]>; 2])>,
    /// The family of starts.
    pub outcomes: Vec<OutcomeOfStart>,
    /// Where its fates change: in the reduced flow (`false`) and in the full system (`true`).
    pub separatrices: Vec<(bool, Separatrix)>,
    /// The returns of the fast fibres.
    pub returns: Vec<(usize, FibreReturn)>,
    /// The singular canard cycles.
    pub cycles: Vec<(usize, SingularCycle)>,
    /// The cycle on the attracting slow manifold, by averaging.
    pub slow_cycle: Option<SlowCycle>,
    /// The folded singularities over a parameter.
    pub branches: Vec<(usize, FoldedBranch)>,
    /// What was asked for and could not be computed.
    pub missing: Vec<String>,
}

impl PortraitResult {
    /// What was found, in words: `4 folded singularities (2 saddles, 2 centres), 2 maximal canards`.
    pub fn describe(&self) -> String {
        let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let classes = [
            (FoldedClass::Saddle, "saddle", "saddles"),
            (FoldedClass::Node, "node", "nodes"),
            (FoldedClass::Focus, "focus", "foci"),
            (FoldedClass::Centre, "centre", "centres"),
            (FoldedClass::SaddleNode, "saddle-node", "saddle-nodes"),
        ];
        let of_class = classes.iter().filter_map(|(class, one, many)| {
            let n = self.singularities.iter().filter(|at| at.class == *class).count();
            (n > 0).then(|| count(n, one, many))
        });
        let of_class: Vec<String> = of_class.collect();
        let mut words = vec![count(self.folds.len(), "fold", "folds")];
        if !of_class.is_empty() {
            let all = count(self.singularities.len(), "folded singularity", "folded singularities");
            words.push(format!("{all} ({})", of_class.join(", ")));
        }
        for (n, one, many) in [
            (self.maximal.len(), "maximal canard", "maximal canards"),
            (self.cycles.len(), "singular canard cycle", "singular canard cycles"),
        ] {
            if n > 0 {
                words.push(count(n, one, many));
            }
        }
        words.join(", ")
    }
}

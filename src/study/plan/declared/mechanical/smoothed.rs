//! Contacts whose force jumps no more: the jump is spread over a layer of width ε.
//!
//! Where the relative velocity v of dry friction changes its sign, the force -F(|v|) sign v becomes -F(v φ(v̂)) φ(v̂)
//! with v̂ = v/ε; that of a relay changes with its displacement instead. As force over mass is the rate of v, and not
//! that of the displacement, v̂ is a fast variable of friction, and of no relay.

use crate::plan::declared::mechanical::pattern::Status;
use slipstick_system::text::Symbolic;

/// The small parameter.
pub(crate) const EPSILON: &str = "epsilon";

/// What a contact with a smooth force exerts, and where.
pub(crate) struct Smoothed {
    /// The size of the force.
    pub(crate) size: Symbolic,
    /// The normal force, if it can change its sign.
    pub(crate) normal: Option<Symbolic>,
    /// What the force changes with: the relative velocity or the displacement.
    pub(crate) height: Symbolic,
    /// The name of that over ε.
    pub(crate) hat: String,
    /// φ there.
    pub(crate) within: Symbolic,
    /// Is the force that of dry friction beyond |height| = ε?
    pub(crate) has_layer: bool,
    /// Is the height over ε a fast variable?
    pub(crate) is_fast: bool,
}

impl Smoothed {
    /// The states that the contact can be in.
    pub(crate) fn states(&self) -> Vec<Status> {
        let [plus, minus] = self.sides();
        if self.has_layer {
            vec![plus, minus, Status::Stick]
        } else {
            vec![Status::Stick]
        }
    }

    /// What the state is called in which the force changes.
    pub(crate) fn word(&self) -> &'static str {
        if self.has_layer { "layer" } else { "smooth" }
    }

    /// The states beside the layer.
    pub(crate) fn sides(&self) -> [Status; 2] {
        if self.is_fast {
            [Status::SlipPlus, Status::SlipMinus]
        } else {
            [Status::Above, Status::Below]
        }
    }

    /// What takes the place of the sign.
    pub(crate) fn sign(&self, status: Status) -> Symbolic {
        match status {
            Status::Stick => self.within.clone(),
            side => Symbolic::number(side.sign()),
        }
    }

    /// The state at this multiple of ε.
    pub(crate) fn state_at(&self, height: f64) -> Status {
        let [plus, minus] = self.sides();
        match height {
            _ if !self.has_layer || height.abs() < 1.0 => Status::Stick,
            h if h > 0.0 => plus,
            _ => minus,
        }
    }

    /// The height over ε.
    pub(crate) fn scaled(&self) -> Symbolic {
        self.height.clone() / Symbolic::name(EPSILON)
    }

    /// The states after a jump to the relative velocity `after`, in the direction of `jump`, each with its condition.
    pub(crate) fn after_jump(&self, now: Status, jump: f64, after: &Symbolic) -> Vec<(Status, Option<Symbolic>)> {
        if !self.has_layer || !self.is_fast {
            return vec![(now, None)];
        }
        let epsilon = Symbolic::name(EPSILON);
        let ahead = if jump < 0.0 { -after.clone() } else { after.clone() };
        let [plus, minus] = self.sides();
        let (first, last) = if jump < 0.0 { (plus, minus) } else { (minus, plus) };
        let beyond = (last, Some(epsilon.clone().less(ahead.clone())));
        if now == last {
            vec![(now, None)]
        } else if now == Status::Stick {
            vec![(now, Some(ahead.less(epsilon))), beyond]
        } else {
            let size = Symbolic::call("abs", vec![ahead.clone()]);
            vec![
                (first, Some(ahead.less(-epsilon.clone()))),
                (Status::Stick, Some(size.less(epsilon))),
                beyond,
            ]
        }
    }
}

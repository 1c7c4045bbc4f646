//! How modes are integrated: the methods and their tolerances.

/// Which integrator advances a mode that has no exact flow.
///
/// ```
/// use slipstick_flow::{FlowOptions, Method, ModeFlow};
/// use slipstick_system::catalogue::regularised_stiction;
/// let system = regularised_stiction();
/// let p = system.default_parameters();
/// let layer = system.mode("layer").unwrap();
/// // Over a short time, both integrators must agree.
/// let end = |method| {
///     let flow = ModeFlow::new(&system, layer, FlowOptions { method, rtol: 1e-11, atol: 1e-11, ..FlowOptions::default() });
///     let mut x = [0.0; 3];
///     flow.advance(&[0.1, 0.1, 0.2], 1e-3, &p, &mut x).map(|()| x)
/// };
/// let (explicit, stiff) = (end(Method::Explicit)?, end(Method::Stiff)?);
/// assert!(explicit.iter().zip(&stiff).all(|(a, b)| (a - b).abs() < 1e-8), "{explicit:?} {stiff:?}");
/// # Ok::<(), slipstick_flow::FlowError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Explicit, until the mode proves stiff.
    #[default]
    Auto,
    /// DOP853, explicit of order 8.
    Explicit,
    /// Radau IIA, implicit of order 5.
    Stiff,
}

/// Tolerances of the integrators. Exact flows do not look at them.
///
/// ```
/// use slipstick_flow::{FlowOptions, Method};
/// let stiff = FlowOptions { method: Method::Stiff, rtol: 1e-8, ..FlowOptions::default() };
/// assert!(stiff.rtol > FlowOptions::default().rtol);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowOptions {
    /// Relative tolerance per step.
    pub rtol: f64,
    /// Absolute tolerance per step.
    pub atol: f64,
    /// The integrator.
    pub method: Method,
    /// Steps (accepted and rejected) before a flow is given up.
    pub max_steps: usize,
}

impl Default for FlowOptions {
    fn default() -> Self {
        Self {
            rtol: 1e-12,
            atol: 1e-13,
            method: Method::Auto,
            max_steps: 100_000,
        }
    }
}

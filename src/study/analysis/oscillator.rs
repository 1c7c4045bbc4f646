//! The parameters of Shaw's oscillator, which several analyses share.
use slipstick_models::friction::shaw::Oscillator;

/// The parameters of Shaw's oscillator by the names that the built-in system gives them.
pub(crate) fn oscillator_settings(o: &mut Oscillator) -> Vec<(&'static str, &mut f64)> {
    vec![
        ("m", &mut o.mass),
        ("K", &mut o.stiffness),
        ("beta", &mut o.beta),
        ("alpha", &mut o.alpha),
        ("f_s", &mut o.f_s),
        ("f_d", &mut o.f_d),
    ]
}

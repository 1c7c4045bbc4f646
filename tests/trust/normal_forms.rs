//! Coefficients of normal forms: closed forms, and invariance under changes of coordinates.

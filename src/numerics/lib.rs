//! Numbers that formulas are evaluated in, numbers in words, linear algebra, zeros of scalar functions, and the stop
//! that long loops heed.

pub mod linalg;
pub mod number;
pub mod roots;
pub mod scalar;
pub mod stop;
pub mod tableau;

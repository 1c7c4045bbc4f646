//! Hybrid systems whose orbits and bifurcations are known in closed form.

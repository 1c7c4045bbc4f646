//! Branch points from which several branches leave, and continua.

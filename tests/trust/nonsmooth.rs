//! Smooth systems whose text has corners, jumps and poles.

//! Families of cycles known in closed form: folds, ends at Hopf points, doublings, tori.

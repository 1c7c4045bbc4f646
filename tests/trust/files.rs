//! Folders, files, locks and interruptions: a run touches only what a run wrote.

//! Extreme numbers, limits and interruptions: an answer or a refusal in words, in time.

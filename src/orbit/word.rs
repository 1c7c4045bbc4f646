//! Words: the cyclic sequence of (mode, event) that an orbit visits.

use slipstick_bifurcation::BranchPoint;
use slipstick_system::System;

/// One letter: a mode and the event that ends the visit. A smooth orbit has one letter without an event.
///
/// ```
/// use slipstick_orbit::{Letter, Word};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let word = Word::parse("slip- stick slip+ stick", false, &system)?;
/// let slip = system.mode("slip-").unwrap();
/// assert_eq!(word.letters[0], Letter { mode: slip, event: system.event(slip, "land") });
/// # Ok::<(), slipstick_orbit::WordError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Letter {
    /// Index of the mode.
    pub mode: usize,
    /// Index of the event among the mode's events.
    pub event: Option<usize>,
}

/// The cyclic sequence of letters; for a symmetric orbit only the first half, which the symmetry maps to the second.
///
/// ```
/// use slipstick_orbit::Word;
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let half = Word::parse("slip- stick", true, &system)?;
/// assert_eq!(half.describe(&system), "slip- land stick release- | mirrored");
/// assert_eq!(half.full_period(&system)?.letters.len(), 4);
/// # Ok::<(), slipstick_orbit::WordError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Word {
    /// The letters, in order.
    pub letters: Vec<Letter>,
    /// Does the symmetry carry the listed half to the other half?
    pub symmetric: bool,
}

/// A word that does not fit its system.
///
/// ```
/// use slipstick_orbit::Word;
/// use slipstick_system::catalogue::stiction;
/// let error = Word::parse("slip- fly", false, &stiction()).unwrap_err();
/// assert!(error.to_string().contains("`fly` is neither a mode of this system"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordError {
    /// No letters.
    #[error("the word is empty: name the modes in order, as in `slip- stick`")]
    Empty,
    /// Neither a mode nor an event of the mode before it.
    #[error("`{found}` is neither a mode of this system ({modes}) nor an event of the mode before it ({events})")]
    Unknown {
        /// The word found.
        found: String,
        /// The known modes.
        modes: String,
        /// The events that could have followed.
        events: String,
    },
    /// No event leads from a mode to the next one.
    #[error("no event leads from mode `{from}` to mode `{to}`; its events are {events}")]
    NoEvent {
        /// The mode left.
        from: String,
        /// The mode that should follow.
        to: String,
        /// The events there are, with their targets.
        events: String,
    },
    /// An event was named that leads elsewhere.
    #[error("event `{event}` of mode `{from}` leads to `{target}`, but the next mode of the word is `{to}`")]
    WrongTarget {
        /// The mode left.
        from: String,
        /// The event named.
        event: String,
        /// Where it leads.
        target: String,
        /// The mode that follows in the word.
        to: String,
    },
    /// `free` in a word of several segments.
    #[error("`free` denotes an orbit without events: write it after a single mode, as in `flight free`")]
    FreeAmongOthers,
    /// A symmetric word of a system without a symmetry.
    #[error("{} has no symmetry, so it has no symmetric orbits; ask for `Periodic` instead", named(.0))]
    NoSymmetry(String),
}

/// A system by its name, if it has one.
fn named(system: &str) -> String {
    if system.is_empty() {
        "the system".to_owned()
    } else {
        format!("system `{system}`")
    }
}

/// What stands for the event of an orbit that has none.
const FREE: &str = "free";

/// The names in a text, those of modes put together where their parts are written with blanks between them.
fn names<'a>(text: &'a str, system: &'a System) -> Vec<&'a str> {
    let tokens: Vec<&str> = text.split_whitespace().collect();
    let parts = |mode: &slipstick_system::Mode| mode.name.split(',').count();
    let longest = system.modes.iter().map(parts).max().unwrap_or(1);
    let mut all = vec![];
    let mut at = 0;
    while at < tokens.len() {
        let most = longest.min(tokens.len() - at);
        let joined = (2..=most).rev().find_map(|count| {
            let parts: Vec<&str> = tokens[at..at + count].iter().map(|t| t.trim_end_matches(',')).collect();
            let mode = &system.modes[system.mode(&parts.join(","))?];
            Some((mode.name.as_str(), count))
        });
        let (name, count) = joined.unwrap_or((tokens[at], 1));
        all.push(name);
        at += count;
    }
    all
}

fn list(names: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = names.collect();
    if all.is_empty() { "none".into() } else { all.join(", ") }
}

impl Word {
    /// Read a word: mode names in order, each optionally followed by the event that ends it
    /// (`slip- land stick release-`). Events left out are those that lead to the next mode. A trailing `| mirrored` is
    /// accepted for symmetric words. `flight free` is the orbit that stays in one mode although an event could lead
    /// back to it, as one that does not reach a wall. The parts of the name of a mode that are separated by commas,
    /// `belt1:stick,belt2:slip+`, may be separated by blanks as well.
    ///
    /// # Errors
    /// [`WordError`] when names are unknown or modes do not connect.
    pub fn parse(text: &str, symmetric: bool, system: &System) -> Result<Self, WordError> {
        if symmetric && system.symmetry.is_none() {
            return Err(WordError::NoSymmetry(system.name.clone()));
        }
        let text = text.trim();
        let text = text
            .strip_suffix("mirrored")
            .map_or(text, |t| t.trim_end().trim_end_matches('|'));
        let (text, free) = match text.trim_end().strip_suffix(FREE) {
            Some(rest) if rest.ends_with(char::is_whitespace) => (rest, true),
            _ => (text, false),
        };
        let tokens: Vec<&str> = names(text, system);
        let closed = |segments: &[(usize, Option<usize>)]| {
            if free {
                Self::free(system, segments, symmetric)
            } else {
                Self::connected(system, segments, symmetric)
            }
        };
        let mut known = vec![None; tokens.len() + 1];
        if let Some(word) = Self::read(system, &tokens, &mut vec![], &mut known, &closed) {
            return Ok(word);
        }
        closed(&plainly(system, &tokens)?)
    }

    /// The first reading of the names that gives a word, where a name may be that of a mode and of an event of the mode
    /// before it: as words are written out, a mode is followed by its event. `failed` tells for each place how reading
    /// on from there, with a mode just named or not, has failed before.
    fn read(
        system: &System,
        tokens: &[&str],
        segments: &mut Vec<(usize, Option<usize>)>,
        failed: &mut [Option<[bool; 2]>],
        closed: &dyn Fn(&[(usize, Option<usize>)]) -> Result<Self, WordError>,
    ) -> Option<Self> {
        let at = segments.iter().map(|v| 1 + usize::from(v.1.is_some())).sum::<usize>();
        let Some(token) = tokens.get(at) else {
            return closed(segments).ok();
        };
        let last = segments.last().copied();
        let named = usize::from(last.is_some_and(|v| v.1.is_none()));
        if failed[at].is_some_and(|f| f[named]) {
            return None;
        }
        if let Some((mode, None)) = last
            && let Some(event) = system.event(mode, token)
            && let Some(place) = segments.last_mut()
        {
            place.1 = Some(event);
            if let Some(word) = Self::read(system, tokens, segments, failed, closed) {
                return Some(word);
            }
            segments.last_mut()?.1 = None;
        }
        let follows = |mode: usize| match last {
            Some((from, Some(event))) => system.modes[from].events[event].target == mode,
            Some((from, None)) => system.modes[from].events.iter().any(|e| e.target == mode),
            None => true,
        };
        if let Some(mode) = system.mode(token).filter(|&m| follows(m)) {
            segments.push((mode, None));
            if let Some(word) = Self::read(system, tokens, segments, failed, closed) {
                return Some(word);
            }
            segments.pop();
        }
        failed[at].get_or_insert([false; 2])[named] = true;
        None
    }

    /// The word of an orbit without events.
    fn free(system: &System, segments: &[(usize, Option<usize>)], symmetric: bool) -> Result<Self, WordError> {
        let &[(mode, None)] = segments else {
            return Err(WordError::FreeAmongOthers);
        };
        let mirrored = system.symmetry.as_ref().filter(|_| symmetric).map(|s| s.modes[mode]);
        if let Some(other) = mirrored.filter(|&m| m != mode) {
            return Err(WordError::NoEvent {
                from: system.modes[mode].name.clone(),
                to: system.modes[other].name.clone(),
                events: "left out: an orbit without events stays in one mode".into(),
            });
        }
        Ok(Self {
            letters: vec![Letter { mode, event: None }],
            symmetric,
        })
    }

    /// The word of these visits (mode and, if it is to be a certain one, the event that ends it); events left out are
    /// those that lead on.
    ///
    /// # Errors
    /// [`WordError`] when modes do not connect.
    pub fn connected(system: &System, segments: &[(usize, Option<usize>)], symmetric: bool) -> Result<Self, WordError> {
        let Some(&(first, _)) = segments.first() else {
            return Err(WordError::Empty);
        };
        let mut letters = Vec::with_capacity(segments.len());
        for (k, &(mode, named)) in segments.iter().enumerate() {
            let next = match segments.get(k + 1) {
                Some(v) => v.0,
                None => mirrored_mode(system, symmetric, first),
            };
            letters.push(Letter {
                mode,
                event: connect(system, mode, named, next, segments.len() == 1 && mode == next)?,
            });
        }
        Ok(Self { letters, symmetric })
    }

    /// The mode that follows letter `k`, before the symmetry is applied at the end of a symmetric word.
    pub fn target(&self, system: &System, k: usize) -> usize {
        let letter = self.letters[k];
        letter
            .event
            .map_or(letter.mode, |e| system.modes[letter.mode].events[e].target)
    }

    /// In words: `slip- land stick release- | mirrored`.
    pub fn describe(&self, system: &System) -> String {
        let mut words: Vec<&str> = vec![];
        for letter in &self.letters {
            let mode = &system.modes[letter.mode];
            words.push(&mode.name);
            if let Some(e) = letter.event {
                words.push(&mode.events[e].name);
            } else if mode
                .events
                .iter()
                .any(|e| e.target == mirrored_mode(system, self.symmetric, letter.mode))
            {
                words.push(FREE);
            }
        }
        let mut text = words.join(" ");
        if self.symmetric {
            text.push_str(" | mirrored");
        }
        text
    }

    /// The image of this word under the symmetry of the system: each mode mirrored, each event replaced by the one that
    /// the mirrored mode has for the mirrored target.
    ///
    /// # Errors
    /// [`WordError`] when the system has no symmetry or its mirrored modes do not connect in the same way.
    pub fn mirrored(&self, system: &System) -> Result<Self, WordError> {
        let symmetry = system
            .symmetry
            .as_ref()
            .ok_or_else(|| WordError::NoSymmetry(system.name.clone()))?;
        let mut letters = Vec::with_capacity(self.letters.len());
        for (k, letter) in self.letters.iter().enumerate() {
            let mode = symmetry.modes[letter.mode];
            let target = symmetry.modes[self.target(system, k)];
            let event = match letter.event {
                None => None,
                Some(e) => connect(system, mode, system.mirrored_event(letter.mode, e), target, false)?,
            };
            letters.push(Letter { mode, event });
        }
        Ok(Self {
            letters,
            symmetric: self.symmetric,
        })
    }

    /// The word of the full period: of a symmetric one, both halves written out.
    ///
    /// # Errors
    /// As [`Word::mirrored`].
    pub fn full_period(&self, system: &System) -> Result<Self, WordError> {
        if !self.symmetric {
            return Ok(self.clone());
        }
        let mut letters = self.letters.clone();
        letters.extend(self.mirrored(system)?.letters);
        Ok(Self {
            letters,
            symmetric: false,
        })
    }

    /// The word of a point of a branch that began at an orbit of this word and may have broken its symmetry, doubled
    /// its period or divided it since; of an orbit without events.
    pub fn of_smooth_orbit(&self, system: &System, at: &BranchPoint) -> Self {
        let letter = self.letters[0];
        let unknowns = at.point.z.len().saturating_sub(1);
        let each = system.modes[letter.mode].states.len() + 1;
        let count = at.point.meshes.as_ref().map_or(unknowns / each, |meshes| meshes.len());
        Self {
            letters: vec![letter; count.max(1)],
            // Multipliers of half a period are reported of symmetric orbits only.
            symmetric: !at.record.nu.is_empty(),
        }
    }
}

/// The visits that names stand for where each name of a mode is one: the reading that complaints are about.
fn plainly(system: &System, tokens: &[&str]) -> Result<Vec<(usize, Option<usize>)>, WordError> {
    let mut segments: Vec<(usize, Option<usize>)> = vec![];
    for &token in tokens {
        if let Some(mode) = system.mode(token) {
            segments.push((mode, None));
            continue;
        }
        let event = segments
            .last()
            .filter(|v| v.1.is_none())
            .and_then(|v| system.event(v.0, token));
        match (event, segments.last_mut()) {
            (Some(event), Some(last)) => last.1 = Some(event),
            (_, last) => {
                return Err(WordError::Unknown {
                    found: token.into(),
                    modes: list(system.modes.iter().map(|m| m.name.clone())),
                    events: list(
                        last.into_iter()
                            .flat_map(|v| system.modes[v.0].events.iter().map(|e| e.name.clone())),
                    ),
                });
            }
        }
    }
    Ok(segments)
}

/// The mode that must follow the last letter so that the word closes up.
fn mirrored_mode(system: &System, symmetric: bool, first: usize) -> usize {
    match &system.symmetry {
        Some(s) if symmetric => s.modes.iter().position(|&m| m == first).unwrap_or(first),
        _ => first,
    }
}

fn connect(
    system: &System,
    mode: usize,
    named: Option<usize>,
    next: usize,
    may_be_smooth: bool,
) -> Result<Option<usize>, WordError> {
    let m = &system.modes[mode];
    if let Some(e) = named {
        if m.events[e].target == next {
            return Ok(Some(e));
        }
        return Err(WordError::WrongTarget {
            from: m.name.clone(),
            event: m.events[e].name.clone(),
            target: system.modes[m.events[e].target].name.clone(),
            to: system.modes[next].name.clone(),
        });
    }
    match m.events.iter().position(|e| e.target == next) {
        Some(e) => Ok(Some(e)),
        // An orbit that never leaves its mode.
        None if may_be_smooth || (mode == next && m.events.is_empty()) => Ok(None),
        None => Err(WordError::NoEvent {
            from: m.name.clone(),
            to: system.modes[next].name.clone(),
            events: list(
                m.events
                    .iter()
                    .map(|e| format!("{} (to {})", e.name, system.modes[e.target].name)),
            ),
        }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use slipstick_system::catalogue::stiction;

    #[test]
    fn reads_words_with_and_without_events() {
        let s = stiction();
        let short = Word::parse("slip- stick", true, &s).unwrap();
        assert_eq!(short.describe(&s), "slip- land stick release- | mirrored");
        assert_eq!(Word::parse(&short.describe(&s), true, &s).unwrap(), short);
        let full = short.full_period(&s).unwrap();
        assert_eq!(full.describe(&s), "slip- land stick release- slip+ land stick release+");
        assert_eq!(
            Word::parse("slip-", true, &s).unwrap().describe(&s),
            "slip- reverse | mirrored"
        );
    }

    #[test]
    fn refuses_words_that_do_not_connect() {
        let s = stiction();
        let message = |w: &str, sym| Word::parse(w, sym, &s).unwrap_err().to_string();
        assert_eq!(
            message("slip- stuck", true),
            "`stuck` is neither a mode of this system (slip+, slip-, stick) nor an event of the mode before it (land, reverse)"
        );
        assert_eq!(
            message("slip- slip-", false),
            "no event leads from mode `slip-` to mode `slip-`; its events are land (to stick), reverse (to slip+)"
        );
        assert!(message("slip- land slip+", false).contains("leads to `stick`"));
        assert!(matches!(Word::parse(" ", true, &s), Err(WordError::Empty)));
    }
}

//! What happens on a step becomes labelled points.

use super::super::{BranchPoint, End, Label, Logbook, TraceOptions};
use super::one_way::{Event, OneWay};
use super::passage::Hit;
use slipstick_continuation::Point;

impl OneWay<'_> {
    /// Enter what happens on the way from `base`, in order, among the points `found` and into the logbook; returns
    /// the end of the curve where that is one, or the logbook wants no more.
    pub(super) fn enter(
        &mut self,
        hits: Vec<Hit>,
        base: &Point,
        options: &TraceOptions,
        found: &mut Vec<BranchPoint>,
        (direction, log): (usize, &mut dyn Logbook),
    ) -> Option<End> {
        for Hit {
            event,
            point: at,
            record: mut measured,
            ..
        } in hits
        {
            if let Event::Boundary(inequality) = event {
                self.measure_beside(base, &at, &mut measured, Some(inequality));
            }
            let (mut label, mut message, mut end) = self.name(&event, &measured, options);
            if let Some(End::Boundary {
                inequality,
                label: own,
                meaning,
            }) = &mut end
                && let Some(other) = self.curve.problem().boundary_at(*inequality, &at)
            {
                (label, message) = other;
                (*own, *meaning) = (label, message.clone());
            }
            if let (Event::Boundary(_), Some(End::Boundary { inequality, .. })) = (&event, &end) {
                self.set_vanished(*inequality, &mut measured);
            }
            let passes = match event {
                Event::Touch(test) => self.tests[test].label != Label::BP,
                Event::Together { .. } => label != Label::BP,
                Event::Multiple(_, order) => order % 2 == 1,
                _ => true,
            };
            let problem = self.curve.problem();
            let more = match event {
                // Its side and stability are those of a crossing.
                Event::Touch(_) if label != Label::BP => None,
                Event::Together { .. } if !passes => problem
                    .explain_touch(&at, true)
                    .or_else(|| Some("; how many branches emanate was not determined".into())),
                Event::Together { .. } if label == Label::HB => problem.explain_several_pairs(&at).or_else(|| {
                    Some(": which periodic orbits branch off, and how stable they are, was not determined".into())
                }),
                _ if !passes => problem
                    .explain_touch(&at, false)
                    .or_else(|| problem.explain(label, &at, &measured)),
                Event::Fold
                | Event::FlatFold
                | Event::Test(_)
                | Event::Touch(_)
                | Event::PitchforkBranch(_)
                | Event::Multiple(..) => problem.explain(label, &at, &measured),
                _ => match &end {
                    Some(End::Boundary { inequality, .. }) => problem.explain_boundary(*inequality, &at),
                    _ => None,
                },
            };
            if let Some(more) = more {
                message.push_str(&more);
            }
            if self.family {
                message.push_str(&self.said_of_continuum(&measured));
            }
            let special = BranchPoint {
                point: at,
                record: measured,
                label: Some(label),
                message,
            };
            let go_on = log.point(direction, &special, None);
            found.push(special);
            if end.is_some() {
                return end;
            }
            if !go_on {
                return Some(End::Stopped);
            }
        }
        None
    }
}

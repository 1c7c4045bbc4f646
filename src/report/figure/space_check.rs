//! Is a figure of space drawable?

use super::check::Checker;
use super::error::FigureError;
use super::formula;
use super::spec::{Object, Place, Space};

/// The objects of a portrait that have a place in space.
const OBJECTS: [Object; 8] = [
    Object::Sheets,
    Object::Folds,
    Object::Flow,
    Object::Canards,
    Object::VraiCanards,
    Object::SlowManifolds,
    Object::MaximalCanards,
    Object::Singularities,
];

impl Checker<'_> {
    pub(super) fn space(&self, space: &Space) -> Result<(), FigureError> {
        let known = self.known;
        self.orbits(&space.orbits)?;
        for name in &space.trajectories {
            self.one_of("trajectory", name, &known.trajectories)?;
        }
        let mut columns: Vec<String> = vec![];
        if let Some(of) = &space.of {
            self.one_of("portrait", of, &known.portraits)?;
            columns.extend_from_slice(&known.portrait_columns);
        }
        if !space.orbits.is_empty() {
            columns.extend_from_slice(&known.orbit_columns);
        }
        if !space.trajectories.is_empty() {
            columns.extend_from_slice(&known.trajectory_columns);
        }
        let given = !space.surfaces.is_empty() || !space.paths.is_empty();
        if columns.is_empty() && !given {
            return Err(self.unfit(
                "orbits",
                "name something to draw: orbits: [\"curve: LP\"], of: \"portrait\", or surfaces: [Surface(…)]",
            ));
        }
        if !columns.is_empty() {
            for name in [&space.x, &space.y, &space.z] {
                self.column(name, &columns)?;
            }
        }
        if let Some(object) = space.show.iter().find(|object| !OBJECTS.contains(object)) {
            return Err(self.unfit("show", &format!("{object:?} lies in a plane; draw it with Manifold")));
        }
        let mut names = known.columns.clone();
        names.extend(["u".to_owned(), "v".to_owned()]);
        let formula = |text: &str| formula::check(text, &names).map_err(|why| self.unfit(text, &why.to_string()));
        let place = |place: &Place| match place {
            Place::Formula(text) => formula(text),
            Place::Number(_) => Ok(()),
        };
        for surface in &space.surfaces {
            [&surface.x, &surface.y, &surface.z]
                .into_iter()
                .try_for_each(|text| formula(text))?;
            let ends = [&surface.u.0, &surface.u.1, &surface.v.0, &surface.v.1];
            ends.into_iter().try_for_each(place)?;
            self.markup(&surface.label)?;
        }
        for path in &space.paths {
            [&path.x, &path.y, &path.z]
                .into_iter()
                .try_for_each(|text| formula(text))?;
            [&path.u.0, &path.u.1].into_iter().try_for_each(place)?;
            self.markup(&path.label)?;
        }
        self.range("x_range", space.x_range, false)?;
        self.range("y_range", space.y_range, false)?;
        self.range("z_range", space.z_range, false)?;
        if !(space.view.0.is_finite() && (0.0..=90.0).contains(&space.view.1)) {
            return Err(self.unfit("view", "the viewer stands between 0 and 90 degrees above the plane"));
        }
        self.labels(&space.labels)
    }
}

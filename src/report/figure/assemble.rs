//! From what a study says to the scene of a whole figure.

use super::basins;
use super::chart;
use super::covered::break_covering;
use super::diagram;
use super::envelope::draw_bands;
use super::error::FigureError;
use super::family;
use super::manifold;
use super::multipliers::with_letter;
use super::orbits::{Views, orbit_views, trajectory_views};
use super::scene::{AxisScale, Entry, Ink, Panel, Sample, Sheet};
use super::seen::{fill_inset, is_key, list_what_is_seen, name_once, report_what_is_long};
use super::space;
use super::spec::{Axis, Figure, Palette, Style, Width};
use super::twins;
use crate::RunData;

/// The scene of a figure.
pub(super) fn assemble(figure: &Figure, data: &RunData) -> Result<Sheet, FigureError> {
    let figure = &with_letter(figure, data);
    let name = figure.name().to_owned();
    let style = figure.style().cloned().unwrap_or_default();
    let monochrome = style.palette == Palette::Monochrome;
    let mut sheet = match figure {
        Figure::Diagram(diagram) => {
            let mut panel = diagram::panel(&name, diagram, data, &diagram::curves(diagram, data))?;
            list_what_is_seen(&mut panel);
            Sheet {
                name,
                style,
                columns: 1,
                share_x: false,
                share_y: false,
                panels: vec![panel],
                heading: Vec::new(),
            }
        }
        Figure::Manifold(spec) => {
            let mut panel = manifold::panel(&name, spec, data)?;
            report_what_is_long(&mut panel);
            Sheet {
                name,
                style,
                columns: 1,
                share_x: false,
                share_y: false,
                panels: vec![panel],
                heading: Vec::new(),
            }
        }
        Figure::Chart(spec) => {
            let panel = chart::panel(&name, spec, data, &chart::curves(spec, data))?;
            of_one(name, style, panel)
        }
        Figure::Space(spec) => of_one(name.clone(), style, space::panel(&name, spec, data)?),
        Figure::Basins(spec) => of_one(name.clone(), style, basins::panel(&name, spec, data)?),
        Figure::Family(spec) => of_one(name.clone(), style, family::panel(&name, spec, data)?),
        Figure::Twins(spec) => of_one(name.clone(), style, twins::panel(&name, spec, data)?),
        Figure::Orbits(_) | Figure::Trajectories(_) => {
            let asked = match figure {
                Figure::Orbits(orbits) => orbits.columns,
                Figure::Trajectories(trajectories) => trajectories.columns,
                _ => 0,
            };
            let mut views = views(&name, figure, data)?;
            let mut heading = Vec::new();
            if let [panel] = views.panels.as_mut_slice() {
                panel.entries.splice(0..0, views.entries);
            } else {
                heading = views.entries;
            }
            let columns = columns(asked, style.width, views.panels.len());
            Sheet {
                name,
                style,
                columns,
                share_x: true,
                share_y: false,
                panels: views.panels,
                heading,
            }
        }
        Figure::Panels(spec) => {
            let mut curves: Vec<String> = Vec::new();
            for part in &spec.panels {
                let more = match part {
                    Figure::Diagram(diagram) => diagram::curves(diagram, data),
                    Figure::Chart(chart) => chart::curves(chart, data),
                    _ => vec![],
                };
                let new: Vec<String> = more.into_iter().filter(|curve| !curves.contains(curve)).collect();
                curves.extend(new);
            }
            let (mut panels, mut diagrams) = (Vec::new(), Vec::new());
            for part in &spec.panels {
                if let Figure::Diagram(diagram) = part {
                    diagrams.push(panels.len());
                    panels.push(diagram::panel(&name, diagram, data, &curves)?);
                    continue;
                }
                if let Figure::Manifold(spec) = part {
                    let mut panel = manifold::panel(&name, spec, data)?;
                    report_what_is_long(&mut panel);
                    panels.push(panel);
                    continue;
                }
                let alone = match part {
                    Figure::Chart(spec) => Some(chart::panel(&name, spec, data, &curves)?),
                    Figure::Space(spec) => Some(space::panel(&name, spec, data)?),
                    Figure::Basins(spec) => Some(basins::panel(&name, spec, data)?),
                    Figure::Family(spec) => Some(family::panel(&name, spec, data)?),
                    Figure::Twins(spec) => Some(twins::panel(&name, spec, data)?),
                    _ => None,
                };
                if let Some(panel) = alone {
                    diagrams.push(panels.len());
                    panels.push(panel);
                    continue;
                }
                let mut views = views(&name, part, data)?;
                if let Some(first) = views.panels.first_mut() {
                    first.entries.splice(0..0, views.entries);
                }
                panels.extend(views.panels);
            }
            let columns = columns(spec.columns, style.width, panels.len());
            let (share_x, share_y) = (spec.share.contains(&Axis::X), spec.share.contains(&Axis::Y));
            unite_ranges(&mut panels, columns, share_x, share_y);
            diagrams.into_iter().for_each(|at| list_what_is_seen(&mut panels[at]));
            reduce_to_least_period(&mut panels);
            Sheet {
                name,
                style,
                columns,
                share_x,
                share_y,
                panels,
                heading: Vec::new(),
            }
        }
    };
    if monochrome {
        // Among greys an unbroken grey line would pass for another curve: the key to stability is what unstable parts
        // look like.
        for panel in &mut sheet.panels {
            if panel
                .entries
                .iter()
                .any(|entry| matches!(entry.sample, Sample::Line(Ink::Series(_), _)))
            {
                panel.entries.retain(|entry| !is_key(entry));
            }
        }
    }
    for panel in &mut sheet.panels {
        draw_bands(panel);
        fill_inset(panel);
        name_once(panel);
    }
    Ok(sheet)
}

/// The sheet of a figure of cells.
fn of_one(name: String, style: Style, mut panel: Panel) -> Sheet {
    list_what_is_seen(&mut panel);
    Sheet {
        name,
        style,
        columns: 1,
        share_x: false,
        share_y: false,
        panels: vec![panel],
        heading: Vec::new(),
    }
}

/// Leave out of each legend what the legend of an earlier panel has said.
fn reduce_to_least_period(panels: &mut [Panel]) {
    let mut reported: Vec<Entry> = Vec::new();
    for panel in panels {
        panel.entries.retain(|entry| !reported.contains(entry));
        reported.extend(panel.entries.iter().cloned());
    }
}

/// Panels side by side: as asked, else what the page has room for.
fn columns(asked: usize, width: Width, panels: usize) -> usize {
    let wide = width.millimetres() > 120.0;
    match (asked, panels) {
        (0, 1..=3) if wide => panels,
        (0, _) if wide => 2,
        (0, _) => 1,
        (asked, _) => asked,
    }
}

fn views(name: &str, figure: &Figure, data: &RunData) -> Result<Views, FigureError> {
    Ok(match figure {
        Figure::Orbits(orbits) => orbit_views(name, orbits, data)?,
        Figure::Trajectories(trajectories) => {
            let mut views = trajectory_views(name, trajectories, data)?;
            for panel in &mut views.panels {
                break_covering(panel, &mut views.entries);
            }
            views
        }
        _ => Views {
            panels: Vec::new(),
            entries: Vec::new(),
        },
    })
}

/// Give axes that are shared the range that shows the data of all panels that share them.
fn unite_ranges(panels: &mut [Panel], columns: usize, share_x: bool, share_y: bool) {
    type AxisOf = fn(&mut Panel) -> &mut AxisScale;
    let mut unite = |axis: AxisOf, group: &dyn Fn(usize) -> usize| {
        let scales: Vec<AxisScale> = panels.iter_mut().map(|panel| axis(panel).clone()).collect();
        for (at, panel) in panels.iter_mut().enumerate() {
            let own = axis(panel);
            for (_, other) in scales
                .iter()
                .enumerate()
                .filter(|(k, other)| group(*k) == group(at) && other.label == own.label)
            {
                own.low = own.low.min(other.low);
                own.high = own.high.max(other.high);
            }
        }
    };
    if share_x {
        unite(|panel| &mut panel.x, &|at| at % columns);
    }
    if share_y {
        unite(|panel| &mut panel.y, &|at| at / columns);
    }
}

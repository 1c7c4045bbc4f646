//! Everything that can be wrong with a description, shown at its place.

use super::*;
use crate::text::diagnostic::Diagnostic;

/// What a reader of the study would see.
fn shown(text: &str) -> String {
    let study = format!("(\n    system: {text},\n)");
    let findings = match read(text).build("system") {
        Ok(built) => built.warnings,
        Err(errors) => errors,
    };
    assert!(!findings.is_empty(), "nothing is wrong with {text}");
    let render = |error: &SystemError| {
        Diagnostic::at(
            &study,
            &error.path,
            error.within.clone(),
            error.to_string(),
            error.help(),
        )
        .render("study.ron", &study, false)
    };
    // The catalogue grows; this is about the words around its list.
    let catalogue: Vec<String> = catalogue::all().iter().map(|s| format!("`{}`", s.name)).collect();
    let shown = findings.iter().map(render).collect::<Vec<_>>().join("\n");
    shown.replace(&catalogue.join(", "), "<the catalogue>")
}

/// A planar system with a part replaced or added.
fn planar(extra: &str, equations: &str) -> String {
    shown(&format!(
        "Smooth(states: [\"x\", \"y\"], parameters: {{\"mu\": 1}}, {extra}\n        equations: [{equations}])"
    ))
}

#[test]
fn faults_of_smooth_systems() {
    let right = r#""x' = y", "y' = mu*x""#;
    let all = [
        planar("", r#""x' = y", "y' = mu*(1 - x^2)*y - xx""#),
        planar("", r#""x' = y", "y' = 2x""#),
        planar("", r#""x' = y", "x' = mu*x""#),
        planar("", r#""x' = mu*y""#),
        planar("", r#""x' = mu*y", "z' = x""#),
        planar("", r#""x'' = -mu*x""#),
        planar("", r#""x' = y", "y' = mu*cos(t)""#),
        planar("", r#""x' = y", "y' = -x""#),
        planar("", r#""x' = y/(1 - 1)", "y' = (mu""#),
        planar(r#"start: {"x": 1, "z": 2},"#, right),
        planar(r#"start: {"x": "1/y"},"#, right),
        planar(r#"start: {"x": 1, "y": 0},"#, r#""x' = y", "y' = mu*ln(x - 1)""#),
        planar(
            r#"define: {"f(u)": "1/u"}, start: {"x": 0, "y": 1},"#,
            r#""x' = y", "y' = mu*f(x)""#,
        ),
        planar("", r#""x' = y", "y' = mu/x""#),
        planar(r#"define: {"a": "b + 1", "b": "2*a"},"#, right),
        planar(r#"define: {"f(u, v)": "u*v + w"},"#, right),
        planar(r#"define: {"f(u)": "u + mu"},"#, r#""x' = y", "y' = f(x, 2)""#),
        planar(r#"define: {"sin": "3", "y": "2", "2a": "1", "unused": "mu"},"#, right),
        planar(r#"angles: {"z": "2*pi", "y": "0"},"#, right),
        planar(r#"forcing: Forcing(period: "2*pi/x"),"#, right),
        planar(r#"forcing: Forcing(period: "2*pi", phase: "y"),"#, right),
        planar(r#"observables: {"x": "y", "r": "x^2 + z"},"#, right),
        planar(r#"slow_fast: SlowFast(fast: "z", epsilon: "nu"),"#, right),
        planar(r#"require: ["mu > x", "mu"],"#, right),
    ];
    insta::assert_snapshot!(all.join("\n"), @r##"
    error: unknown name `xx`
     --> study.ron:3:54
      |
    3 |         equations: ["x' = y", "y' = mu*(1 - x^2)*y - xx"]),
      |                                                      ^^
      |
      = help: did you mean `x`?
    error: `2` and `x` stand side by side without an operator
     --> study.ron:3:38
      |
    3 |         equations: ["x' = y", "y' = 2x"]),
      |                                      ^
      |
      = help: write `2*x` to multiply
    error: a second equation for `x`
     --> study.ron:3:32
      |
    3 |         equations: ["x' = y", "x' = mu*x"]),
      |                                ^
    error: no equation for `y`
     --> study.ron:3:20
      |
    3 |         equations: ["x' = mu*y"]),
      |                    ^^^^^^^^^^^^^
      |
      = help: add `y' = ...`
    error: unknown state `z`; known: `x`, `y`
     --> study.ron:3:35
      |
    3 |         equations: ["x' = mu*y", "z' = x"]),
      |                                   ^
      |
      = help: add `z` to `states`
    error: a derivative of higher order
     --> study.ron:3:22
      |
    3 |         equations: ["x'' = -mu*x"]),
      |                      ^^^
      |
      = help: name the velocity as a state of its own: `x' = v`, `v' = ...`
    error: `t` has no value here: for a field that depends on time say its period, `forcing: Forcing(period: "...")`
     --> study.ron:3:44
      |
    3 |         equations: ["x' = y", "y' = mu*cos(t)"]),
      |                                            ^
    error: the parameter `mu` is not used
     --> study.ron:2:53
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, 
      |                                                     ^^^^
      |
      = help: use it or leave it out
    error: this `(` is never closed
     --> study.ron:3:45
      |
    3 |         equations: ["x' = y/(1 - 1)", "y' = (mu"]),
      |                                             ^
    error: unknown state `z`; known: `x`, `y`
     --> study.ron:2:79
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, start: {"x": 1, "z": 2},
      |                                                                               ^^^
    error: `y` has no value here: only parameters may enter here
     --> study.ron:2:79
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, start: {"x": "1/y"},
      |                                                                               ^
    error: the field is not finite at the start (x = 1, y = 0): it fails here
     --> study.ron:3:40
      |
    3 |         equations: ["x' = y", "y' = mu*ln(x - 1)"]),
      |                                        ^^^^^^^^^
      |
      = help: give another `start`
    error: the field is not finite at the start (x = 0, y = 1): it fails here
     --> study.ron:2:81
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, define: {"f(u)": "1/u"}, start: {"x": 0, "y": 1},
      |                                                                                 ^^^
      |
      = help: give another `start`
    error: the field is not finite at the start (x = 0, y = 0): it fails here
     --> study.ron:3:37
      |
    3 |         equations: ["x' = y", "y' = mu/x"]),
      |                                     ^^^^
      |
      = help: give another `start`
    error: `a` is defined in terms of itself: a -> b -> a
     --> study.ron:2:94
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, define: {"a": "b + 1", "b": "2*a"},
      |                                                                                              ^
    error: `b` is defined in terms of itself: b -> a -> b
     --> study.ron:2:78
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, define: {"a": "b + 1", "b": "2*a"},
      |                                                                              ^
    error: unknown name `w`
     --> study.ron:2:90
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, define: {"f(u, v)": "u*v + w"},
      |                                                                                          ^
      |
      = help: known here: u, v, x, y, mu, f
    error: `f` takes 1 argument, 2 given
     --> study.ron:3:37
      |
    3 |         equations: ["x' = y", "y' = f(x, 2)"]),
      |                                     ^^^^^^^
    error: `sin` cannot be declared: it is a function of the language
     --> study.ron:2:73
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, define: {"sin": "3", "y": "2", "2a": "1", "unused": "mu"},
      |                                                                         ^^^
    error: `y` cannot be declared: the name is already taken
     --> study.ron:2:85
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, define: {"sin": "3", "y": "2", "2a": "1", "unused": "mu"},
      |                                                                                     ^
    error: found `2`, expected a name like `r2`, or a function like `phi(u)`
     --> study.ron:2:95
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, define: {"sin": "3", "y": "2", "2a": "1", "unused": "mu"},
      |                                                                                               ^
    error: unknown state `z`; known: `x`, `y`
     --> study.ron:2:72
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, angles: {"z": "2*pi", "y": "0"},
      |                                                                        ^^^
    error: a period must be positive, and this is 0
     --> study.ron:2:90
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, angles: {"z": "2*pi", "y": "0"},
      |                                                                                          ^^^
    error: `x` has no value here: only parameters may enter here
     --> study.ron:2:94
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, forcing: Forcing(period: "2*pi/x"),
      |                                                                                              ^
    error: `y` cannot be declared: the name is already taken
     --> study.ron:2:104
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, forcing: Forcing(period: "2*pi", phase: "y"),
      |                                                                                                        ^
    error: there is already a column called `x`
     --> study.ron:2:77
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, observables: {"x": "y", "r": "x^2 + z"},
      |                                                                             ^^^
    error: unknown name `z`
     --> study.ron:2:99
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, observables: {"x": "y", "r": "x^2 + z"},
      |                                                                                                   ^
      |
      = help: known here: x, y, mu
    error: unknown state `z`; known: `x`, `y`
     --> study.ron:2:89
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, slow_fast: SlowFast(fast: "z", epsilon: "nu"),
      |                                                                                         ^^^
    error: unknown parameter `nu`; known: `mu`
     --> study.ron:2:103
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, slow_fast: SlowFast(fast: "z", epsilon: "nu"),
      |                                                                                                       ^^^^
      |
      = help: did you mean `mu`?
    error: `x` has no value here: only parameters may enter here
     --> study.ron:2:79
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, require: ["mu > x", "mu"],
      |                                                                               ^
    error: a condition is needed here, and this is a number
     --> study.ron:2:84
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, require: ["mu > x", "mu"],
      |                                                                                    ^^
      |
      = help: compare it with something, for instance `> 0`
    "##);
}

#[test]
fn faults_of_symmetries() {
    let right = r#""x' = y", "y' = mu*x""#;
    let all = [
        planar(r#"symmetry: {"x": "-x"},"#, right),
        planar(r#"symmetry: {"x": "y"},"#, right),
        planar(r#"symmetry: {"x": "2*x"},"#, right),
        planar(r#"symmetry: {"x": "-x + mu"},"#, right),
        planar(r#"symmetry: {"x": "x + 1"},"#, right),
        planar(r#"symmetry: {"z": "-z"},"#, right),
        planar(r#"symmetry: {"x": "y", "y": "-x"},"#, right),
    ];
    insta::assert_snapshot!(all.join("\n"), @r##"
    error: the field does not have this symmetry: at x = -1.897, y = 0.765, the equation of `x` in mode `smooth` gives 0.7649424428093052, its mirror image -0.7649424428093052
     --> study.ron:2:73
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, symmetry: {"x": "-x"},
      |                                                                         ^^^^^^^^^^^
    error: this symmetry is not an involution: applied twice it changes `x`
     --> study.ron:2:79
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, symmetry: {"x": "y"},
      |                                                                               ^^^
    error: the image of `x` under a symmetry is a state, with a sign and a shift by a number
     --> study.ron:2:79
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, symmetry: {"x": "2*x"},
      |                                                                               ^^^^^
      |
      = help: for instance `-x`, or `x + pi`
    error: the image of `x` under a symmetry is a state, with a sign and a shift by a number
     --> study.ron:2:79
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, symmetry: {"x": "-x + mu"},
      |                                                                               ^^^^^^^^^
      |
      = help: for instance `-x`, or `x + pi`
    error: this symmetry is not an involution: applied twice it changes `x`
     --> study.ron:2:79
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, symmetry: {"x": "x + 1"},
      |                                                                               ^^^^^^^
    error: unknown state `z`; known: `x`, `y`
     --> study.ron:2:74
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, symmetry: {"z": "-z"},
      |                                                                          ^^^
    error: this symmetry is not an involution: applied twice it changes `x`
     --> study.ron:2:79
      |
    2 |     system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, symmetry: {"x": "y", "y": "-x"},
      |                                                                               ^^^
    "##);
}

/// A bouncing ball with a part replaced or added.
fn ball(mode: &str, event: &str, extra: &str) -> String {
    shown(&format!(
        r#"Hybrid(
        states: ["x", "v", "s"], parameters: {{"g": 9.81, "e": 0.8}},
        modes: {{
            "flight": Mode(states: ["x", "v"], equations: ["x' = v", "v' = -g"], {mode}
                events: {{"bounce": Event(guard: "x", direction: Down, {event})}}),
            "rest": Mode(equations: ["x' = 0", "v' = 0", "s' = e"], admissible: ["x > -1"]),
        }}, {extra}
    )"#
    ))
}

#[test]
fn faults_of_hybrid_systems() {
    let right = r#"to: "flight", reset: {"v": "-e*v"}"#;
    let all = [
        ball("", r#"to: "flihgt""#, ""),
        ball("", r#"to: "rest""#, ""),
        ball("", r#"to: "flight", reset: {"s": "0", "w": "1", "v": "-e*w"}"#, ""),
        ball(
            "",
            r#"when: ["v", "s > 0", "v == 0"], to: "flight", reset: {"v": "-e*v"}"#,
            "",
        ),
        ball(r#"absent: {"x": "0", "s": "w"},"#, right, ""),
        ball(r#"absent: {"s": "s + 1"},"#, right, ""),
        ball("", right, r#"observables: {"sum": "x + s"}"#),
        ball(
            "",
            right,
            r#"monitors: {"a": Duration(modes: ["fly"]), "b": AtEntry(modes: [], of: "w"), "x": Duration(modes: ["rest"])}"#,
        ),
        ball("", right, r#"start: Start(mode: "flight", at: {"s": 1})"#),
        ball("", right, r#"slow_fast: SlowFast(fast: "s", epsilon: "g")"#),
        ball(
            "",
            right,
            r#"slow_fast: SlowFast(mode: "flight", fast: "s", epsilon: "g")"#,
        ),
        ball("", right, r#"symmetry: Symmetry(modes: {"flight": "rest"})"#),
        shown(r#"Hybrid(states: [], modes: {})"#),
        shown(r#"Hybrid(states: ["x"], modes: {})"#),
        shown(
            r#"Hybrid(
        states: ["x", "y"],
        modes: {
            "left": Mode(equations: ["x' = -1", "y' = 1"], events: {"cross": Event(guard: "y", direction: Up, to: "right")}),
            "right": Mode(equations: ["x' = 1", "y' = 1"], events: {"cross": Event(guard: "y", direction: Down, to: "left")}),
            "left": Mode(equations: []),
        })"#,
        ),
        shown(
            r#"Hybrid(
        states: ["x", "y"],
        modes: {
            "left": Mode(equations: ["x' = -1", "y' = 1"], events: {"cross": Event(guard: "y", direction: Up, to: "right")}),
            "right": Mode(equations: ["x' = 1", "y' = 1"], events: {"cross": Event(guard: "y", direction: Down, to: "left")}),
        },
        symmetry: Symmetry(states: {"x": "-x"}, modes: {"left": "right"}))"#,
        ),
    ];
    insta::assert_snapshot!(all.join("\n"), @r##"
    error: unknown mode `flihgt`; known: `flight`, `rest`
     --> study.ron:6:75
      |
    6 |                 events: {"bounce": Event(guard: "x", direction: Down, to: "flihgt")}),
      |                                                                           ^^^^^^^^
      |
      = help: did you mean `flight`?
    error: `s` moves in mode `rest` but has no value after this event
     --> study.ron:6:36
      |
    6 |                 events: {"bounce": Event(guard: "x", direction: Down, to: "rest")}),
      |                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: add `s` to the event's `reset`, or to `absent` of mode `flight`
    error: `s` does not move in mode `flight`
     --> study.ron:6:93
      |
    6 |                 events: {"bounce": Event(guard: "x", direction: Down, to: "flight", reset: {"s": "0", "w": "1", "v": "-e*w"})}),
      |                                                                                             ^^^
      |
      = help: add it to the `states` of mode `flight`, or leave this out
    error: unknown state `w`; known: `x`, `v`, `s`
     --> study.ron:6:103
      |
    6 |                 events: {"bounce": Event(guard: "x", direction: Down, to: "flight", reset: {"s": "0", "w": "1", "v": "-e*w"})}),
      |                                                                                                       ^^^
    error: unknown name `w`
     --> study.ron:6:122
      |
    6 |                 events: {"bounce": Event(guard: "x", direction: Down, to: "flight", reset: {"s": "0", "w": "1", "v": "-e*w"})}),
      |                                                                                                                          ^
      |
      = help: known here: x, v, g, e
    error: a condition is needed here, and this is a number
     --> study.ron:6:79
      |
    6 | ...   events: {"bounce": Event(guard: "x", direction: Down, when: ["v", "s > 0", "v == 0"], to: "flight", reset: {"v": "-e*v"})}),
      |                                                                     ^
      |
      = help: compare it with something, for instance `> 0`
    error: `s` has no value here: it is not a state of mode `flight`, and `absent` defines no value for it
     --> study.ron:6:84
      |
    6 | ...   events: {"bounce": Event(guard: "x", direction: Down, when: ["v", "s > 0", "v == 0"], to: "flight", reset: {"v": "-e*v"})}),
      |                                                                          ^
    error: this condition is no inequality
     --> study.ron:6:93
      |
    6 | ...   events: {"bounce": Event(guard: "x", direction: Down, when: ["v", "s > 0", "v == 0"], to: "flight", reset: {"v": "-e*v"})}),
      |                                                                                   ^^^^^^
      |
      = help: write it with `<` or `>`
    error: `x` moves in mode `flight`, so it cannot be given a value there
     --> study.ron:5:91
      |
    5 |             "flight": Mode(states: ["x", "v"], equations: ["x' = v", "v' = -g"], absent: {"x": "0", "s": "w"},
      |                                                                                           ^^^
    error: `s` is defined in terms of itself: s -> s
     --> study.ron:5:97
      |
    5 |             "flight": Mode(states: ["x", "v"], equations: ["x' = v", "v' = -g"], absent: {"s": "s + 1"},
      |                                                                                                 ^
    error: `s` has no value here: it is not a state of mode `flight`, and `absent` defines no value for it
     --> study.ron:8:38
      |
    8 |         }, observables: {"sum": "x + s"}
      |                                      ^
    error: unknown mode `fly`; known: `flight`, `rest`
     --> study.ron:8:45
      |
    8 |         }, monitors: {"a": Duration(modes: ["fly"]), "b": AtEntry(modes: [], of: "w"), "x": Duration(modes: ["rest"])}
      |                                             ^^^^^
    error: the monitor names no mode
     --> study.ron:8:74
      |
    8 |         }, monitors: {"a": Duration(modes: ["fly"]), "b": AtEntry(modes: [], of: "w"), "x": Duration(modes: ["rest"])}
      |                                                                          ^^
    error: there is already a column called `x`
     --> study.ron:8:88
      |
    8 |         }, monitors: {"a": Duration(modes: ["fly"]), "b": AtEntry(modes: [], of: "w"), "x": Duration(modes: ["rest"])}
      |                                                                                        ^^^
    error: `s` does not move in mode `flight`
     --> study.ron:8:46
      |
    8 |         }, start: Start(mode: "flight", at: {"s": 1})
      |                                              ^^^
      |
      = help: add it to the `states` of mode `flight`, or leave this out
    error: the system has several modes: name the slow–fast one with `mode`
     --> study.ron:8:23
      |
    8 |         }, slow_fast: SlowFast(fast: "s", epsilon: "g")
      |                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: add `mode: "..."`
    error: `s` does not move in mode `flight`
     --> study.ron:8:54
      |
    8 |         }, slow_fast: SlowFast(mode: "flight", fast: "s", epsilon: "g")
      |                                                      ^^^
      |
      = help: add it to the `states` of mode `flight`, or leave this out
    error: the symmetry maps mode `flight` to `rest`, which has other states
     --> study.ron:8:22
      |
    8 |         }, symmetry: Symmetry(modes: {"flight": "rest"})
      |                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    error: a system needs at least one state
     --> study.ron:2:28
      |
    2 |     system: Hybrid(states: [], modes: {}),
      |                            ^^
    error: a system needs at least one mode
     --> study.ron:2:42
      |
    2 |     system: Hybrid(states: ["x"], modes: {}),
      |                                          ^^
    error: there is already a mode called `left`
     --> study.ron:7:13
      |
    7 |             "left": Mode(equations: []),
      |             ^^^^^^
    error: the events do not have this symmetry: `cross` of mode `left` has no mirror image in mode `right`
     --> study.ron:5:78
      |
    5 |             "left": Mode(equations: ["x' = -1", "y' = 1"], events: {"cross": Event(guard: "y", direction: Up, to: "right")}),
      |                                                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: its mirror image has the mirrored guard and conditions and leads to the mirrored mode
    "##);
}

#[test]
fn faults_of_maps_and_built_in_systems() {
    let all = [
        shown(r#"Map(states: ["x"], equations: ["x' = 1 - x"])"#),
        shown(r#"Map(states: ["x"], equations: ["x+ = t"])"#),
        shown(
            r#"Map(states: ["x", "x", "if", "slip+"], parameters: {"π": 1, "a": "1/0", "b": "x", "a": 2}, equations: [])"#,
        ),
        shown(r#"Stiktion(mu_s: 1.1)"#),
        shown(r#"Pendulum()"#),
        shown(r#"Stiction(mu_q: 1.1, mu_d: "1/", mu_s: inf)"#),
    ];
    insta::assert_snapshot!(all.join("\n"), @r##"
    error: an equation begins with the next value of a state, as in `x+ = ...`
     --> study.ron:2:45
      |
    2 |     system: Map(states: ["x"], equations: ["x' = 1 - x"]),
      |                                             ^^
    error: `t` has no value here: a map has no time; count steps with a state of your own, `n+ = n + 1`
     --> study.ron:2:50
      |
    2 |     system: Map(states: ["x"], equations: ["x+ = t"]),
      |                                                  ^
    error: `x` cannot be declared: the name is already taken
     --> study.ron:2:32
      |
    2 |     system: Map(states: ["x", "x", "if", "slip+"], parameters: {"π": 1, "a": "1/0", "b": "x", "a": 2}, equations: []),
      |                                ^
    error: `if` cannot be declared: it is a function of the language
     --> study.ron:2:37
      |
    2 |     system: Map(states: ["x", "x", "if", "slip+"], parameters: {"π": 1, "a": "1/0", "b": "x", "a": 2}, equations: []),
      |                                     ^^
    error: `slip+` cannot be declared: a name is a letter, then letters, digits and underscores
     --> study.ron:2:43
      |
    2 |     system: Map(states: ["x", "x", "if", "slip+"], parameters: {"π": 1, "a": "1/0", "b": "x", "a": 2}, equations: []),
      |                                           ^^^^^
    error: `pi` cannot be declared: it is a constant of the language
     --> study.ron:2:66
      |
    2 |     system: Map(states: ["x", "x", "if", "slip+"], parameters: {"π": 1, "a": "1/0", "b": "x", "a": 2}, equations: []),
      |                                                                  ^
    error: `a` cannot be declared: the name is already taken
     --> study.ron:2:96
      |
    2 |     system: Map(states: ["x", "x", "if", "slip+"], parameters: {"π": 1, "a": "1/0", "b": "x", "a": 2}, equations: []),
      |                                                                                                ^
    error: unknown system `Stiktion`; known: <the catalogue>, `Smooth`, `Map`, `Hybrid`, `BowedStructure`, `Filippov`, `Regularised`, `Mechanical`, `Tangencies`
     --> study.ron:2:13
      |
    2 |     system: Stiktion(mu_s: 1.1),
      |             ^^^^^^^^
      |
      = help: did you mean `Stiction`?
    error: unknown system `Pendulum`; known: <the catalogue>, `Smooth`, `Map`, `Hybrid`, `BowedStructure`, `Filippov`, `Regularised`, `Mechanical`, `Tangencies`
     --> study.ron:2:13
      |
    2 |     system: Pendulum(),
      |             ^^^^^^^^
    error: unknown parameter `mu_q`; known: `Omega`, `mu_s`, `mu_d`
     --> study.ron:2:22
      |
    2 |     system: Stiction(mu_q: 1.1, mu_d: "1/", mu_s: inf),
      |                      ^^^^
      |
      = help: did you mean `mu_s`?
    error: found the end, expected a number, a name or `(`
     --> study.ron:2:42
      |
    2 |     system: Stiction(mu_q: 1.1, mu_d: "1/", mu_s: inf),
      |                                          ^
    error: `mu_s` = inf is not a finite number
     --> study.ron:2:51
      |
    2 |     system: Stiction(mu_q: 1.1, mu_d: "1/", mu_s: inf),
      |                                                   ^^^
      |
      = help: write a finite number
    "##);
}

#[test]
fn a_description_is_kept_as_it_was_written() {
    let spec = read(r#"Smooth(states: ["x"], parameters: {"b": 1, "a": "8/3"}, equations: ["x' = a - b*x"])"#);
    let json = serde_json::to_string(&spec).unwrap();
    assert!(json.starts_with("{\"Smooth\":{"));
    assert!(json.contains(r#""parameters":{"b":1.0,"a":"8/3"}"#) && !json.contains("forcing"));
    let json = serde_json::to_string(&read("Stiction(mu_s: 1.2)")).unwrap();
    assert_eq!(json, r#"{"Stiction":{"mu_s":1.2}}"#);
}

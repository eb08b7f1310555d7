//! The page's plots, as SVG within the page.

use std::iter;

use maud::{Markup, html};

/// A figure of a plot.
pub struct Point {
    pub x: f64,
    pub y: f64,
    /// Shown when the mouse is over it.
    pub title: String,
}

/// Points of one compiler.
pub struct Series {
    pub name: String,
    /// Its colour: a class of the page's style.
    pub class: String,
    pub points: Vec<Point>,
}

/// How an axis maps figures to coordinates.
#[derive(Clone, Copy)]
struct Axis {
    from: f64,
    to: f64,
    start: f64,
    end: f64,
    logarithmic: bool,
}

impl Axis {
    /// An axis for all of these figures, with a little room; none if there is nothing to show.
    fn of(values: impl Iterator<Item = f64>, start: f64, end: f64, logarithmic: bool) -> Option<Axis> {
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite() && (!logarithmic || *value > 0.0)) {
            from = from.min(value);
            to = to.max(value);
        }
        if from > to {
            return None;
        }
        let (from, to) = if logarithmic {
            (from / 1.05, to * 1.05)
        } else {
            let room = ((to - from) * 0.04).max(0.5);
            (from - room, to + room)
        };
        Some(Axis { from, to, start, end, logarithmic })
    }

    /// Where a figure is; figures beyond the ends are at the ends.
    fn at(&self, value: f64) -> f64 {
        let value = value.clamp(self.from, self.to);
        let part = if self.logarithmic {
            (value / self.from).ln() / (self.to / self.from).ln()
        } else {
            (value - self.from) / (self.to - self.from)
        };
        self.start + part * (self.end - self.start)
    }

    /// Whether the numbers of these ticks don't run into each other.
    fn has_room(&self, ticks: &[f64]) -> bool {
        ticks.windows(2).all(|pair| (self.at(pair[1]) - self.at(pair[0])).abs() > 34.0)
    }

    /// The figures that get a line and a number, with 1 among them on an axis of ratios: equal steps on a short axis,
    /// round figures on a long one.
    fn ticks(&self) -> Vec<f64> {
        for part in [100.0, 50.0, 20.0, 10.0, 5.0, 2.0] {
            let (first, last) = ((self.from * part).ceil(), (self.to * part).floor());
            if self.to > 4.0 * self.from || !(1.0..30.0).contains(&(last - first)) {
                continue;
            }
            let counts = iter::successors(Some(first), |count| Some(count + 1.0));
            let ticks: Vec<f64> =
                counts.take_while(|count| *count <= last).map(|count| count / part).collect();
            if self.has_room(&ticks) {
                return ticks;
            }
        }
        let mut round: Vec<f64> = Vec::new();
        for power in -4..8 {
            round.extend([1.0, 2.0, 3.0, 5.0, 7.0].map(|digit| digit * 10_f64.powi(power)));
        }
        // From 1 outwards.
        round.sort_by(|a, b| a.ln().abs().total_cmp(&b.ln().abs()));
        let mut ticks: Vec<f64> = Vec::new();
        for tick in round {
            let inside = (self.from..=self.to).contains(&tick);
            if inside && ticks.iter().all(|other| self.has_room(&[tick, *other])) {
                ticks.push(tick);
            }
        }
        ticks
    }
}

fn coordinate(value: f64) -> String {
    format!("{value:.1}")
}

fn number(value: f64) -> String {
    if value >= 1e6 {
        format!("{}M", value / 1e6)
    } else if value >= 1e4 {
        format!("{}k", value / 1e3)
    } else {
        // No more digits than a tick has.
        format!("{}", (value * 1e4).round() / 1e4)
    }
}

/// A row of [`bars`]: a program, its group, and each compiler's ratio.
pub struct Row {
    pub name: String,
    pub group: String,
    pub ratios: Vec<Option<f64>>,
}

/// Bars from 1 to each ratio, on a logarithmic axis, so that half and double are equally long.
pub fn bars(rows: &[Row], classes: &[String], label: &str) -> Markup {
    const WIDTH: f64 = 920.0;
    const LEFT: f64 = 260.0;
    const TOP: f64 = 24.0;
    const BAR: f64 = 10.0;
    let row_height = BAR * classes.len() as f64 + 7.0;
    let height = TOP + row_height * rows.len() as f64 + 4.0;
    let all = rows.iter().flat_map(|row| row.ratios.iter().flatten().copied());
    // One program that is ten times better must not press all others together.
    let all = all.map(|ratio| ratio.clamp(0.1, 16.0)).chain([0.8, 1.25]);
    let Some(axis) = Axis::of(all, LEFT, WIDTH - 60.0, true) else { return html! {} };
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {height:.0}")) role="img" aria-label=(label) {
            @for tick in axis.ticks() {
                line class=(if tick == 1.0 { "one" } else { "grid" }) x1=(coordinate(axis.at(tick))) x2=(coordinate(axis.at(tick)))
                    y1=(TOP) y2=(coordinate(height)) {}
                text class="tick" text-anchor="middle" x=(coordinate(axis.at(tick))) y="14" { (number(tick)) }
            }
            @for (index, row) in rows.iter().enumerate() {
                @let top = TOP + row_height * index as f64;
                @let new_group = index == 0 || rows[index - 1].group != row.group;
                @if new_group {
                    line class="grid" x1="0" x2=(WIDTH) y1=(coordinate(top)) y2=(coordinate(top)) {}
                    text class="group" x="2" y=(coordinate(top + 12.0)) { (row.group) }
                }
                text text-anchor="end" x=(LEFT - 8.0) y=(coordinate(top + row_height / 2.0 + 4.0)) { (row.name) }
                @for (bar, (ratio, class)) in row.ratios.iter().zip(classes).enumerate() {
                    @if let Some(ratio) = ratio {
                        @let (one, end) = (axis.at(1.0), axis.at(*ratio));
                        @let y = top + 4.0 + BAR * bar as f64;
                        rect class=(class) x=(coordinate(one.min(end))) width=(coordinate((end - one).abs().max(1.0)))
                            y=(coordinate(y)) height=(BAR - 1.0) {
                            title { (row.name) ": " (format!("{ratio:.3}")) }
                        }
                        text class="value" text-anchor=(if *ratio < 1.0 { "end" } else { "start" })
                            x=(coordinate(if *ratio < 1.0 { end - 3.0 } else { end + 3.0 })) y=(coordinate(y + BAR - 1.0)) {
                            (format!("{ratio:.2}"))
                        }
                    }
                }
            }
        }
    }
}

/// What the axes of [`points`] are.
pub struct Axes<'a> {
    pub x: &'a str,
    pub y: &'a str,
    pub logarithmic_x: bool,
    /// Lines between the points of a series.
    pub lines: bool,
    /// What the steps of an axis that is not logarithmic are called.
    pub steps: &'a [String],
}

/// Points of several series; the vertical axis is logarithmic.
pub fn points(series: &[Series], axes: &Axes<'_>) -> Markup {
    const WIDTH: f64 = 920.0;
    const HEIGHT: f64 = 380.0;
    const LEFT: f64 = 60.0;
    const BOTTOM: f64 = HEIGHT - 44.0;
    let all = || series.iter().flat_map(|series| &series.points);
    // Steps have their coordinates, whether there is a figure for them or not.
    let steps = (0..axes.steps.len()).map(|step| step as f64);
    let horizontal =
        Axis::of(all().map(|point| point.x).chain(steps), LEFT, WIDTH - 20.0, axes.logarithmic_x);
    let vertical = Axis::of(all().map(|point| point.y), BOTTOM, 10.0, true);
    let (Some(horizontal), Some(vertical)) = (horizontal, vertical) else {
        return html! { p { "Nothing to show yet." } };
    };
    let x_ticks: Vec<(f64, String)> = if axes.logarithmic_x {
        horizontal.ticks().into_iter().map(|tick| (tick, number(tick))).collect()
    } else {
        let every = axes.steps.len().div_ceil(9).max(1);
        let steps = axes.steps.iter().enumerate().step_by(every);
        steps.map(|(index, name)| (index as f64, name.clone())).collect()
    };
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(format!("{} against {}", axes.y, axes.x)) {
            @for tick in vertical.ticks() {
                @let y = coordinate(vertical.at(tick));
                line class=(if tick == 1.0 { "one" } else { "grid" }) x1=(LEFT) x2=(WIDTH - 20.0) y1=(y) y2=(y) {}
                text class="tick" text-anchor="end" x=(LEFT - 6.0) y=(coordinate(vertical.at(tick) + 4.0)) { (number(tick)) }
            }
            @for (tick, name) in x_ticks {
                @let x = coordinate(horizontal.at(tick));
                line class=(if axes.logarithmic_x && tick == 1.0 { "one" } else { "grid" }) x1=(x) x2=(x) y1="10" y2=(BOTTOM) {}
                text class="tick" text-anchor="middle" x=(x) y=(BOTTOM + 16.0) { (name) }
            }
            text class="axis" text-anchor="middle" x=(WIDTH / 2.0) y=(HEIGHT - 6.0) { (axes.x) }
            text class="axis" text-anchor="middle" transform=(format!("translate(14 {}) rotate(-90)", BOTTOM / 2.0)) { (axes.y) }
            @for series in series {
                @let shown: Vec<&Point> = series.points.iter().filter(|point| point.y > 0.0 && point.y.is_finite()).collect();
                @if axes.lines && shown.len() > 1 {
                    @let path: Vec<String> = shown.iter()
                        .map(|point| format!("{:.1},{:.1}", horizontal.at(point.x), vertical.at(point.y))).collect();
                    polyline class=(format!("line {}", series.class)) points=(path.join(" ")) {}
                }
                @for point in shown {
                    circle class=(series.class) r="4" cx=(coordinate(horizontal.at(point.x))) cy=(coordinate(vertical.at(point.y))) {
                        title { (series.name) ": " (point.title) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_and_double_are_equally_far_from_one() {
        let axis = Axis::of([0.25, 4.0].into_iter(), 0.0, 100.0, true).expect("there are values");
        let far = |value: f64| axis.at(value) - axis.at(1.0);
        assert!((far(2.0) + far(0.5)).abs() < 1e-9);
        assert!(axis.at(1e9) <= 100.0 && axis.at(1e-9) >= 0.0);
        assert!(axis.ticks().contains(&1.0));
    }

    #[test]
    fn a_narrow_axis_has_several_ticks() {
        let axis = Axis::of([0.93, 0.99].into_iter(), 336.0, 10.0, true).expect("there are values");
        let ticks = axis.ticks();
        assert!(ticks.contains(&1.0) && ticks.len() >= 4, "{ticks:?}");
        let steps: Vec<f64> = ticks.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps.iter().all(|step| (step - steps[0]).abs() < 1e-9), "{ticks:?}");
        assert_eq!(number(29.0 / 100.0 + 0.01), "0.3");
    }

    #[test]
    fn nothing_has_no_axis() {
        assert!(Axis::of([].into_iter(), 0.0, 1.0, true).is_none());
        assert!(Axis::of([f64::NAN, 0.0].into_iter(), 0.0, 1.0, true).is_none());
        assert!(Axis::of([3.0].into_iter(), 0.0, 1.0, false).is_some_and(|axis| axis.at(3.0).is_finite()));
    }
}

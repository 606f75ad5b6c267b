//! Results as a picture: for each program the ratio with its interval, and which part of its time it waits.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::results::{Cell, Results, TOLERANCE, Verdict};
use super::table::ranks_text;
use crate::figure::Fabric;

/// Width of the picture, and of what names the programs.
const WIDTH: u32 = 1100;
const NAMES: u32 = 190;
/// Height of a program's line, and of what is above and below the lines of a panel.
const LINE: u32 = 18;
const AROUND: u32 = 92;
const LEGEND: u32 = 40;
/// Ratios that an axis may be labelled at beside 1, the best ones first; and how much of its length is between two of them.
const TICKS: [f64; 15] = [0.5, 2.0, 0.8, 1.2, 0.9, 1.1, 0.2, 5.0, 0.1, 10.0, 0.7, 1.5, 0.6, 0.3, 3.0];
const CLOSEST_TICKS: f64 = 0.08;

const FASTER: RGBColor = RGBColor(40, 130, 70);
const SLOWER: RGBColor = RGBColor(180, 30, 30);
const NEITHER: RGBColor = RGBColor(50, 80, 150);
const PALE: RGBColor = RGBColor(150, 150, 150);
const BEFORE: RGBColor = RGBColor(190, 190, 190);
const AFTER: RGBColor = RGBColor(50, 80, 150);

/// Draws two panels, ratios and waits, per fabric and number of ranks. The error is a text for the user.
///
/// # Errors
///
/// What the library of plots says.
pub fn svg(results: &Results) -> Result<String, String> {
    let mut text = String::new();
    draw(results, &mut text).map_err(|cause| format!("the plot cannot be drawn: {cause}"))?;
    Ok(text)
}

fn draw(results: &Results, text: &mut String) -> Result<(), Box<dyn Error>> {
    let groups: Vec<((Fabric, usize), Vec<&Cell>)> =
        results.groups().into_iter().map(|group| (group, results.of(group).collect())).collect();
    let height = |cells: &[&Cell]| AROUND + LINE * cells.len() as u32;
    let total = groups.iter().map(|(_, cells)| height(cells)).sum::<u32>() + LEGEND;
    let root = SVGBackend::with_string(text, (WIDTH, total)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut rest = root.clone();
    for (group, cells) in &groups {
        let (area, below) = rest.split_vertically(height(cells));
        draw_group(&area, *group, cells)?;
        rest = below;
    }
    draw_legend(&rest)?;
    root.present()?;
    Ok(())
}

fn draw_group(
    area: &DrawingArea<SVGBackend, Shift>,
    (fabric, ranks): (Fabric, usize),
    cells: &[&Cell],
) -> Result<(), Box<dyn Error>> {
    let judged = if cells.iter().all(|cell| cell.is_judged) { "" } else { " (more ranks than cores)" };
    let (ratios, waits) = area.split_horizontally((WIDTH - NAMES) * 3 / 5 + NAMES);
    draw_ratios(&ratios, &format!("{fabric}, {}{judged}", ranks_text(ranks)), cells)?;
    draw_waits(&waits, cells)
}

/// Where an axis of ratios is labelled: at 1, and at others of these that are not too close to it and to each other.
fn ticks(least: f64, most: f64) -> Vec<f64> {
    let distance = |one: f64, other: f64| (one / other).ln().abs() / (most / least).ln();
    let mut chosen = vec![1.0];
    for &tick in TICKS.iter().filter(|&&tick| (least..=most).contains(&tick)) {
        if chosen.iter().all(|&other| distance(tick, other) >= CLOSEST_TICKS) {
            chosen.push(tick);
        }
    }
    chosen.sort_by(f64::total_cmp);
    chosen
}

/// The place of a program on the axis that points upwards.
fn place(number: usize, cells: &[&Cell]) -> f64 {
    (cells.len() - number) as f64 - 0.5
}

fn draw_ratios(area: &DrawingArea<SVGBackend, Shift>, caption: &str, cells: &[&Cell]) -> Result<(), Box<dyn Error>> {
    let ends = |cell: &&Cell| {
        let ratio = cell.ratio();
        let (low, high) = ratio.interval.unwrap_or(ratio.range);
        [low, high]
    };
    // A minimum and a maximum pass over what is not a number. Twice as fast is as far from 1 as half as fast.
    let least = cells.iter().flat_map(ends).fold(0.9, f64::min) * 0.97;
    let most = cells.iter().flat_map(ends).fold(1.1, f64::max) * 1.03;
    let mut chart = ChartBuilder::on(area)
        .caption(caption, ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(36)
        .y_label_area_size(NAMES)
        .build_cartesian_2d((least..most).log_scale().with_key_points(ticks(least, most)), 0.0..cells.len() as f64)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .y_labels(0)
        .x_labels(TICKS.len())
        .x_desc("time transformed / time original")
        .x_label_formatter(&|ratio| format!("{ratio:.2}"))
        .light_line_style(TRANSPARENT)
        .draw()?;
    let top = cells.len() as f64;
    chart.draw_series([PathElement::new([(1.0, 0.0), (1.0, top)], BLACK.mix(0.7))])?;
    chart.draw_series([PathElement::new([(TOLERANCE, 0.0), (TOLERANCE, top)], SLOWER.mix(0.4))])?;
    let name_style = TextStyle::from(("sans-serif", 13).into_font()).pos(Pos::new(HPos::Right, VPos::Center));
    let (left, _) = chart.plotting_area().get_pixel_range();
    for (number, cell) in cells.iter().enumerate() {
        let y = place(number, cells);
        let (_, pixel) = chart.plotting_area().map_coordinate(&(least, y));
        let (base, _) = area.get_base_pixel();
        let (_, above) = area.get_base_pixel();
        let name = format!("{}, {}", cell.kernel, cell.mpi);
        area.draw(&Text::new(name, (left.start - base - 6, pixel - above), name_style.clone()))?;
        let ratio = cell.ratio();
        if ratio.median.is_nan() {
            let note = cell.verdict().to_string();
            let style = ("sans-serif", 12).into_font().color(&PALE).pos(Pos::new(HPos::Left, VPos::Center));
            chart.draw_series([Text::new(note, ((most / least).powf(0.02), y), style)])?;
            continue;
        }
        let (low, high) = ratio.interval.unwrap_or(ratio.range);
        let colour = match cell.verdict() {
            Verdict::Faster => FASTER,
            Verdict::Slower | Verdict::Failed => SLOWER,
            Verdict::NotSlower => NEITHER,
            Verdict::TooFewPairs | Verdict::NotJudged | Verdict::Unchanged => PALE,
        };
        chart.draw_series([PathElement::new([(low, y), (high, y)], colour.stroke_width(2))])?;
        chart.draw_series([Circle::new((ratio.median, y), 4, colour.filled())])?;
    }
    Ok(())
}

fn draw_waits(area: &DrawingArea<SVGBackend, Shift>, cells: &[&Cell]) -> Result<(), Box<dyn Error>> {
    let mut chart = ChartBuilder::on(area)
        .caption("waits", ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(36)
        .build_cartesian_2d(0.0..105.0, 0.0..cells.len() as f64)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .x_label_formatter(&|share| format!("{share:.0}"))
        .x_desc("% of the whole run in calls that may block")
        .light_line_style(TRANSPARENT)
        .draw()?;
    for (number, cell) in cells.iter().enumerate() {
        let y = place(number, cells);
        for (waits, colour, (low, high)) in [(cell.waits[0], BEFORE, (0.0, 0.42)), (cell.waits[1], AFTER, (-0.42, 0.0))]
        {
            let Some(waits) = waits else { continue };
            let share = (waits.share() * 100.0).min(100.0);
            chart.draw_series([Rectangle::new([(0.0, y + low), (share, y + high)], colour.filled())])?;
        }
    }
    Ok(())
}

fn draw_legend(area: &DrawingArea<SVGBackend, Shift>) -> Result<(), Box<dyn Error>> {
    let style = TextStyle::from(("sans-serif", 13).into_font()).pos(Pos::new(HPos::Left, VPos::Center));
    let entries = [
        ("faster", FASTER, 60),
        ("not slower", NEITHER, 140),
        ("slower", SLOWER, 245),
        ("too few pairs, or not judged", PALE, 325),
        ("waits of the original", BEFORE, 670),
        ("waits of the transformed program", AFTER, 840),
    ];
    for (name, colour, x) in entries {
        area.draw(&Rectangle::new([(x, 8), (x + 12, 20)], colour.filled()))?;
        area.draw(&Text::new(name, (x + 18, 14), style.clone()))?;
    }
    let note = format!("dots: median of the ratios of pairs; lines: its 95 % interval; red line: {TOLERANCE}");
    area.draw(&Text::new(note, (60, 32), style))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::results;
    use super::*;

    #[test]
    fn every_program_has_its_name_and_a_line() {
        let results = results();
        let svg = svg(&results).expect("it can be drawn");
        for cell in &results.cells {
            assert!(svg.contains(&format!("{}, {}", cell.kernel, cell.mpi)), "{}", cell.kernel);
        }
        for text in ["1 Gbit/s link, 2 ranks", "1 Gbit/s link, 4 ranks (more ranks than cores)", "unchanged"] {
            assert!(svg.contains(text), "{text}");
        }
        let measured = results.cells.iter().filter(|cell| !cell.pairs.is_empty()).count();
        assert_eq!(svg.matches("<circle").count(), measured);
    }

    #[test]
    fn nothing_is_an_empty_picture() {
        let results = Results { cells: Vec::new(), ..results() };
        assert!(super::svg(&results).expect("it can be drawn").contains("</svg>"));
    }
}

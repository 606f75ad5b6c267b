//! Results as the paper's Figure 4: clusters of bars by length, groups of bars in them, time over computation alone.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::results::{Cell, Fabric, Results, length};
use super::variant::{Pattern, Variant};

/// Width of a panel, its height, and the height of the legend.
const PANEL: (u32, u32) = (1100, 380);
const LEGEND_LINE: u32 = 18;

/// From dark to light by group, as in the paper: plain, strip-mined, one handshake.
const COLOURS: [RGBColor; 11] = [
    RGBColor(20, 40, 90),
    RGBColor(50, 80, 150),
    RGBColor(120, 20, 20),
    RGBColor(165, 50, 30),
    RGBColor(200, 90, 60),
    RGBColor(100, 140, 200),
    RGBColor(140, 175, 225),
    RGBColor(225, 130, 80),
    RGBColor(240, 165, 120),
    RGBColor(60, 150, 80),
    RGBColor(130, 200, 130),
];

/// The variants that have bars.
fn bars() -> impl Iterator<Item = (Variant, RGBColor)> {
    Variant::ALL.into_iter().filter(|variant| variant.group() > 0).zip(COLOURS)
}

/// Draws a panel per pattern and fabric. The error is a text for the user.
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
    let mut panels: Vec<(Pattern, Fabric)> = Vec::new();
    for cell in &results.cells {
        if !panels.contains(&(cell.pattern, cell.fabric)) {
            panels.push((cell.pattern, cell.fabric));
        }
    }
    let legend = LEGEND_LINE * (COLOURS.len() as u32 + 2);
    let height = PANEL.1 * panels.len().max(1) as u32 + legend;
    let root = SVGBackend::with_string(text, (PANEL.0, height)).into_drawing_area();
    root.fill(&WHITE)?;
    let (top, bottom) = root.split_vertically(height - legend);
    for (area, (pattern, fabric)) in top.split_evenly((panels.len().max(1), 1)).iter().zip(panels) {
        let cells: Vec<&Cell> =
            results.cells.iter().filter(|cell| cell.pattern == pattern && cell.fabric == fabric).collect();
        draw_panel(area, &cells)?;
    }
    draw_legend(&bottom)?;
    root.present()?;
    Ok(())
}

fn draw_panel(area: &DrawingArea<SVGBackend, Shift>, cells: &[&Cell]) -> Result<(), Box<dyn Error>> {
    let Some(first) = cells.first() else { return Ok(()) };
    let values = cells.iter().flat_map(|cell| bars().map(|(variant, _)| cell.normalised(variant).greatest));
    let most = values.fold(2.0, f64::max) * 1.08;
    let caption = format!("{}, {}, {} ranks", first.pattern, first.fabric, first.ranks);
    let width = COLOURS.len() as f64 + 3.5;
    let mut chart = ChartBuilder::on(area)
        .caption(caption, ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(28)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..width * cells.len() as f64, 0.0..most)?;
    chart.configure_mesh().disable_x_mesh().disable_x_axis().y_desc("time / computation alone").draw()?;
    for (number, cell) in cells.iter().enumerate() {
        let left = number as f64 * width + 0.5;
        for (place, (variant, colour)) in bars().enumerate() {
            // Groups stand apart.
            let x = left + place as f64 + (variant.group() - 1) as f64 * 0.5;
            let spread = cell.normalised(variant);
            chart.draw_series([Rectangle::new([(x, 0.0), (x + 0.9, spread.median)], colour.filled())])?;
            let range = [(x + 0.45, spread.least), (x + 0.45, spread.greatest)];
            chart.draw_series([PathElement::new(range, BLACK.mix(0.6))])?;
        }
        let end = left + COLOURS.len() as f64 + 1.4;
        // Nobody can be faster than computation and wire are.
        let bound = 1.0 / cell.against_bound(Variant::Computation).median;
        chart.draw_series([PathElement::new([(left, bound), (end, bound)], BLACK.stroke_width(1))])?;
        let style = ("sans-serif", 13).into_font();
        chart.draw_series([Text::new(length(cell.bytes), (left + 4.5, -most * 0.02), style)])?;
    }
    Ok(())
}

fn draw_legend(area: &DrawingArea<SVGBackend, Shift>) -> Result<(), Box<dyn Error>> {
    let style = ("sans-serif", 13).into_font();
    for (place, (variant, colour)) in bars().enumerate() {
        let y = (place as u32 * LEGEND_LINE) as i32;
        area.draw(&Rectangle::new([(70, y), (84, y + 12)], colour.filled()))?;
        area.draw(&Text::new(variant.to_string(), (92, y), style.clone()))?;
    }
    let y = (COLOURS.len() as u32 * LEGEND_LINE) as i32;
    let note = "black line: the longer one of computation and wire; thin lines: range of all rounds";
    area.draw(&Text::new(note, (70, y), style))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::cell;
    use super::*;

    #[test]
    fn every_bar_has_a_colour_and_a_name() {
        assert_eq!(bars().count(), COLOURS.len());
        assert_eq!(bars().count(), Variant::ALL.iter().filter(|variant| variant.group() > 0).count());
        let svg = svg(&Results { cells: vec![cell()], left_out: Vec::new() }).expect("it can be drawn");
        for name in ["1-D ring, 1 Gbit/s link, 2 ranks", "MPICH, strip-mined by hand", "512 KiB", "gravelc"] {
            assert!(svg.contains(name), "{name}");
        }
    }

    #[test]
    fn nothing_is_an_empty_picture() {
        assert!(svg(&Results::default()).expect("it can be drawn").contains("</svg>"));
    }
}

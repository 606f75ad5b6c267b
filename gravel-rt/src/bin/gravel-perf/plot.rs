//! Results as a picture: one panel per test that has several lengths.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::results::{Run, SUBJECTS, Subject, TESTS, Test};
use super::table::length;

const SIZE: (u32, u32) = (1200, 1100);
/// Lines of Gravel are of one hue, those of MPIs of another, from dark to light by MPI.
const GRAVEL: [RGBColor; 3] = [RGBColor(178, 34, 34), RGBColor(240, 128, 60), RGBColor(250, 190, 120)];
const MPI: [RGBColor; 3] = [RGBColor(25, 60, 140), RGBColor(90, 150, 220), RGBColor(160, 200, 240)];
const YARDSTICK: RGBColor = RGBColor(120, 120, 120);

/// A line: its name, its colour and its points.
struct Line {
    name: String,
    color: RGBColor,
    points: Vec<(f64, f64)>,
}

/// Draws the medians of all runs. The error is a text for the user.
pub fn svg(runs: &[Run]) -> Result<String, String> {
    let mut text = String::new();
    draw(runs, &mut text).map_err(|cause| format!("the plot cannot be drawn: {cause}"))?;
    Ok(text)
}

fn draw(runs: &[Run], text: &mut String) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let tests: Vec<Test> =
        TESTS.into_iter().filter(|&test| runs.iter().any(|run| run.lengths(test).len() > 1)).collect();
    let panels = root.split_evenly((tests.len().div_ceil(2).max(1), 2));
    for (panel, test) in panels.iter().zip(tests) {
        draw_panel(panel, test, runs)?;
    }
    root.present()?;
    Ok(())
}

fn draw_panel(panel: &DrawingArea<SVGBackend, Shift>, test: Test, runs: &[Run]) -> Result<(), Box<dyn Error>> {
    let lines = lines(test, runs);
    let points = || lines.iter().flat_map(|line| &line.points);
    let range = |place: fn(&(f64, f64)) -> f64| {
        points()
            .map(place)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)))
    };
    let ((first, last), (least, most)) = (range(|point| point.0), range(|point| point.1));
    let mut builder = ChartBuilder::on(panel);
    builder
        .caption(test.title(), ("sans-serif", 15))
        .margin(12)
        .margin_right(32)
        .x_label_area_size(36)
        .y_label_area_size(60);
    let lengths = (first..last).log_scale().base(2.0);
    // Shares have a natural scale; times and speeds spread over magnitudes. Exposed time can fall below zero, and is shown
    // at a microsecond then.
    if matches!(test, Test::SendOverlap | Test::ReceiveOverlap) {
        let mut chart = builder.build_cartesian_2d(lengths, 0.0..105.0)?;
        chart
            .configure_mesh()
            .x_label_formatter(&|bytes| length(*bytes as u64))
            .x_labels(8)
            .max_light_lines(1)
            .draw()?;
        for line in lines {
            let Line { name, color, points } = line;
            let series = chart.draw_series(LineSeries::new(points, color.stroke_width(2)).point_size(3))?;
            series.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
        }
        chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK.mix(0.3)).draw()?;
    } else {
        let mut chart = builder.build_cartesian_2d(lengths, (least / 1.5..most * 1.5).log_scale())?;
        chart
            .configure_mesh()
            .x_label_formatter(&|bytes| length(*bytes as u64))
            .x_labels(8)
            .max_light_lines(1)
            .draw()?;
        for line in lines {
            let Line { name, color, points } = line;
            let series = chart.draw_series(LineSeries::new(points, color.stroke_width(2)).point_size(3))?;
            series.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
        }
        // Where the lines leave room.
        let position = if matches!(test, Test::Bandwidth | Test::GetBandwidth | Test::PutBandwidth) {
            SeriesLabelPosition::UpperRight
        } else {
            SeriesLabelPosition::UpperLeft
        };
        let mut labels = chart.configure_series_labels();
        labels.position(position).background_style(WHITE.mix(0.8)).border_style(BLACK.mix(0.3)).draw()?;
    }
    Ok(())
}

/// The medians of a test, one line per subject and run.
fn lines(test: Test, runs: &[Run]) -> Vec<Line> {
    let mut lines = Vec::new();
    for (place, run) in runs.iter().enumerate() {
        for subject in SUBJECTS {
            let at = |bytes: u64| {
                let median = run.samples.get(&(test, bytes, subject))?.median();
                Some((bytes as f64, if test == Test::Segments { median.max(1.0) } else { median }))
            };
            let points: Vec<_> = run.lengths(test).into_iter().filter_map(at).collect();
            let (name, color) = match subject {
                Subject::Gravel => (format!("Gravel beside {}", run.mpi), GRAVEL[place % GRAVEL.len()]),
                Subject::Mpi => (run.mpi.clone(), MPI[place % MPI.len()]),
                Subject::Copy => ("plain copy".into(), YARDSTICK),
                Subject::Verbs => ("bare verbs".into(), YARDSTICK),
                Subject::Spinning => ("spinning".into(), YARDSTICK),
            };
            // One yardstick is enough.
            if !points.is_empty() && (matches!(subject, Subject::Gravel | Subject::Mpi) || place == 0) {
                lines.push(Line { name, color, points });
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::OUTPUT;
    use super::*;

    #[test]
    fn every_subject_has_a_line_and_a_name() {
        let run = Run::parse(OUTPUT).unwrap();
        let svg = svg(&[run.clone(), Run { mpi: "Other MPI".into(), ..run }]).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        for name in ["Gravel beside Some MPI 1.0", "Gravel beside Other MPI", "one-way latency, microseconds"] {
            assert!(svg.contains(name), "{name}");
        }
        // Only one length was measured.
        assert!(!svg.contains(Test::Bandwidth.title()));
    }

    #[test]
    fn nothing_is_an_empty_picture() {
        assert!(svg(&[]).unwrap().contains("</svg>"));
    }
}

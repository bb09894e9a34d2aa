//! The outcome of a comparison as a page that needs no other file.

use super::heading::ReportHeading;
use super::pictures::{ImagePictures, class_color};
use super::summary::{ClassCounts, OutcomeSummary, TypeSummary};
use crate::{CAMERA, Class, Histogram};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");

/// Writes the page. `views` are pictures of the first worst answers.
pub(super) fn page(
    heading: &ReportHeading<'_>,
    outcome: &OutcomeSummary,
    image: Option<&ImagePictures>,
    views: &[Option<Vec<u8>>],
) -> String {
    let title = escaped(&format!("{} on {}", heading.scene, heading.device));
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>raytwin diff: {title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
    );
    add_verdict(&mut page, heading, outcome);
    add_parts(&mut page, outcome);
    add_types(&mut page, &outcome.types);
    add_rates(&mut page, outcome);
    if let Some(image) = image {
        add_image(&mut page, image);
    }
    add_worst(&mut page, outcome, views);
    page += "</main>\n</body>\n</html>\n";
    page
}

fn add_verdict(page: &mut String, heading: &ReportHeading<'_>, outcome: &OutcomeSummary) {
    let (class, word) = if outcome.sound { ("sound", "Sound") } else { ("unsound", "Not sound") };
    let conclusion = escaped(&outcome.conclusion());
    let _ = writeln!(page, "<header class=\"{class}\"><h1>{word}</h1>\n<p>{conclusion}.</p>");
    for fault in &outcome.failures {
        let _ = writeln!(page, "<p><strong>{}</strong></p>", escaped(fault));
    }
    if let Some(fault) = heading.fault {
        let _ = writeln!(page, "<p>The fault <code>{fault}</code> was planted on purpose.</p>");
    }
    *page += "</header>\n<dl>\n";
    let mut add = |name: &str, text: &str| {
        let _ = writeln!(page, "<dt>{name}</dt><dd>{text}</dd>");
    };
    add("Scene", &escaped(heading.scene));
    add("Answers of", &escaped(heading.device));
    if !heading.arithmetic.is_empty() {
        let lines: Vec<String> = heading.arithmetic.iter().map(|line| escaped(line)).collect();
        add("Its arithmetic", &lines.join("<br>"));
    }
    for (name, text) in &heading.facts {
        add(name, &escaped(text));
    }
    for what in heading.not_judged {
        add("Not judged", &escaped(what));
    }
    if let Some(error) = outcome.camera_error_u {
        add("Camera rays", &format!("off by at most {error:.2} u; the limit is {CAMERA} u"));
    }
    if let Some(errors) = &outcome.distance_error {
        add("Errors", &format!("{errors}"));
    }
    for clue in &outcome.clues {
        add("Clue", &escaped(clue));
    }
    if let Some(needed) = &outcome.needed_tolerance {
        add("Tolerance", &escaped(&needed.to_string()));
    }
    if let Some(tolerance) = &outcome.tolerance {
        add("Bound", &escaped(&tolerance.to_string()));
    }
    let limit = outcome.hard_limit.map_or_else(|| "none".to_owned(), |limit| limit.to_string());
    let percent = outcome.fail_percent;
    add(
        "Limits",
        &format!("{percent} % of the answers may be wrong; largest error ÷ bound: {limit}"),
    );
    add("Command", &format!("<code>{}</code>", escaped(&heading.command)));
    *page += "</dl>\n";
}

fn add_parts(page: &mut String, outcome: &OutcomeSummary) {
    *page += "<h2>What was asked</h2>\n<table>\n<thead><tr><th></th>";
    for class in Class::ALL {
        let _ = write!(page, "<th>{}{}</th>", swatch(class), class.name());
    }
    *page += "</tr></thead>\n<tbody>\n";
    for part in &outcome.parts {
        add_row(page, &part.title, &part.classes);
        *page += "</tr>\n";
    }
    *page += "</tbody>\n</table>\n";
    *page += "<p class=\"note\">An answer is <em>exact</em> if it is the float64 answer, rounded. It is <em>within</em> if its \
              t is within the bound. It is a <em>tie</em>, a <em>silhouette</em> or a <em>range</em> if moving every surface \
              by at most the allowed distance could give it. Any other answer is a <em>mismatch</em>, which is wrong.</p>\n";
}

fn add_types(page: &mut String, types: &[TypeSummary]) {
    *page += "<h2>Answers by what was hit</h2>\n<table>\n<thead><tr><th></th>";
    for class in Class::ALL {
        let _ = write!(page, "<th>{}</th>", class.name());
    }
    *page += "<th>worst error ÷ bound</th><th>largest error</th><th>99 % at most</th><th>errors ÷ bound, from 0 to 1</th></tr></thead>\n<tbody>\n";
    for row in types {
        add_row(page, row.name, &row.classes);
        let is_of_t = row.errors.iter().any(|&count| count > 0);
        let worst = row.worst_text();
        let [largest, most] = row.distance_error.map_or_else(Default::default, |it| it.texts());
        let _ = write!(page, "<td>{worst}</td><td>{largest}</td><td>{most}</td><td>");
        if is_of_t {
            add_histogram(page, row);
        }
        *page += "</td></tr>\n";
    }
    *page += "</tbody>\n</table>\n\
              <p class=\"note\">Bars grow with the logarithm of the count. A red bar counts wrong answers whose t is outside the bound. \
              No bar contains answers that a displaced surface explains, because no bound on t applies to them.</p>\n";
}

fn add_rates(page: &mut String, outcome: &OutcomeSummary) {
    *page += "<h2>Is the device a little wrong everywhere?</h2>\n";
    if outcome.tolerance.is_some() {
        *page += "<p class=\"note\">This is not judged if a tolerance is given, because its limits apply to devices that only \
                  round.</p>\n";
        return;
    }
    *page += "<table>\n<thead><tr><th></th><th>answers</th>\
              <th>above a quarter of δ</th><th>at most</th></tr></thead>\n<tbody>\n";
    for rate in &outcome.rates {
        let bad = if rate.observed > rate.limit { " class=\"bad\"" } else { "" };
        let _ = writeln!(
            page,
            "<tr><th>{}</th><td>{}</td><td{bad}>{}</td><td>{}</td></tr>",
            rate.class, rate.answers, rate.observed, rate.limit
        );
    }
    *page += "</tbody>\n</table>\n<table>\n<thead><tr><th></th><th>answers</th><th>mean error ÷ bound</th>\
              <th>at most</th></tr></thead>\n<tbody>\n";
    for bias in &outcome.biases {
        let bad = if bias.mean.abs() > bias.limit { " class=\"bad\"" } else { "" };
        let _ = writeln!(
            page,
            "<tr><th>{}</th><td>{}</td><td{bad}>{:+.5} ± {:.5}</td><td>{:.4}</td></tr>",
            bias.type_name, bias.answers, bias.mean, bias.standard_error, bias.limit
        );
    }
    *page += "</tbody>\n</table>\n<p class=\"note\">On a device that only rounds, hardly any answer that only a displaced surface \
              explains needs more than a quarter of δ, and the errors of t cancel in the mean. Such a device exceeds \
              each of these limits by chance once in a million comparisons.</p>\n";
}

fn add_row(page: &mut String, name: &str, classes: &ClassCounts) {
    let _ = write!(page, "<tr><th>{}</th>", escaped(name));
    for (class, count) in Class::ALL.into_iter().zip(classes.in_order()) {
        let is_bad = class == Class::Mismatch && count > 0;
        let marked = if is_bad { " class=\"bad\"" } else { "" };
        let text = if count == 0 { "·".to_owned() } else { count.to_string() };
        let _ = write!(page, "<td{marked}>{text}</td>");
    }
}

/// Draws a bar for each twentieth of the bound, and one for the errors above it.
fn add_histogram(page: &mut String, row: &TypeSummary) {
    const WIDTH: usize = 8;
    const HEIGHT: f64 = 36.0;
    /// The number of binary digits of a count that fills the height.
    const DIGITS: f64 = 24.0;
    let width = WIDTH * (Histogram::BINS + 2);
    let _ = write!(page, "<svg width=\"{width}\" height=\"{HEIGHT}\" role=\"img\"><title>");
    let counts: Vec<String> = row.errors.iter().map(u64::to_string).collect();
    let _ = write!(page, "{}: {}</title>", row.name, counts.join(" "));
    let _ = write!(page, "<path d=\"M0 {HEIGHT}H{}\"/>", WIDTH * Histogram::BINS);
    for (bin, &count) in row.errors.iter().enumerate() {
        if count == 0 {
            continue;
        }
        let digits = f64::from(u64::BITS - count.leading_zeros());
        let height = (HEIGHT * digits / DIGITS).min(HEIGHT);
        let is_beyond = bin == Histogram::BINS;
        let left = WIDTH * (bin + usize::from(is_beyond));
        let class = if is_beyond { " class=\"beyond\"" } else { "" };
        let _ = write!(
            page,
            "<rect{class} x=\"{left}\" y=\"{:.1}\" width=\"{}\" height=\"{height:.1}\"/>",
            HEIGHT - height,
            WIDTH - 1
        );
    }
    *page += "</svg>";
}

fn add_image(page: &mut String, image: &ImagePictures) {
    *page += "<h2>The image</h2>\n<div class=\"pictures\">\n";
    // Pictures of a few pixels are enlarged, and their pixels stay sharp.
    let width = image.width.clamp(320, 640);
    for (caption, png) in &image.pictures {
        let _ = writeln!(
            page,
            "<figure><img alt=\"{caption}\" width=\"{width}\" src=\"{}\"><figcaption>{caption}</figcaption></figure>",
            data(png)
        );
    }
    *page += "</div>\n<p class=\"legend\">";
    for class in Class::ALL {
        let _ = write!(page, "{}{} ", swatch(class), class.name());
    }
    *page += "</p>\n";
}

fn add_worst(page: &mut String, outcome: &OutcomeSummary, views: &[Option<Vec<u8>>]) {
    if outcome.worst.is_empty() {
        return;
    }
    *page += "<h2>The worst answers</h2>\n<p class=\"note\">Each picture shows the ray from its side: the ray (blue) comes \
              from the left, the green mark is the exact answer and the red mark is the given answer.</p>\n";
    if let Some(cut) = outcome.cut() {
        let _ = writeln!(page, "<p class=\"note\">{cut}.</p>");
    }
    *page += "<ol>\n";
    for (index, answer) in outcome.worst.iter().enumerate() {
        *page += "<li>";
        if let Some(Some(png)) = views.get(index) {
            let _ = write!(page, "<img alt=\"the ray from its side\" src=\"{}\">", data(png));
        }
        let bad = if answer.class == Class::Mismatch.name() { " class=\"bad\"" } else { "" };
        let _ = write!(
            page,
            "<div><b{bad}>{}</b>, {}, {}<br>given: {}<br>exact: {}",
            answer.class,
            answer.type_name,
            escaped(&answer.numbered()),
            escaped(&answer.given.to_string()),
            escaped(&answer.exact.to_string())
        );
        if let Some(error) = answer.error {
            let _ = write!(page, "<br>the error of t is {error:.4} of its bound");
            if let Some(distance) = answer.distance_error {
                let _ = write!(page, ", a distance of {distance:.2e}");
            }
        }
        if let Some(cause) = &answer.cause {
            let _ = write!(
                page,
                "<br>explained by surface {}/{} at {:.9}, moved by {:.4} of the allowed distance",
                cause.geometry_id, cause.primitive_id, cause.t, cause.displacement
            );
        }
        let _ = write!(page, "<br><code>{}</code>", escaped(&answer.asked()));
        *page += "</div></li>\n";
    }
    *page += "</ol>\n";
}

fn swatch(class: Class) -> String {
    let [r, g, b] = class_color(class).0;
    format!("<i style=\"background:rgb({r},{g},{b})\"></i>")
}

/// Returns a picture as a data URL.
fn data(png: &[u8]) -> String {
    format!("data:image/png;base64,{}", STANDARD.encode(png))
}

/// Escapes a text for HTML.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_markup() {
        assert_eq!(escaped("<a href=\"'&"), "&lt;a href=&quot;&#39;&amp;");
    }
}

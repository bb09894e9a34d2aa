//! What `diff` says of wrong answers: under a limit, by a tolerance, and in the files of a report.

use crate::common::workspace::*;
use serde_json::Value;

/// Makes a workspace with a ball of radius 1 at (10, 0, 0) and rays along x at it, 0.4 beside its centre and less, whose
/// answers `answers.npz` has. These are off by so many bounds, from the first ray on.
fn with_errors(rays: usize, bounds: &[f64]) -> Workspace {
    let workspace = Workspace::new();
    workspace.write(
        "ball.json",
        r#"{ "raytwin": 1, "shapes": [ { "type": "sphere", "center": [10, 0, 0], "radius": 1 } ] }"#,
    );
    let mut numbers = Vec::new();
    let mut t_hit = Vec::new();
    for ray in 0..rays {
        let aside = 0.4 * (ray as f64 / rays as f64);
        let half = (1.0 - aside * aside).sqrt();
        // D and |t| are nearly the same, and the cosine is the half chord.
        let bound = 8.0 / f64::from(1 << 24) * (10.0 + 1.0 + 10.0 - half) / half;
        numbers.extend([0.0, aside as f32, 0.0, 1.0, 0.0, 0.0]);
        t_hit.push((10.0 - half + bounds.get(ray).unwrap_or(&0.0) * bound) as f32);
    }
    let shape = format!("({rays}, 6)");
    workspace.write("r.npy", npy("<f4", "False", &shape, &float32(&numbers)));
    let shape = format!("({rays},)");
    let files = [
        ("t_hit.npy", npy("<f4", "False", &shape, &float32(&t_hit))),
        ("geometry_ids.npy", npy("<u4", "False", &shape, &vec![0; 4 * rays])),
    ];
    workspace.write("answers.npz", zipped(&files));
    workspace
}

const DIFF: [&str; 5] = ["diff", "ball.json", "r.npy", "--against", "answers.npz"];

/// Runs `diff` with further flags, and returns its exit code, what it printed and its messages.
fn diff(workspace: &Workspace, flags: &[&str]) -> (Option<i32>, String, String) {
    let output = workspace.run(&[&DIFF[..], flags].concat());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn mismatches_under_the_limit_are_reported_and_ordered_by_how_far_off_they_are() {
    let workspace = with_errors(1000, &[0.5, -3.3, 40.0, -1000.0, -1.2, 7.0]);
    let limit = ["--fail-percent", "0.5", "--report", "r"];
    let (code, _, messages) = diff(&workspace, &limit);
    assert_eq!(code, Some(0), "{messages}");
    let output_text = "1000 answers, 5 mismatches, within the limit of 0.5 %, which allows 5";
    assert!(messages.contains(output_text) && !messages.contains("no mismatch"), "{messages}");
    let page = std::fs::read_to_string(workspace.path("r/report.html")).unwrap();
    assert!(
        page.contains(output_text) && page.contains("class=\"beyond\"") && !page.contains("inf ")
    );
    let (code, table, _) = diff(&workspace, &["--fail-percent", "0.4"]);
    assert_eq!(code, Some(1));
    assert!(table.contains("bound") && !table.contains("inf of"), "{table}");

    let (_, report, _) = diff(&workspace, &["--json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let errors = report["worst"].as_array().unwrap().iter();
    let errors: Vec<f64> = errors.filter_map(|worst| worst["error"].as_f64()).take(5).collect();
    for (error, expected) in errors.iter().zip([1000.0, 40.0, 7.0, 3.3, 1.2]) {
        assert!((error / expected - 1.0).abs() < 0.1, "{errors:?}");
    }
    let of_type = &report["types"][0];
    assert_eq!(of_type["worst_error"].as_f64(), Some(errors[0]), "{of_type}");
    assert_eq!(of_type["errors"].as_array().unwrap().last(), Some(&5.into()), "{of_type}");
}

#[test]
fn a_report_of_right_answers_has_no_red_bar() {
    let workspace = with_errors(100, &[0.9, -0.9]);
    let (code, _, messages) = diff(&workspace, &["--report", "r"]);
    assert!(code == Some(0) && messages.contains("100 answers, no mismatch"), "{messages}");
    let page = std::fs::read_to_string(workspace.path("r/report.html")).unwrap();
    assert!(page.contains("<rect") && !page.contains("<rect class=\"beyond\""));
    assert!(array(&workspace.path("r/mismatches.npz"), "rays_closest").is_empty());
}

#[test]
fn all_wrong_rays_are_numbered_where_the_file_of_the_worst_is_cut() {
    let wrong = |ray: usize| ray % 7 != 3;
    let bounds: Vec<f64> = (0..1500).map(|ray| if wrong(ray) { 9.0 } else { 0.0 }).collect();
    let workspace = with_errors(1500, &bounds);
    let (code, report, messages) = diff(&workspace, &["--report", "r", "--json"]);
    assert_eq!(code, Some(1), "{messages}");
    let numbers = array(&workspace.path("r/mismatches.npz"), "rays_closest");
    let numbers = numbers.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap()));
    assert!(numbers.eq((0..1500).filter(|&ray| wrong(ray as usize))));
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["worst_is_cut"], Value::Bool(true));
    for text in [std::fs::read_to_string(workspace.path("r/report.html")).unwrap(), messages] {
        assert!(text.contains("the 1000 worst answers") && text.contains("all 1286 wrong"));
    }
    let (_, short, _) = diff(&with_errors(20, &[9.0; 20]), &["--json"]);
    let short: Value = serde_json::from_str(&short).unwrap();
    assert_eq!(short["worst_is_cut"], Value::Bool(false));
}

/// Adds answers of misses alone to so many rays.
fn write_misses(workspace: &Workspace, rays: usize) {
    let shape = format!("({rays},)");
    let files = [
        ("t_hit.npy", npy("<f4", "False", &shape, &float32(&vec![f32::INFINITY; rays]))),
        ("geometry_ids.npy", npy("<u4", "False", &shape, &vec![0xFF; 4 * rays])),
    ];
    workspace.write("misses.npz", zipped(&files));
}

#[test]
fn a_tolerance_by_which_misses_pass_is_refused_with_the_largest_that_judges() {
    let workspace = with_errors(100, &[]);
    write_misses(&workspace, 100);
    // Half of this file's points lie in the ball, by 0.3 and more.
    let points: Vec<f32> = (0..10).flat_map(|at| [8.7 + at as f32, 0.0, 0.0]).collect();
    workspace.write("p.npy", npy("<f4", "False", "(10, 3)", &float32(&points)));
    let largest = |flag: &str, given: &str, asked: &[&str]| {
        let message = workspace.fails(3, &[&["diff", "ball.json"], asked, &[flag, given]].concat());
        assert!(message.contains(&format!("{flag} {given} checks nothing")), "{message}");
        let (_, largest) = message.trim_end().rsplit_once(' ').unwrap();
        largest.to_owned()
    };
    let misses = ["r.npy", "--against", "misses.npz"];
    for kind in ["closest", "any", "count", "all", "closest,any"] {
        let asked = [&misses[..], &["--kind", kind]].concat();
        let absolute = largest("--tolerance-abs", "1000", &asked);
        // A ball of radius 1 may be nowhere if its surface may lie 1 further in.
        assert!((0.95..=1.0).contains(&absolute.parse::<f64>().unwrap()), "{kind}: {absolute}");
        let relative = largest("--tolerance-rel", "1", &asked);
        assert!((0.08..=0.12).contains(&relative.parse::<f64>().unwrap()), "{kind}: {relative}");
        for (flag, value) in [("--tolerance-abs", absolute), ("--tolerance-rel", relative)] {
            let of_closest = [&["diff", "ball.json"], &misses[..], &[flag, value.as_str()]];
            assert_eq!(
                workspace.run(&of_closest.concat()).status.code(),
                Some(1),
                "{flag} {value}"
            );
        }
    }
    let asked = ["--points", "p.npy", "--against", "misses.npz"];
    let absolute = largest("--tolerance-abs", "2", &asked);
    assert!((0.65..=0.7).contains(&absolute.parse::<f64>().unwrap()), "{absolute}");
}

#[test]
fn a_tolerance_is_not_refused_where_nothing_is_hit() {
    let workspace = with_errors(10, &[]);
    write_misses(&workspace, 10);
    let rays = [[0.0_f32, 0.0, 0.0, -1.0, 0.0, 0.0]; 10].concat();
    workspace.write("r.npy", npy("<f4", "False", "(10, 6)", &float32(&rays)));
    let judged = ["diff", "ball.json", "r.npy", "--against", "misses.npz", "--tolerance-abs", "9"];
    let output = workspace.run(&judged);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_percentage_by_which_misses_pass_is_refused() {
    let workspace = with_errors(20, &[]);
    write_misses(&workspace, 20);
    // A quarter of the rays hit.
    let along = |ray: usize| [0.0_f32, 0.0, 0.0, if ray < 5 { 1.0 } else { -1.0 }, 0.0, 0.0];
    let rays: Vec<f32> = (0..20).flat_map(along).collect();
    workspace.write("r.npy", npy("<f4", "False", "(20, 6)", &float32(&rays)));
    let judged = ["diff", "ball.json", "r.npy", "--against", "misses.npz", "--fail-percent"];
    let message = workspace.fails(3, &[&judged[..], &["30"]].concat());
    assert!(message.contains("5 of all 20 answers wrong: give less than 25"), "{message}");
    assert_eq!(workspace.run(&[&judged[..], &["24.9"]].concat()).status.code(), Some(1));
    // Answers of one kind are misses alone, and right answers of another kind stand beside them.
    let of_two_kinds = [&judged[..], &["15", "--kind", "closest,any"]].concat();
    let message = workspace.fails(3, &of_two_kinds);
    assert!(message.contains("answers of kind closest") && message.contains("less than 12.5"));
    workspace.fails(2, &[&judged[..], &["100"]].concat());
}

#[test]
fn a_tolerance_passes_what_it_allows_and_says_so() {
    // Every t is too long by about 1e-3, as on a ball that is smaller by that.
    let workspace = with_errors(500, &[100.0; 500]);
    assert_eq!(diff(&workspace, &[]).0, Some(1));
    for flags in [
        &["--tolerance-abs", "2e-3"][..],
        &["--tolerance-rel", "2e-4"],
        &["--tolerance-abs", "1e-3", "--tolerance-rel", "1e-4"],
    ] {
        let (code, table, messages) = diff(&workspace, flags);
        assert_eq!(code, Some(0), "{flags:?} {table} {messages}");
        for text in [&table, &messages] {
            assert!(text.contains("judged by a tolerance of "), "{flags:?} {text}");
        }
    }
    let (code, table, _) = diff(&workspace, &["--tolerance-abs", "5e-4", "--report", "r"]);
    assert_eq!(code, Some(1));
    for text in [table, std::fs::read_to_string(workspace.path("r/report.html")).unwrap()] {
        assert!(text.contains("judged by a tolerance of 0.0005, not"), "{text}");
    }
    for flags in [&["--tolerance-abs", "-1"][..], &["--tolerance-rel", "nan"]] {
        workspace.fails(2, &[&DIFF[..], flags].concat());
    }
    let tolerance = ["--tolerance-abs", "1"];
    for of_itself in [&["diff", "ball.json", "--device", "cpu"][..], &["diff", "--self-test"]] {
        workspace.fails(2, &[of_itself, &tolerance].concat());
    }
}

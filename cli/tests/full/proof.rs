//! The report of Prove my GPU, which `diff --against` judges anew without a scene.

use crate::common::gpu;
use crate::common::workspace::*;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use raytwin::{Query, QuestionKind};
use raytwin_verify::faults;
use raytwin_verify::proof::{Proof, ProofRun};
use raytwin_verify::reports::proof::{self as proof_report, ProofReport, Visit};
use serde_json::Value;
use std::io::Write;
use std::sync::LazyLock;

const REPORT: &str = "raytwin-proof.json";
const JUDGE: [&str; 3] = ["diff", "--against", REPORT];

/// Returns the report on a hundredth of the proof, which is run once for all tests.
fn sound_report() -> Value {
    static REPORT: LazyLock<Value> = LazyLock::new(|| report(None));
    REPORT.clone()
}

/// Runs a hundredth of the proof, and returns its report.
fn report(fault: Option<&str>) -> Value {
    let fault = fault.map(|name| faults::named(name).unwrap());
    let proof = Proof::new(Proof::RAYS / 100).unwrap();
    let run = ProofRun::to_the_end(&gpu(), proof, fault).unwrap();
    let [browser, date] = ["a browser of <tests>", "2026-01-02T03:04:05Z"].map(str::to_owned);
    let visit =
        Visit { browser: Some(browser), date: Some(date), seconds: 1.5, ..Visit::default() };
    serde_json::to_value(ProofReport::of_run(&run, visit).unwrap()).unwrap()
}

/// Writes a report in which something is changed.
fn write(workspace: &Workspace, report: &Value, change: impl FnOnce(&mut Value)) {
    let mut changed = report.clone();
    change(&mut changed);
    workspace.write(REPORT, changed.to_string());
}

/// Returns so many zeros, deflated, as text: answers that all equal the float64 tracer's.
fn zeros(bytes: usize) -> String {
    deflated(&vec![0; bytes])
}

fn deflated(bytes: &[u8]) -> String {
    STANDARD.encode(deflated_bytes(bytes))
}

fn deflated_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns the link to a report.
fn link(report: &Value) -> String {
    proof_report::link("https://host/prove.html", &report.to_string()).unwrap().unwrap()
}

/// Returns the link whose report is these bytes, deflated.
fn link_of(bytes: &[u8]) -> String {
    format!("https://host/prove.html#report={}", URL_SAFE_NO_PAD.encode(deflated_bytes(bytes)))
}

/// Judges a report that does not pass, and returns what the program says.
fn unsound(workspace: &Workspace, arguments: &[&str]) -> String {
    let output = workspace.run(arguments);
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_report_is_judged_anew_and_never_believed() {
    let workspace = Workspace::new();
    let report = sound_report();
    write(&workspace, &report, |_| {});
    let arguments = [&JUDGE[..], &["--report", "out"]].concat();
    let diff = workspace.json(&arguments);
    assert_eq!(diff["sound"], true);
    assert_eq!(diff["classes"], report["outcome"]["classes"]);
    assert_eq!(diff["parts"], report["outcome"]["parts"]);
    assert_eq!(diff["arithmetic"], report["arithmetic"]);
    assert_eq!(diff["proof"]["canonical_hash"], diff["proof"]["exact_hash"]);
    let page = std::fs::read_to_string(workspace.path("out/report.html")).unwrap();
    for text in ["a browser of &lt;tests&gt;", "2026-01-02", "as on every device", "subnormal"] {
        assert!(page.contains(text), "{text}");
    }
    // The rays that were not cast are a warning.
    let strict = workspace.run(&[&JUDGE[..], &["--strict"]].concat());
    let text = String::from_utf8_lossy(&strict.stderr);
    assert_eq!(strict.status.code(), Some(3), "{text}");
    assert!(text.contains("--strict: not all answers were judged"), "{text}");
    // The page's own verdict counts for nothing.
    write(&workspace, &report, |report| {
        report["outcome"] = serde_json::json!({ "sound": false, "mismatches": 7 });
    });
    assert_eq!(workspace.json(&JUDGE)["sound"], true);

    write(&workspace, &report, |report| {
        let hash = report["canonical_hash"].as_str().unwrap().replace(['0', '1'], "f");
        report["canonical_hash"] = hash.into();
    });
    assert!(unsound(&workspace, &JUDGE).contains("hash of the canonical answers"));

    // The first part asks for closest hits: a bit of the first t is another.
    write(&workspace, &report, |report| {
        let rays = Proof::new(Proof::RAYS / 100).unwrap().scenes()[0].questions()[0].len();
        let mut bytes = vec![0; 12 * rays];
        bytes[2] = 64;
        report["answers"][0] = deflated(&bytes).into();
    });
    assert!(unsound(&workspace, &JUDGE).contains("wrong"));
}

#[test]
fn the_report_on_a_fault_fails_and_names_it() {
    let workspace = Workspace::new();
    let mut report = report(Some("cylinder-no-caps"));
    // A page that lies is found out.
    report["outcome"]["sound"] = true.into();
    write(&workspace, &report, |_| {});
    let text = unsound(&workspace, &[&JUDGE[..], &["--report", "out"]].concat());
    assert!(text.contains("answers are wrong"), "{text}");
    let page = std::fs::read_to_string(workspace.path("out/report.html")).unwrap();
    assert!(page.contains("cylinder-no-caps") && page.contains("the ray from its side"));
}

#[test]
fn what_is_no_report_is_refused_in_words() {
    let workspace = Workspace::new();
    let report = sound_report();
    let refused = |expected: &str, change: &dyn Fn(&mut Value)| {
        write(&workspace, &report, change);
        let text = workspace.fails(3, &JUDGE);
        assert!(text.contains(REPORT) && text.contains(expected), "{expected}: {text}");
    };
    refused("not a report of Prove my GPU", &|report| {
        report.as_object_mut().unwrap().remove("raytwin_proof");
    });
    refused("definition 99", &|report| report["raytwin_proof"] = 99.into());
    refused("download it again", &|report| {
        report.as_object_mut().unwrap().remove("canonical_hash");
    });
    refused("rays_per_scene", &|report| report["rays_per_scene"] = 0.into());
    refused("rays_per_scene", &|report| report["rays_per_scene"] = 1_000_000_000_000_u64.into());
    refused("there is no fault named 'x'", &|report| report["mutate"] = "x".into());
    refused("parts", &|report| {
        report["answers"].as_array_mut().unwrap().pop();
    });
    refused("answers[3]", &|report| report["answers"][3] = "?".into());
    refused("answers[3]", &|report| report["answers"][3] = "AAAA".into());
    refused("answers[3]", &|report| report["answers"][3] = zeros(4).into());
    // A bomb is packed to a thousandth, and not unpacked.
    for part in 0..12 {
        refused("words", &|report| report["answers"][part] = zeros(1 << 25).into());
    }
    for text in ["", "[", "[1]", "7", "{\"raytwin_proof\": \"1\"}", "{\"raytwin_proof\": 1}"] {
        workspace.write(REPORT, text);
        assert!(workspace.fails(3, &JUDGE).contains(REPORT), "{text}");
    }
    let whole = report.to_string();
    workspace.write(REPORT, &whole[..whole.len() / 2]);
    assert!(workspace.fails(3, &JUDGE).contains(&format!("{REPORT}:1:")));
}

#[test]
fn a_link_and_a_text_file_with_it_are_judged_as_the_report_is() {
    let workspace = Workspace::new();
    let report = sound_report();
    let link = link(&report);
    workspace.write("link.txt", format!("{link}\n"));
    for against in [link.as_str(), "link.txt"] {
        let diff = workspace.json(&["diff", "--against", against, "--report", "out"]);
        assert_eq!(diff["sound"], true);
        assert_eq!(diff["classes"], report["outcome"]["classes"]);
        assert_eq!(diff["proof"]["canonical_hash"], report["canonical_hash"]);
        assert!(workspace.path("out/report.html").exists());
    }
    workspace.write("report.txt", report.to_string());
    assert_eq!(workspace.json(&["diff", "--against", "report.txt"])["sound"], true);
}

#[test]
fn a_link_that_is_damaged_is_refused_in_words() {
    let workspace = Workspace::new();
    let report = sound_report();
    let whole = link(&report);
    let refused = |expected: &str, link: &str| {
        let text = workspace.fails(3, &["diff", "--against", link]);
        assert!(text.contains("the link: ") && text.contains(expected), "{expected}: {text}");
        assert!(text.len() < 1000, "{text}");
        workspace.write("link.txt", link);
        let text = workspace.fails(3, &["diff", "--against", "link.txt"]);
        assert!(text.contains("link.txt: ") && text.contains(expected), "{expected}: {text}");
    };
    let start = whole.find('=').unwrap() + 1;
    refused("copy the whole link", &whole[..start]);
    // Wherever a chat cuts it, it says so.
    for end in [start + 1, start + 2, start + 50, whole.len() / 2, whole.len() - 2, whole.len() - 1]
    {
        refused("ends too early", &whole[..end]);
    }
    refused("'%' is character 3", &format!("{}ab%20{}", &whole[..start], &whole[start..]));
    refused("copy the link again", &format!("{}\n{}", &whole[..start + 9], &whole[start + 9..]));
    // Four characters are three bytes, whatever the length of the link, and begin no block.
    refused("cannot be unpacked", &format!("{}____{}", &whole[..start], &whole[start..]));
    // A bomb of 90 megabytes, which fits in one argument.
    let bomb = link_of(&vec![b' '; 90_000_000]);
    assert!(bomb.len() < 131_072);
    refused("unpacks to more than", &bomb);
    let mut other = report.clone();
    other["raytwin_proof"] = 99.into();
    refused("definition 99", &link(&other));
    refused("not a report of Prove my GPU", &link_of(b"{\"a\": 1}"));
    other = report.clone();
    other["answers"][3] = zeros(4).into();
    refused("answers[3]", &link(&other));
    workspace.write("link.txt", "https://host/prove.html#report");
    let text = workspace.fails(3, &["diff", "--against", "link.txt"]);
    assert!(text.contains("link.txt") && text.contains("nor a link"), "{text}");
}

#[test]
fn the_memory_that_a_bomb_takes_is_limited() {
    let workspace = Workspace::new();
    // Three gigabytes: deflate packs a thousand equal bytes into one, so three megabytes are a gate.
    let block = vec![b' '; 1 << 20];
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    (0..3000).for_each(|_| encoder.write_all(&block).unwrap());
    let packed = URL_SAFE_NO_PAD.encode(encoder.finish().unwrap());
    workspace.write("link.txt", format!("https://host/prove.html#report={packed}"));
    let text = workspace.fails(3, &["diff", "--against", "link.txt"]);
    assert!(text.contains("unpacks to more than"), "{text}");
}

#[test]
fn counts_of_crossings_that_lie_are_refused() {
    let workspace = Workspace::new();
    let report = sound_report();
    let proof = Proof::new(Proof::RAYS / 100).unwrap();
    let questions = proof.scenes()[0].questions();
    let of_all = QuestionKind::Rays(Query::All);
    let all = questions.iter().position(|question| question.kind() == of_all).unwrap();
    let rays = questions[all].len();
    write(&workspace, &report, |report| {
        report["answers"][all] = deflated(&vec![255; 4 * rays]).into();
    });
    assert!(workspace.fails(3, &JUDGE).contains(&format!("answers[{all}]")));
}

#[test]
fn answers_in_a_scene_need_the_scene() {
    let workspace = Workspace::new();
    let text = workspace.fails(2, &["diff", "--against", "answers.npz"]);
    assert!(text.contains("SCENE"), "{text}");
    write(&workspace, &sound_report(), |_| {});
    let text = workspace.fails(2, &["diff", "scene.json", "--against", JUDGE[2]]);
    assert!(text.contains("leave SCENE out"), "{text}");
    let text = workspace.fails(2, &[&JUDGE[..], &["--kind", "any"]].concat());
    assert!(text.contains("questions of its own"), "{text}");
}

//! The witness suite passes on every device that is at hand.

use crate::common::workspace::*;

#[test]
fn every_case_passes_on_the_gpu_and_on_the_cpu() {
    let workspace = Workspace::new();
    let listed = workspace.json(&["witness", "--list"])["cases"].as_array().unwrap().len();
    assert!(listed > 100, "{listed}");
    for device in ["gpu", "cpu"] {
        let output = workspace.run(&["witness", "--device", device, "--json"]);
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let cases = summary["cases"].as_array().unwrap();
        let failed: Vec<_> = cases.iter().filter(|case| case["passed"] != true).collect();
        assert!(failed.is_empty(), "{device}: {failed:#?}");
        assert_eq!((output.status.code(), cases.len()), (Some(0), listed), "{device}");
    }
}

#[test]
fn a_case_is_chosen_by_its_name() {
    let workspace = Workspace::new();
    let flags = ["witness", "--device", "cpu", "--case", "apex", "--case", "quad-diagonal"];
    let output = workspace.run(&flags);
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && table.lines().count() == 3, "{table}");
    assert!(table.contains("quad-diagonal") && table.contains("pass"), "{table}");
    let errors = workspace.fails(2, &["witness", "--case", "sphere-tangnt"]);
    assert!(errors.contains("did you mean sphere-tangent?"), "{errors}");
    let errors = workspace.fails(2, &["witness", "--case", "unheard of", "--list"]);
    assert!(errors.contains("--list lists the cases"), "{errors}");
}

//! The results of `raytwin bench`, without their times.

use crate::common::workspace::*;
use serde_json::Value;

/// Runs a small benchmark with these flags and returns its results.
fn results(workspace: &Workspace, flags: &[&str]) -> Vec<Value> {
    let run = [&["bench", "--repeat", "2"], flags].concat();
    workspace.json(&run)["results"].as_array().unwrap().clone()
}

#[test]
fn the_result_of_a_workload_holds_every_figure() {
    let workspace = Workspace::new();
    let flags = ["--scene", "w1m_1000", "--rays", "inc", "--device", "cpu", "--threads", "1"];
    let results = results(&workspace, &flags);
    let [result] = &results[..] else { panic!("{results:?}") };
    assert_eq!(
        (&result["scene"], &result["rays"], &result["device_type"], &result["version"]),
        (&"w1m_1000".into(), &"inc".into(), &"cpu".into(), &env!("CARGO_PKG_VERSION").into())
    );
    for (name, count) in
        [("threads", 1), ("repeat", 2), ("shapes", 1000), ("ray_count", 1_000_000), ("invalid", 0)]
    {
        assert_eq!(result[name], count, "{name}");
    }
    let hits = result["hits"].as_u64().unwrap();
    assert!((310_000..350_000).contains(&hits), "{hits}");
    for name in [
        "load_s",
        "tree_s",
        "build_s",
        "prepare_s",
        "total_s",
        "mrays_per_s",
        "copy_gb_per_s",
        "ray_bytes_share_of_copy",
        "bytes_per_ray",
        "nodes",
        "node_bytes",
        "depth",
    ] {
        assert!(result[name].as_f64().unwrap() > 0.0, "{name}: {result}");
    }
    let rate = |name: &str| result[name].as_f64().unwrap();
    assert!(rate("mrays_per_s_min") <= rate("mrays_per_s"), "{result}");
    assert!(rate("mrays_per_s") <= rate("mrays_per_s_max"), "{result}");
    for name in ["gpu_s", "gpu_mrays_per_s", "backend", "driver"] {
        assert!(result[name].is_null(), "{name}: a CPU has none");
    }
}

#[test]
fn files_are_cast_with_a_tree_of_any_quality_as_query_casts_them() {
    let workspace = Workspace::new();
    for build in ["fast", "medium", "best"] {
        let flags = ["--scene", "scene.json", "--rays", "rays.npy", "--device", "cpu"];
        let results = results(&workspace, &[&flags[..], &["--build", build]].concat());
        let [result] = &results[..] else { panic!("{results:?}") };
        assert_eq!((&result["scene"], &result["rays"]), (&"scene.json".into(), &"rays.npy".into()));
        assert_eq!(result["quality"], build);
        for (name, count) in [("shapes", 3), ("ray_count", 3), ("hits", 1), ("invalid", 1)] {
            assert_eq!(result[name], count, "{name}");
        }
    }
}

#[test]
fn each_kind_is_measured_and_finds_the_hits_of_the_others() {
    let workspace = Workspace::new();
    for device in ["cpu", "gpu"] {
        let flags = ["--scene", "w1m_300", "--rays", "rays.npy", "--device", device];
        let kinds = ["--kind", "closest,any,count,all", "--kind", "points"];
        let results = results(&workspace, &[&flags[..], &kinds].concat());
        let kinds: Vec<_> = results.iter().map(|one| one["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["closest", "any", "count", "all", "points"]);
        for one in &results {
            // The invalid ray has a valid origin.
            let invalid = if one["kind"] == "points" { 0 } else { 1 };
            assert_eq!(one["invalid"], invalid, "{one}");
            assert!(one["kind"] == "points" || one["hits"] == results[0]["hits"], "{one}");
            assert_eq!(one["ray_bytes_share_of_copy"].is_null(), one["kind"] != "closest");
            // Two kernels find all crossings, with the host between them.
            let has_rate = device == "gpu" && one["kind"] != "all";
            assert_eq!(one["gpu_mrays_per_s"].as_f64().is_some_and(|rate| rate > 0.0), has_rate);
            let method = one["gpu_method"].as_str().unwrap_or_default();
            assert_eq!(method.contains("full load"), has_rate, "{one}");
            assert_eq!(one["phases"].as_array().map(Vec::len), Some(0), "{one}");
        }
    }
    workspace.fails(2, &["bench", "--kind", "nearest"]);
}

#[test]
fn all_rays_are_cast_into_every_scene() {
    let workspace = Workspace::new();
    workspace.write("none.npy", npy("<f4", "False", "(0, 6)", &[]));
    let scenes = ["--scene", "w1d_10,scene.json", "--scene", "w1m_1"];
    let rays = ["--rays", "rays.npy,none.npy", "--device", "cpu"];
    let results = results(&workspace, &[scenes, rays].concat());
    let pairs: Vec<_> = results
        .iter()
        .map(|one| (one["scene"].as_str().unwrap(), one["rays"].as_str().unwrap()))
        .collect();
    let scenes = ["w1d_10", "scene.json", "w1m_1"];
    let all = scenes.map(|scene| [(scene, "rays.npy"), (scene, "none.npy")]).concat();
    assert_eq!(pairs, all);
    assert!(results.iter().all(|one| one["rays"] == "rays.npy" || one["hits"] == 0));
}

#[test]
fn the_result_of_a_gpu_holds_its_driver_and_its_rate_of_copying() {
    let workspace = Workspace::new();
    let scene = ["--scene", "w1m_100", "--rays", "rays.npy", "--device", "gpu"];
    let results = results(&workspace, &scene);
    let [result] = &results[..] else { panic!("{results:?}") };
    for name in ["device", "backend", "driver", "processor"] {
        assert!(!result[name].as_str().unwrap().is_empty(), "{name}: {result}");
    }
    assert_eq!((&result["bytes_per_ray"], &result["invalid"]), (&40.into(), &1.into()));
    for name in ["copy_gb_per_s", "ray_bytes_share_of_copy"] {
        assert!(result[name].as_f64().unwrap() > 0.0, "{name}: {result}");
    }
}

#[test]
fn the_phases_of_the_rays_and_of_eight_times_as_many_are_measured_if_asked() {
    let workspace = Workspace::new();
    let flags = ["--scene", "w1m_9", "--rays", "rays.npy", "--kind", "closest,any", "--phases"];
    for device in ["cpu", "gpu"] {
        let run = [&["bench", "--repeat", "1", "--device", device], &flags[..]].concat();
        let summary = workspace.json(&run);
        for result in summary["results"].as_array().unwrap() {
            let phases = result["phases"].as_array().unwrap();
            let counts: Vec<_> = phases.iter().map(|one| one["ray_count"].as_u64()).collect();
            assert_eq!(counts, [Some(3), Some(24)], "{result}");
            for one in phases {
                let time = |name: &str| one[name].as_f64();
                assert_eq!(time("normals_s").is_some(), result["kind"] == "closest", "{one}");
                assert_eq!(time("host_ns_per_ray").is_some(), device == "gpu", "{one}");
                let parts = ["writing_s", "waiting_s", "reading_s"].map(time);
                assert!(parts.iter().all(|part| part.is_some() == (device == "gpu")), "{one}");
                let sum: f64 = parts.into_iter().flatten().sum();
                assert!(sum <= time("total_s").unwrap(), "{one}");
                assert_eq!(sum > 0.0, device == "gpu", "{one}");
            }
        }
    }
    let run = [&["bench", "--device", "gpu", "-q"], &flags[..]].concat();
    let text = String::from_utf8(workspace.run(&run).stdout).unwrap();
    let (_, table) = text.split_once("where the time goes, in ms\n\n").unwrap();
    assert_eq!(table.lines().count(), 5, "{text}");
    assert!(text.contains("full load") && table.contains("waiting"), "{text}");
}

#[test]
fn people_get_a_table_of_aligned_columns() {
    let workspace = Workspace::new();
    let flags = ["--scene", "w1m_9,scene.json", "--rays", "rays.npy", "--device", "cpu", "-q"];
    let output = workspace.run(&[&["bench"], &flags[..]].concat());
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, table) = text.split_once("\n\n").unwrap();
    let lines: Vec<&str> = table.lines().collect();
    let [header, one, two] = lines[..] else { panic!("{text}") };
    assert!(header.starts_with("scene"), "{text}");
    assert_eq!(one.find("rays.npy"), header.find("rays"), "{text}");
    assert_eq!(two.find("rays.npy"), header.find("rays"), "{text}");
    assert_eq!(one.len(), two.len(), "{text}");
}

#[test]
fn unknown_workloads_and_impossible_flags_are_refused() {
    let workspace = Workspace::new();
    for name in ["w1m_0", "w1m_20000001", "w2_100", "cube"] {
        let error = workspace.fails(2, &["bench", "--scene", name]);
        assert!(error.contains("w1m_N") && error.contains("w1d_N"), "{error}");
    }
    let error = workspace.fails(2, &["bench", "--rays", "all"]);
    assert!(error.contains("inc") && error.contains("coh"), "{error}");
    workspace.fails(2, &["bench", "--threads", "0"]);
    workspace.fails(2, &["bench", "--repeat", "0"]);
    workspace.fails(2, &["bench", "--tree", "square"]);
    let cpu = ["--device", "cpu"];
    assert!(
        workspace
            .fails(3, &[&["bench", "--scene", "no.json"], &cpu[..]].concat())
            .contains("no.json")
    );
    assert!(
        workspace.fails(3, &[&["bench", "--rays", "no.npy"], &cpu[..]].concat()).contains("no.npy")
    );
    workspace.fails(4, &["bench", "--device", "no such adapter"]);
}

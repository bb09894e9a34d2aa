//! `raytwin query` with rays and answers as tables of text.

use crate::common::workspace::{Workspace, npy};
use std::fs;

const RAYS: &str = "tag,ox,oy,oz,dx,dy,dz,t_max\n\
    \"down, in\",0,0,5,0,0,-2,\nshort,0,0,5,0,0,-2,1\n007,0,0,5,0,0,0,\n";

fn ask(workspace: &Workspace, rays: &str, answers: &str, flags: &[&str]) -> String {
    let arguments = ["query", "scene.json", rays, "-o", answers, "--device", "cpu"];
    workspace.json(&[&arguments[..], flags].concat());
    fs::read_to_string(workspace.path(answers)).unwrap_or_default()
}

#[test]
fn rays_of_a_table_keep_their_columns_beside_the_hits_with_their_paths() {
    let workspace = Workspace::new();
    workspace.write("rays.csv", RAYS);
    let hits = ask(&workspace, "rays.csv", "hits.csv", &[]);
    let expected = "\
tag,ox,oy,oz,dx,dy,dz,t_max,t_hit,geometry_id,primitive_id,nx,ny,nz,path
\"down, in\",0,0,5,0,0,-2,,1.75,0,0,0,0,1,ball
short,0,0,5,0,0,-2,1,inf,,,,,,
007,0,0,5,0,0,0,,,,,,,,
";
    assert_eq!(hits, expected);
    let hits = ask(&workspace, "rays.csv", "hits.csv", &["--outputs", "geometry_ids"]);
    assert!(hits.starts_with("tag,ox,oy,oz,dx,dy,dz,t_max,geometry_id,path\n"), "{hits}");
    let hits = ask(&workspace, "rays.csv", "any.csv", &["--kind", "any"]);
    assert!(hits.ends_with("\nshort,0,0,5,0,0,-2,1,0\n007,0,0,5,0,0,0,,0\n"), "{hits}");
    let counts = ask(&workspace, "rays.npy", "counts.csv", &["--kind", "count"]);
    assert_eq!(counts, "intersections\n2\n0\n0\n");
    // The rays themselves are those of an array.
    // A table has one decimal mark, that of the answers; texts stay as they are.
    let commas = "tag;ox;oy;oz;dx;dy;dz\n1,5 in;0,25;0;5;0;0;-2\n2,5;0;0;5;0;0;-2\n";
    workspace.write("commas.csv", commas);
    let hits = ask(&workspace, "commas.csv", "hits.csv", &["--outputs", "geometry_ids"]);
    let first: Vec<&str> = hits.lines().nth(1).unwrap().split(',').collect();
    assert_eq!(&first[..4], ["\"1", "5 in\"", "0.25", "0"], "{hits}");
    assert!(hits.contains("\n\"2,5\",0,0,5,0,0,-2,"), "{hits}");
    workspace.write("same.csv", "dz,oz,ox,oy,dx,dy\n-2,5,0,0,0,0\n2,5,0,0,0,0\n0,5,0,0,0,0\n");
    ask(&workspace, "same.csv", "a.npz", &[]);
    ask(&workspace, "rays.npy", "b.npz", &[]);
    let [a, b] = ["a.npz", "b.npz"].map(|name| fs::read(workspace.path(name)).unwrap());
    assert!(a == b);
}

#[test]
fn what_is_no_table_of_rays_is_refused_with_its_place() {
    let workspace = Workspace::new();
    for (text, reason) in [
        ("ox,oy,oz,dx,dy\n1,2,3,4,5\n", "r.csv:1:1: has no column dz: rays need the columns ox"),
        ("", "r.csv:1:1: the file is empty: its first line names columns"),
        ("ox,oy,oz,dx,dy,dz\n1,2,3,4,5,\n", "r.csv:2:11: dz is empty: it must be a number"),
        ("ox,oy,oz,dx,dy,dz,ox\n1,2,3,4,5,6,7\n", "is a second column ox"),
        ("ox,oy,oz,dx,dy,dz,ray_mask\n1,2,3,4,5,6,-1\n", "ray_mask is '-1': it must be a number"),
        (
            "ox,oy,oz,dx,dy,dz,path\n1,2,3,4,5,6,a\n",
            "path: has the name of a column of the answers",
        ),
        ("ox,oy,oz,dx,dy,dz\n503214.01,2,3,0,0,1\n", "row 0.ox: is 503214.01, and rounding"),
    ] {
        workspace.write("r.csv", text);
        let arguments = ["query", "scene.json", "r.csv", "-o", "h.csv", "--device", "cpu"];
        let error = workspace.fails(3, &arguments);
        assert!(error.contains(reason), "{error}");
        assert!(!workspace.path("h.csv").exists());
    }
    let far = ["query", "scene.json", "r.csv", "-o", "h.csv", "--device", "cpu"];
    assert!(workspace.fails(3, &far).contains("--origin auto"));
    workspace.json(&[&far[..], &["--origin", "503200,0,0"]].concat());
    workspace.write("rays.txt", RAYS);
    let text = ["query", "scene.json", "rays.txt", "-o", "h.csv", "--device", "cpu"];
    assert!(workspace.fails(3, &text).contains("rays must be an .npy, .npz, .parquet or .csv"));
    workspace.write("rays.csv", RAYS);
    let all =
        ["query", "scene.json", "rays.csv", "-o", "h.csv", "--kind", "all", "--device", "cpu"];
    assert!(workspace.fails(3, &all).contains("write a .parquet or an .npz"));
}

#[test]
fn points_of_an_array_that_lose_their_decimals_are_a_warning() {
    let workspace = Workspace::new();
    let numbers: Vec<u8> =
        [503_214.01_f64, 2.0, 3.0].iter().flat_map(|number| number.to_le_bytes()).collect();
    workspace.write("far.npy", npy("<f8", "False", "(1, 3)", &numbers));
    let arguments = ["points", "scene.json", "far.npy", "-o", "near.csv", "--device", "cpu"];
    let warned = |flags: &[&str]| {
        let output = workspace.run(&[&arguments[..], flags].concat());
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8_lossy(&output.stderr).contains("far.npy: a coordinate is 503214.01")
    };
    assert!(warned(&[]) && !warned(&["--origin", "503200,0,0"]));
}

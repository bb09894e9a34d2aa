use super::*;
use std::path::PathBuf;

fn model_file(inner: &str) -> String {
    format!("<sdf version=\"1.7\">{inner}</sdf>")
}

/// The options that give a package its folder.
fn with_package(name: &str, folder: &str) -> Options {
    Options { packages: vec![(name.to_owned(), PathBuf::from(folder))], ..Options::default() }
}

const INCLUDE: &str = "<include><uri>model://crate</uri></include>";

#[test]
fn an_include_names_and_places_the_model_of_a_folder() {
    let scene = "<include><uri>model://crate</uri></include>\
                 <include><name>second</name><uri>model://crate</uri><pose>0 5 0 0 0 0</pose></include>\
                 <include><name>third</name><uri> crates/crate_1_7.sdf </uri><pose>0 9 0 0 0 0</pose>\
                 <placement_frame>l</placement_frame></include>";
    let model = model_file(&ball("crate", "<pose>0 0 3 0 0 0</pose>", "<pose>1 0 0 0 0 0</pose>"));
    let manifest = "<model><name>A crate</name><sdf version=\"1.5\">old.sdf</sdf>\
                    <sdf version=\"1.7\">crate_1_7.sdf</sdf><sdf version=\"1.99\">new.sdf</sdf></model>";
    let manifest = format!("<?xml version=\"1.0\"?>{manifest}");
    let files =
        [("w.sdf", scene), ("crates/model.config", &manifest), ("crates/crate_1_7.sdf", &model)];
    // The helper would make a world of a manifest.
    let store = FileStore::in_memory(files.map(|(name, text)| {
        let text = match name {
            "w.sdf" => format!("<sdf version=\"1.9\"><world name=\"w\">{text}</world></sdf>"),
            _ => text.to_owned(),
        };
        (name, text.into_bytes())
    }));
    let options = with_package("crate", "crates");
    let imported = crate::load_from(&store, "w.sdf", &options).unwrap();
    assert_near(&centers(&imported), &[[1.0, 0.0, 3.0], [1.0, 5.0, 0.0], [0.0, 9.0, 0.0]]);
    assert_eq!(paths(&imported.scene), ["crate/l/v", "second/l/v", "third/l/v"]);
    assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
}

#[test]
fn a_model_is_found_in_a_folder_of_its_name_beside_the_file_or_above() {
    let model = model_file(&ball("crate", "", ""));
    for folder in ["crate", "worlds/crate"] {
        let file = format!("{folder}/model.sdf");
        let files = [("worlds/w.sdf", INCLUDE), (&file[..], &model[..])];
        assert_eq!(paths(&read(&files, &Options::default()).unwrap().scene), ["crate/l/v"]);
    }
}

#[test]
fn a_bare_name_is_found_as_a_model_is() {
    let model = model_file(&ball("crate", "", ""));
    for name in ["crate", "crate/", "crate/model.sdf", "file://crate", "package://crate"] {
        let world = INCLUDE.replace("model://crate", name);
        for folder in ["crate", "worlds/crate"] {
            let file = format!("{folder}/model.sdf");
            let files = [("worlds/w.sdf", &world[..]), (&file[..], &model[..])];
            let imported = read(&files, &Options::default()).unwrap();
            assert_eq!(paths(&imported.scene), ["crate/l/v"], "{name} in {folder}");
        }
        let files = [("worlds/w.sdf", &world[..]), ("elsewhere/model.sdf", &model[..])];
        let imported = read(&files, &with_package("crate", "elsewhere")).unwrap();
        assert_eq!(paths(&imported.scene), ["crate/l/v"], "{name}");
    }
    // A path is one beside the file first, also within a model that is included.
    let mesh = "<model name=\"m\"><link name=\"l\"><visual name=\"v\"><geometry><mesh><uri>parts/a.obj</uri></mesh></geometry></visual></link></model>";
    let obj = |x: f64| format!("v {x} 0 0\nv {x} 1 0\nv {x} 0 1\nf 1 2 3\n");
    let [far, near] = [obj(7.0), obj(5.0)];
    let mut files = vec![("worlds/w.sdf", mesh), ("parts/a.obj", &far[..])];
    let at_x = |files: &[(&str, &str)]| {
        read(files, &Options::default()).unwrap().scene.geometries()[0].bounds().unwrap().min.x
    };
    assert_eq!(at_x(&files), 7.0);
    files.push(("worlds/parts/a.obj", &near));
    assert_eq!(at_x(&files), 5.0);
}

#[test]
fn an_address_may_have_more_slashes_before_its_model() {
    let model = model_file(&ball("crate", "", ""));
    for address in ["model:///crate", "model:////crate", "package:///crate/model.sdf"] {
        let world = INCLUDE.replace("model://crate", address);
        let files = [("w.sdf", &world[..]), ("crate/model.sdf", &model)];
        let imported = read(&files, &Options::default()).unwrap();
        assert_eq!(paths(&imported.scene), ["crate/l/v"], "{address}");
        let files = [("w.sdf", &world[..]), ("elsewhere/model.sdf", &model)];
        let imported = read(&files, &with_package("crate", "elsewhere")).unwrap();
        assert_eq!(paths(&imported.scene), ["crate/l/v"], "{address}");
    }
    let lost = [ball("m", "", ""), INCLUDE.replace("model://crate", "model:///crate")].concat();
    let warnings = world(&lost).unwrap().warnings;
    assert_eq!(warnings[0].names, ["model:///crate: the folder of 'crate' is not known"]);
}

#[test]
fn a_package_is_asked_for_only_where_one_is_missing() {
    let mesh = |uri: &str| {
        format!("<visual name=\"v\"><geometry><mesh><uri>{uri}</uri></mesh></geometry></visual>")
    };
    // As it is written the first is in no package, but with `/` it is there.
    let meshes = [mesh("model://crate\\a.obj"), mesh("absent.obj")].concat();
    let scene = ball("m", "", &meshes);
    let files = [("w.sdf", &scene[..]), ("crate/a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")];
    let imported = read(&files, &Options::default()).unwrap();
    let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
    assert_eq!((warning.count, &warning.remedy), (1, &None), "{warning}");
}

#[test]
fn a_frame_that_an_include_would_bring_names_the_include() {
    let world = |uri: &str| {
        let inner = format!(
            "<model name=\"m\">\n<include merge=\"true\"><uri>{uri}</uri></include>\n\
             <frame name=\"f\"><pose relative_to=\"base\"/></frame></model>"
        );
        world(&inner).unwrap_err()
    };
    assert_eq!(
        world("arm"),
        "w.sdf:4:17: \"base\" is not a frame; allowed here: f; an include that may define it could not be read \
         (arm: the folder of 'arm' is not known; put it next to this file or in a folder above it, or give it as a package)"
    );
    let fuel = world("https://fuel.gazebosim.org/1.0/o/models/arm");
    assert!(fuel.ends_with("models/arm: raytwin fetches nothing from the web)"), "{fuel}");
    // An include of another model brings nothing here.
    let other = "<model name=\"a\"><include><uri>arm</uri></include></model>\
                 <model name=\"b\"><pose relative_to=\"base\"/></model>";
    let other = super::world(other).unwrap_err();
    assert!(!other.contains("include"), "{other}");
}

#[test]
fn models_that_are_not_there_are_warned_of_and_nothing_is_fetched() {
    let scene = [
        INCLUDE,
        "<include><uri>https://fuel.gazebosim.org/1.0/openrobotics/models/Sun</uri></include>",
        "<include><uri>absent</uri></include><include><uri>empty.sdf</uri></include>",
        "<include><uri>light.sdf</uri></include><include><uri>robot.urdf</uri></include>",
        &ball("m", "", ""),
    ]
    .concat();
    let [empty, light] = ["", "<light name=\"s\"/>"].map(model_file);
    let files = [
        ("w.sdf", &scene[..]),
        ("empty.sdf", &empty),
        ("light.sdf", &light),
        ("robot.urdf", "no world"),
    ];
    let imported = read(&files, &Options::default()).unwrap();
    assert_eq!(paths(&imported.scene), ["m/l/v"]);
    let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
    assert_eq!(warning.remedy, Some(crate::Remedy::Packages));
    assert_eq!(warning.names.len(), 5, "{warning}");
    assert_eq!(warning.names[0], "model://crate: the folder of 'crate' is not known");
    assert_eq!(
        warning.names[1],
        "https://fuel.gazebosim.org/1.0/openrobotics/models/Sun: raytwin fetches nothing from the web"
    );
    assert!(warning.names[2].contains("absent: the folder of 'absent' is not known"), "{warning}");
    assert!(warning.names[3].contains("empty.sdf: has no model"), "{warning}");
}

#[test]
fn files_that_include_each_other_in_a_circle_are_refused() {
    let inner = |file: &str| {
        model_file(&format!("<model name=\"m\">\n<include><uri>{file}</uri></include></model>"))
    };
    let files = [
        ("w.sdf", "<include><uri>a.sdf</uri></include>"),
        ("a.sdf", &inner("b.sdf")[..]),
        ("b.sdf", &inner("a.sdf")[..]),
    ];
    assert_eq!(
        read(&files, &Options::default()).unwrap_err(),
        "b.sdf:2:1: closes a circle of files: a.sdf -> b.sdf -> a.sdf"
    );
    let broken = [("w.sdf", "<include><uri>a.sdf</uri></include>"), ("a.sdf", "no XML")];
    let broken = read(&broken, &Options::default()).unwrap_err();
    assert!(broken.starts_with("a.sdf:1:1: "), "{broken}");
}

#[test]
fn includes_that_multiply_are_refused() {
    let twice = |file: &str| {
        let include = format!("<include><uri>{file}</uri></include>").repeat(8);
        model_file(&format!("<model name=\"m\">{include}</model>"))
    };
    let names: Vec<String> = (0..9).map(|number| format!("{number}.sdf")).collect();
    let mut files: Vec<(String, String)> =
        names.windows(2).map(|pair| (pair[0].clone(), twice(&pair[1]))).collect();
    files.push((names[8].clone(), model_file(&ball("m", "", ""))));
    files.insert(0, ("w.sdf".to_owned(), "<include><uri>0.sdf</uri></include>".to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let error = read(&files, &Options::default()).unwrap_err();
    assert!(error.contains("included models have more than 262144 elements"), "{error}");
}

#[test]
fn a_merged_model_is_part_of_the_one_around_it() {
    let part = ball(
        "part",
        "<pose>9 9 9 0 0 0</pose><frame name=\"f\"><pose relative_to=\"__model__\">0 0 2 0 0 0</pose></frame>",
        "<pose>1 0 0 0 0 0</pose>",
    );
    let outer = "<model name=\"o\"><pose>0 0 5 0 0 0</pose>\
                 <include merge=\"true\"><uri>part.sdf</uri><pose degrees=\"true\">0 1 0 0 0 90</pose></include>\
                 <link name=\"k\"><pose relative_to=\"f\">3 0 0 0 0 0</pose><visual name=\"v\">\
                 <geometry><sphere><radius>1</radius></sphere></geometry></visual></link></model>";
    let files = [("w.sdf", outer), ("part.sdf", &model_file(&part)[..])];
    let imported = read(&files, &Options::default()).unwrap();
    // The link is one metre along the turned x axis of the part, and so is what is measured from f.
    assert_near(&centers(&imported), &[[0.0, 2.0, 5.0], [0.0, 4.0, 7.0]]);
    assert_eq!(paths(&imported.scene), ["o/l/v", "o/k/v"]);
    let placed = outer.replace("</uri>", "</uri><placement_frame>l</placement_frame>");
    let files = [("w.sdf", &placed[..]), ("part.sdf", &model_file(&part)[..])];
    let imported = read(&files, &Options::default()).unwrap();
    assert_near(&centers(&imported), &[[0.0, 1.0, 5.0], [0.0, 3.0, 7.0]]);
    let lost =
        placed.replace("<placement_frame>l", "<placement_frame>k").replace("relative_to=\"f\"", "");
    let files = [("w.sdf", &lost[..]), ("part.sdf", &model_file(&part)[..])];
    let error = read(&files, &Options::default()).unwrap_err();
    assert!(error.ends_with("placement_frame \"k\" is outside the model"), "{error}");
}

#[test]
fn what_is_beside_the_first_world_is_reported() {
    let whole = format!(
        "<sdf version=\"1.6\"><world name=\"first\"><state world_name=\"first\"/>\
         <actor name=\"walker\"/><light name=\"sun\"/>{}</world>\
         <world name=\"second\">{}</world></sdf>",
        ball("a", "", ""),
        ball("b", "", "")
    );
    let imported = world(&whole).unwrap();
    assert_eq!(paths(&imported.scene), ["a/l/v"]);
    let message: Vec<_> = imported.warnings.iter().map(|it| it.names.concat()).collect();
    assert_eq!(message, ["<actor> walker", "<state> first", "<world> second"]);
    let models = format!("<sdf version=\"1.6\">{}{}</sdf>", ball("a", "", ""), ball("b", "", ""));
    assert_eq!(paths(&world(&models).unwrap().scene), ["a/l/v", "b/l/v"]);
}

#[test]
fn files_of_no_known_version_are_refused() {
    for (text, reason) in [
        ("<sdf/>", "w.sdf:1:1: <sdf> has no version=\"...\""),
        (
            "<sdf version=\"1.13\"/>",
            "w.sdf:1:1: version=\"1.13\": raytwin reads SDFormat 1.3 to 1.12",
        ),
        (
            "<sdf version=\"2.0\"/>",
            "w.sdf:1:1: version=\"2.0\": raytwin reads SDFormat 1.3 to 1.12",
        ),
    ] {
        assert_eq!(world(text).unwrap_err(), reason);
    }
    let deep =
        format!("<sdf version=\"1.9\">{}{}</sdf>", "<model>".repeat(300), "</model>".repeat(300));
    assert!(world(&deep).unwrap_err().ends_with("elements are nested more than 200 deep"));
    let models: String = (0..80).map(|_| "<model name=\"m\">").collect();
    let deep = format!("<sdf version=\"1.9\">{models}{}</sdf>", "</model>".repeat(80));
    assert!(world(&deep).unwrap_err().ends_with("models are nested more than 64 deep"));
}

#[test]
fn comments_and_prefixes_of_any_kind_keep_places() {
    let whole = format!(
        "<!-- first -- and -->\n<?xml version=\"1.0\"?>\n<sdf version=\"1.9\" xmlns:a=\"b:c\">\n\
         <!-- \u{e4} --> {}<gz:box a:b='>:'><![CDATA[<x:y>]]></gz:box></sdf>",
        ball("m", "<pose>PLACE</pose>", "")
    );
    let read = |place: &str| world_of_text(&whole.replace("PLACE", place));
    assert_eq!(paths(&read("0 0 0 0 0 0").unwrap().scene), ["m/l/v"]);
    assert!(read("x").unwrap_err().starts_with("w.sdf:4:28: "), "{:?}", read("x"));
    for broken in ["<!-- no end", "<sdf version=\"1.9\"><a b='", "<sdf><![CDATA["] {
        assert!(world_of_text(broken).is_err());
    }
}

/// Reads a text that is a whole file.
fn world_of_text(text: &str) -> Result<ImportedScene, String> {
    let store = FileStore::in_memory([("w.sdf", text.as_bytes())]);
    let options = Options::default();
    crate::read(&store, "w.sdf", &options)
        .and_then(|graph| graph.flatten_any(&options))
        .map_err(|error| error.to_string())
}

#[test]
fn text_that_gazebo_reads_is_read_with_warnings_that_name_the_file() {
    let model = format!(
        "<sdf version=\"1.9\"><!-- \u{e9} -- -->{}</sdf>\0",
        ball("m", "<gz:pose>x</gz:pose>", "")
    );
    let model: Vec<u8> = model.chars().map(|letter| letter as u8).collect();
    let store = FileStore::in_memory([
        (
            "w.sdf",
            &b"<sdf a=\"1\"version=\"1.9\"><include><uri>m\\model.sdf</uri></include></sdf>"[..],
        ),
        ("m/model.sdf", &model),
    ]);
    let imported = crate::load_from(&store, "w.sdf", &Options::default()).unwrap();
    assert_eq!(imported.scene.geometry_count(), 1);
    let message: Vec<String> = imported.warnings.iter().flat_map(|it| it.names.clone()).collect();
    assert_eq!(message, ["model.sdf:1:1", "model.sdf:1:20", "w.sdf:1:11", "model.sdf:1:187"]);
}

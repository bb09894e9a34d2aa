use crate::{ImportedScene, Options, load};
use raytwin::cpu::CpuTracer;
use raytwin::ray::Ray;
use raytwin::scene::Scene;
use raytwin::{PackedScene, Tracer};
use std::fmt::Write as _;
use std::io::Write as _;

fn xml(body: &str) -> String {
    format!(
        "<?xml version='1.0' encoding='UTF-8'?>\n<X3D version='3.3'><Scene>{body}</Scene></X3D>"
    )
}

fn classic(body: &str) -> String {
    format!("#X3D V3.3 utf8\nPROFILE Immersive\n{body}\n")
}

/// Reads a file of that name and content, with files beside it.
fn read_with(
    file: &str,
    content: &[u8],
    beside: &[(&str, &str)],
    options: &Options,
) -> Result<ImportedScene, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(file);
    std::fs::write(&path, content).unwrap();
    for (name, text) in beside {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    load(&path, options)
        .map_err(|error| error.to_string().replace(&format!("{}/", folder.path().display()), ""))
}

fn read(file: &str, text: &str) -> Result<ImportedScene, String> {
    read_with(file, text.as_bytes(), &[], &Options::default())
}

/// All that a scene holds, with its numbers to the bit.
fn message(scene: &Scene) -> String {
    let mut message = String::new();
    for (id, geometry, placement) in scene.written_out() {
        let (path, color) = (scene.path(id), scene.appearance(id).color);
        writeln!(message, "{path} {color:?} {geometry:?} {placement:?}").unwrap();
    }
    writeln!(message, "{:?}", scene.cameras).unwrap();
    message
}

/// Reads the two encodings of a world with files beside it, which must be one scene, and the same
/// warnings but for lines.
fn both_with(
    in_xml: &str,
    in_classic: &str,
    beside: &[(&str, &str)],
    options: &Options,
) -> ImportedScene {
    let first = read_with("w.x3d", xml(in_xml).as_bytes(), beside, options).unwrap();
    let second = read_with("w.x3dv", classic(in_classic).as_bytes(), beside, options).unwrap();
    assert_eq!(message(&first.scene), message(&second.scene));
    let counts = |imported: &ImportedScene| -> Vec<(String, usize)> {
        imported.warnings.iter().map(|it| (it.what.clone(), it.count)).collect()
    };
    assert_eq!(counts(&first), counts(&second), "{:?} {:?}", first.warnings, second.warnings);
    first
}

fn both(in_xml: &str, in_classic: &str) -> ImportedScene {
    both_with(in_xml, in_classic, &[], &Options::default())
}

/// Casts a ray, and returns the distance and the path of what it meets.
fn pick(scene: &Scene, origin: [f32; 3], direction: [f32; 3]) -> Option<(f32, String)> {
    let packed = PackedScene::new(scene.clone()).unwrap();
    let hits = CpuTracer::new(&packed).cast(&[Ray::new(origin, direction)]).unwrap();
    hits.t_hit[0].is_finite().then(|| (hits.t_hit[0], scene.path(hits.geometry_ids[0])))
}

#[track_caller]
fn expect(scene: &Scene, origin: [f32; 3], direction: [f32; 3], t: f32, path: &str) {
    let (found, at) = pick(scene, origin, direction).expect("a hit");
    assert!((found - t).abs() < 1e-5 * t.max(1.0), "{found} instead of {t}, at {at}");
    assert_eq!(at, path);
}

fn paths(scene: &Scene) -> Vec<String> {
    (0..scene.geometry_count()).map(|id| scene.path(id)).collect()
}

const DOWN: [f32; 3] = [0.0, -1.0, 0.0];
const TO_X: [f32; 3] = [1.0, 0.0, 0.0];
const AWAY: [f32; 3] = [0.0, 0.0, -1.0];

#[test]
fn solids_have_the_sizes_of_the_standard_and_full_lengths_about_y() {
    let ImportedScene { scene, warnings, .. } = both(
        "<Shape><Sphere/></Shape>
         <Transform translation='10 0 0'><Shape><Box size='2, 4 +6.'/></Shape></Transform>
         <Transform translation='20 0 0'><Shape><Cylinder radius='.5' height='3e0'/></Shape></Transform>
         <Transform translation='30 0 0'><Shape><Cone/></Shape></Transform>
         <Transform translation='40 0 0'><Shape><Box/></Shape></Transform>",
        "Shape { geometry Sphere { } }
         Transform { translation 10 0 0 children Shape { geometry Box { size 2, 4 +6. } } }
         Transform { translation 20,0,0 children [ Shape { geometry Cylinder { radius .5 height 3e0 } } ] }
         Transform { children Shape { geometry Cone { } } translation 30 0 0 }
         Transform { translation 40 0 0 children Shape { geometry Box { } } }",
    );
    assert!(warnings.is_empty());
    expect(&scene, [0.0, 9.0, 0.0], DOWN, 8.0, "sphere[0]");
    expect(&scene, [10.5, 9.0, 0.0], DOWN, 7.0, "box[1]");
    expect(&scene, [10.0, 0.0, 9.0], AWAY, 6.0, "box[1]");
    expect(&scene, [20.25, 9.0, 0.0], DOWN, 7.5, "cylinder[2]");
    expect(&scene, [20.0, 1.0, 9.0], AWAY, 8.5, "cylinder[2]");
    // Halfway up the cone its radius is half of that of its bottom.
    expect(&scene, [30.0, 0.0, 9.0], AWAY, 8.5, "cone[3]");
    expect(&scene, [40.0, 0.0, 9.0], AWAY, 8.0, "box[4]");
}

#[test]
fn round_solids_without_some_parts_are_surfaces() {
    let ImportedScene { scene, warnings, .. } = both(
        "<Shape DEF='tube'><Cylinder top='false' bottom='FALSE'/></Shape>
         <Transform translation='10 0 0'><Shape DEF='cup'><Cylinder top='false'/></Shape></Transform>
         <Transform translation='20 0 0'><Shape DEF='tent'><Cone bottom='false'/></Shape></Transform>
         <Transform translation='30 0 0'><Shape DEF='plate'><Cone side='false'/></Shape></Transform>
         <Shape DEF='none'><Cylinder side='false' top='false' bottom='false'/></Shape>
         <Shape DEF='nothing'><Cone side='false' bottom='false'/></Shape>",
        "DEF tube Shape { geometry Cylinder { top FALSE bottom FALSE } }
         Transform { translation 10 0 0 children DEF cup Shape { geometry Cylinder { top FALSE } } }
         Transform { translation 20 0 0 children DEF tent Shape { geometry Cone { bottom FALSE } } }
         Transform { translation 30 0 0 children DEF plate Shape { geometry Cone { side FALSE } } }
         DEF none Shape { geometry Cylinder { side FALSE top FALSE bottom FALSE } }
         DEF nothing Shape { geometry Cone { side FALSE bottom FALSE } }",
    );
    assert!(warnings.is_empty());
    assert_eq!(paths(&scene), ["tube", "cup", "tent", "plate"]);
    assert!(scene.geometries().iter().all(|geometry| !geometry.is_solid()));
    assert_eq!(pick(&scene, [0.0, 9.0, 0.0], DOWN), None);
    expect(&scene, [0.0, 0.0, 0.0], TO_X, 1.0, "tube");
    expect(&scene, [10.0, 9.0, 0.0], DOWN, 10.0, "cup");
    // From below, the open cone is met on the inside of its side.
    expect(&scene, [20.5, -9.0, 0.0], [0.0, 1.0, 0.0], 9.0, "tent");
    expect(&scene, [30.5, 9.0, 0.0], DOWN, 10.0, "plate");
}

#[test]
fn a_transform_turns_and_stretches_about_its_center() {
    // Each expected point is the product of T·C·R·SR·S·−SR·−C, worked out by hand.
    let ImportedScene { scene, .. } = both(
        "<Transform DEF='a' translation='5 0 0' center='1 0 0' rotation='0 0 1 1.5707963267948966' scale='2 2 2'>
           <Transform DEF='b' translation='2 0 0'><Shape DEF='ball'><Sphere radius='0.25'/></Shape></Transform>
         </Transform>
         <Transform DEF='c' translation='0 0 -20' scale='3 1 1' scaleOrientation='0 0 1 1.5707963267948966'>
           <Shape><Sphere/></Shape>
         </Transform>
         <Transform DEF='d' translation='0 50 0' rotation='0 0 0 3'><Shape><Box/></Shape></Transform>",
        "DEF a Transform { translation 5 0 0 center 1 0 0 rotation 0 0 1 1.5707963267948966 scale 2 2 2
           children DEF b Transform { translation 2 0 0 children DEF ball Shape { geometry Sphere { radius 0.25 } } } }
         DEF c Transform { translation 0 0 -20 scale 3 1 1 scaleOrientation 0 0 1 1.5707963267948966
           children Shape { geometry Sphere { } } }
         DEF d Transform { translation 0 50 0 rotation 0 0 0 3 children Shape { geometry Box { } } }",
    );
    // The ball's centre is (2, 0, 0): less (1, 0, 0), twice as far, turned to y, and moved by (1,
    // 0, 0) and (5, 0, 0).
    expect(&scene, [6.0, 9.0, 0.0], DOWN, 6.5, "a/b/ball");
    // The sphere is stretched along y, which its orientation of scale turns the x axis to.
    expect(&scene, [0.0, 9.0, -20.0], DOWN, 6.0, "c/sphere[0]");
    expect(&scene, [-9.0, 0.0, -20.0], TO_X, 8.0, "c/sphere[0]");
    expect(&scene, [0.0, 59.0, 0.0], DOWN, 8.0, "d/box[0]");
}

#[test]
fn groups_switches_and_levels_choose_what_is_there() {
    let ball = |name: &str, x: u32| {
        [
            format!(
                "<Transform translation='{x} 0 0'><Shape DEF='{name}'><Sphere/></Shape></Transform>"
            ),
            format!(
                "Transform {{ translation {x} 0 0 children DEF {name} Shape {{ geometry Sphere {{ }} }} }}"
            ),
        ]
    };
    let [xs, cs]: [Vec<String>; 2] = [0, 1].map(|encoding| {
        let names = "abcdefghijkl".chars().zip(0..);
        names.map(|(name, at)| ball(&name.to_string(), 10 * at)[encoding].clone()).collect()
    });
    let [a, b, c, d, e, f, g, h, i, j, k, l] = <[String; 12]>::try_from(xs).unwrap();
    let in_xml = format!(
        "<Group DEF='G'>{a}</Group><Switch whichChoice='1'><Group/>{b}{c}</Switch><Switch>{d}</Switch>
         <LOD range='5'>{e}{f}</LOD><Anchor>{g}</Anchor><StaticGroup>{h}</StaticGroup><Billboard>{i}</Billboard>
         <Collision>{j}<Group containerField='proxy'>{k}</Group></Collision>
         <CADLayer><CADAssembly><CADPart translation='0 7 0'><CADFace>{l}</CADFace></CADPart></CADAssembly></CADLayer>
         <Group visible='false'><Shape><Sphere/></Shape></Group><PointLight/><Script/><NavigationInfo/>"
    );
    let [a, b, c, d, e, f, g, h, i, j, k, l] = <[String; 12]>::try_from(cs).unwrap();
    let in_classic = format!(
        "DEF G Group {{ children [ {a} ] }} Switch {{ whichChoice 1 choice [ Group {{ }} {b} {c} ] }} Switch {{ choice {d} }}
         LOD {{ range [ 5 ] level [ {e} {f} ] }} Anchor {{ children {g} }} StaticGroup {{ children {h} }}
         Billboard {{ children {i} }} Collision {{ children {j} proxy Group {{ children {k} }} }}
         CADLayer {{ children CADAssembly {{ children CADPart {{ translation 0 7 0 children CADFace {{ shape {l} }} }} }} }}
         Group {{ visible FALSE children Shape {{ geometry Sphere {{ }} }} }} PointLight {{ }}
         Script {{ url \"javascript: // {{\" field SFNode x USE G eventIn SFBool on eventOut SFTime at mustEvaluate TRUE }}
         NavigationInfo {{ type [ \"EXAMINE\" \"ANY\" ] avatarSize [ 0.25, 1.6 0.75 ] }}
         ROUTE a.b TO c.d"
    );
    let ImportedScene { scene, warnings, .. } = both(&in_xml, &in_classic);
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(paths(&scene), ["G/a", "b", "e", "g", "h", "i", "j", "l"]);
    expect(&scene, [110.0, 17.0, 0.0], DOWN, 9.0, "l");
}

#[test]
fn what_is_used_several_times_is_where_each_use_is_and_in_its_colour() {
    let ImportedScene { scene, .. } = both(
        "<Transform DEF='T' translation='0 0 -5'><Shape DEF='S'>
           <Appearance DEF='Red'><Material diffuseColor='1 0 0'/></Appearance><Sphere DEF='Ball'/></Shape></Transform>
         <Transform translation='10 0 0'><Transform USE='T'/></Transform>
         <Transform DEF='U' translation='20 0 0'><Shape><Appearance><Material diffuseColor='0 1 0'/></Appearance>
           <Sphere USE='Ball'/></Shape></Transform>
         <Transform translation='30 0 0'><Shape><Appearance USE='Red'/><Box DEF='Ball'/></Shape></Transform>
         <Transform translation='40 0 0'><Shape USE='S'/></Transform>
         <Transform translation='50 0 0'><Shape><Box USE='Ball'/></Shape></Transform>",
        "DEF T Transform { translation 0 0 -5 children DEF S Shape {
           appearance DEF Red Appearance { material Material { diffuseColor 1 0 0 } } geometry DEF Ball Sphere { } } }
         Transform { translation 10 0 0 children USE T }
         DEF U Transform { translation 20 0 0 children Shape { appearance Appearance { material Material { diffuseColor 0 1 0 } }
           geometry USE Ball } }
         Transform { translation 30 0 0 children Shape { appearance USE Red geometry DEF Ball Box { } } }
         Transform { translation 40 0 0 children [ USE S ] }
         Transform { translation 50 0 0 children Shape { geometry USE Ball } }",
    );
    assert_eq!(paths(&scene), ["T/S/Ball", "T/S/Ball", "U/Ball", "Ball", "S/Ball", "Ball"]);
    expect(&scene, [10.0, 0.0, 9.0], AWAY, 13.0, "T/S/Ball");
    expect(&scene, [40.0, 0.0, 9.0], AWAY, 8.0, "S/Ball");
    // A name that is given again stands for the later node.
    expect(&scene, [50.9, 9.0, 0.9], DOWN, 8.0, "Ball");
    let colors: Vec<_> = (0..6).map(|id| scene.appearance(id).color).collect();
    let [red, green] = [Some([1.0, 0.0, 0.0]), Some([0.0, 1.0, 0.0])];
    assert_eq!(colors, [red, red, green, red, red, None]);
}

#[test]
fn materials_of_all_versions_give_the_colour() {
    let shape =
        |material: &str| format!("<Shape><Appearance>{material}</Appearance><Sphere/></Shape>");
    let body = [
        "<Material/>",
        "<PhysicalMaterial baseColor='0.5 0.25 1'/>",
        "<UnlitMaterial emissiveColor='0 0 1'/>",
        "<Material diffuseColor='0 2 0'/>",
    ]
    .map(shape)
    .concat();
    let imported = read("w.x3d", &xml(&body)).unwrap();
    let colors: Vec<_> = (0..4).map(|id| imported.scene.appearance(id).color).collect();
    assert_eq!(colors, [Some([0.8; 3]), Some([0.5, 0.25, 1.0]), Some([0.0, 0.0, 1.0]), None]);
    assert_eq!(
        imported.warnings[0].names,
        ["Material (line 2): red, green and blue must be from 0 to 1"]
    );
}

#[test]
fn sets_of_faces_lines_and_points_are_read_from_their_coordinates() {
    // Squares of side 2 in the planes x = 0, 10, 20 and so on, each by another node, and one set of
    // lines and points.
    let square = |x: u32| format!("{x} -1 -1, {x} 1 -1, {x} 1 1, {x} -1 1");
    let halves = |x: u32| format!("{x} -1 -1 {x} 1 -1 {x} 1 1 {x} -1 -1 {x} 1 1 {x} -1 1");
    let strip = |x: u32| format!("{x} -1 -1 {x} 1 -1 {x} -1 1 {x} 1 1");
    let sets = [
        ("IndexedFaceSet", "coordIndex='0 1 2 3 -1'", square(0)),
        ("IndexedTriangleSet", "index='0 1 2 0 2 3'", square(10)),
        ("IndexedTriangleFanSet", "index='0 1 2 3 -1'", square(20)),
        ("IndexedTriangleStripSet", "index='0 1 2 3 -1'", strip(30)),
        ("IndexedQuadSet", "index='0 1 2 3'", square(40)),
        ("TriangleSet", "ccw='false'", halves(50)),
        ("TriangleFanSet", "fanCount='4'", square(60)),
        ("TriangleStripSet", "stripCount='4'", strip(70)),
        ("QuadSet", "solid='false'", square(80)),
        ("LineSet", "vertexCount='2'", "90 0 -1 90 0 1".to_owned()),
        ("IndexedLineSet", "coordIndex='0 1 -1'", "100 0 -1 100 0 1".to_owned()),
        ("PointSet", "", "110 0 0 120 0 0".to_owned()),
    ];
    let (mut in_xml, mut in_classic) = (String::new(), String::new());
    for (name, field, points) in sets {
        write!(in_xml, "<Shape><{name} {field}><Coordinate point='{points}'/></{name}></Shape>")
            .unwrap();
        let field = field.replace("='", " [ ").replace('\'', " ]").replace("[ false ]", "FALSE");
        writeln!(
            in_classic,
            "Shape {{ geometry {name} {{ {field} coord Coordinate {{ point [ {points} ] }} }} }}"
        )
        .unwrap();
    }
    let options =
        Options { line_radius: Some(0.5), point_radius: Some(0.25), ..Options::default() };
    let ImportedScene { scene, warnings, .. } = both_with(&in_xml, &in_classic, &[], &options);
    assert!(warnings.is_empty(), "{warnings:?}");
    for at in 0..9 {
        let x = 10.0 * at as f32;
        for [y, z] in [[0.9, 0.8], [-0.9, 0.8], [0.9, -0.8], [-0.9, -0.8]] {
            expect(&scene, [x - 5.0, y, z], TO_X, 5.0, &format!("mesh[{at}]"));
        }
        assert_ne!(pick(&scene, [x - 5.0, 1.1, 0.0], TO_X).map(|hit| hit.0), Some(5.0));
    }
    expect(&scene, [85.0, 0.0, 0.5], TO_X, 4.5, "lines[9]");
    expect(&scene, [95.0, 0.0, 0.5], TO_X, 4.5, "lines[10]");
    expect(&scene, [105.0, 0.0, 0.0], TO_X, 4.75, "sphere[11]");
    expect(&scene, [115.0, 0.0, 0.0], TO_X, 4.75, "sphere[12]");
    let without = both(&in_xml, &in_classic);
    assert_eq!(without.warnings[0].count, 1);
    assert!(without.warnings[0].to_string().contains("PointSet (line"), "{:?}", without.warnings);
    // By default the radius is a thousandth of the length of 2.
    let (t, _) = pick(&without.scene, [85.0, 0.0, 0.5], TO_X).unwrap();
    assert!((t - 4.998).abs() < 1e-5, "{t}");
}

#[test]
fn grids_extrusions_and_texts_are_read_from_their_fields() {
    let ImportedScene { scene, warnings, .. } = both(
        "<Shape DEF='land'><ElevationGrid xDimension='2' zDimension='2' xSpacing='4' zSpacing='2' height='1 1 1 1'/></Shape>
         <Transform translation='10 0 0'><Shape DEF='bar'><Extrusion spine='0 0 0 0 3 0'/></Shape></Transform>
         <Transform translation='20 0 0'><Shape DEF='pipe'>
           <Extrusion beginCap='false' endCap='false' spine='0 0 0 0 3 0' scale='0.5 0.5'/></Shape></Transform>
         <Transform translation='30 0 0'><Shape DEF='word'><Text string='\"I\" \"I\"'>
           <FontStyle size='2' justify='\"MIDDLE\" \"MIDDLE\"'/></Text></Shape></Transform>",
        "DEF land Shape { geometry ElevationGrid { xDimension 2 zDimension 2 xSpacing 4 zSpacing 2 height [ 1 1, 1 1 ] } }
         Transform { translation 10 0 0 children DEF bar Shape { geometry Extrusion { spine [ 0 0 0, 0 3 0 ] } } }
         Transform { translation 20 0 0 children DEF pipe Shape { geometry Extrusion {
           beginCap FALSE endCap FALSE spine [ 0 0 0 0 3 0 ] scale 0.5 0.5 } } }
         Transform { translation 30 0 0 children DEF word Shape { geometry Text { string [ \"I\", \"I\" ]
           fontStyle FontStyle { size 2 justify [ \"MIDDLE\" \"MIDDLE\" ] } } } }",
    );
    assert!(warnings.is_empty(), "{warnings:?}");
    // The grid lies at x from 0 to 4 and z from 0 to 2.
    expect(&scene, [3.9, 9.0, 1.9], DOWN, 8.0, "land");
    expect(&scene, [10.9, 9.0, 0.9], DOWN, 6.0, "bar");
    assert_eq!(pick(&scene, [20.1, 9.0, 0.1], DOWN), None);
    expect(&scene, [20.0, 1.0, 0.0], TO_X, 0.5, "pipe");
    let is_solid: Vec<bool> = scene.geometries().iter().map(|it| it.is_solid()).collect();
    assert_eq!(is_solid, [false, true, false, false]);
    let bounds = scene.geometries()[3].bounds().unwrap();
    assert!((bounds.center().x - 30.0).abs() < 0.1 && bounds.max.z == 0.0, "{bounds:?}");
}

#[test]
fn prototypes_are_expanded_with_the_values_of_their_instances() {
    let ImportedScene { scene, warnings, .. } = both(
        "<ProtoDeclare name='Post'><ProtoInterface>
           <field name='at' type='SFVec3f' accessType='inputOutput' value='0 0 0'/>
           <field name='width' type='SFFloat' accessType='initializeOnly' value='1'/>
           <field name='top' type='SFNode' accessType='initializeOnly'><Sphere radius='3'/></field></ProtoInterface>
         <ProtoBody><Transform DEF='post'><IS><connect nodeField='translation' protoField='at'/></IS>
           <Shape DEF='foot'><Cylinder DEF='C' height='10'><IS><connect nodeField='radius' protoField='width'/></IS></Cylinder></Shape>
           <Transform translation='0 5 0'><Shape DEF='head'><IS><connect nodeField='geometry' protoField='top'/></IS></Shape></Transform>
           <Transform translation='0 0 50'><Shape><Cylinder USE='C'/></Shape></Transform>
         </Transform></ProtoBody></ProtoDeclare>
         <ProtoDeclare name='Pair'><ProtoInterface><field name='width' type='SFFloat' accessType='initializeOnly' value='2'/></ProtoInterface>
         <ProtoBody><Group><ProtoInstance name='Post'><IS><connect nodeField='width' protoField='width'/></IS></ProtoInstance>
           <ProtoInstance DEF='second' name='Post'><fieldValue name='at' value='0 0 10'/><fieldValue name='top'><Box size='8 8 8'/></fieldValue></ProtoInstance>
         </Group></ProtoBody></ProtoDeclare>
         <Transform translation='100 0 0'><ProtoInstance DEF='pair' name='Pair'/></Transform>
         <ProtoInstance name='Post'><fieldValue name='at' value='0 0 0'/></ProtoInstance>",
        "PROTO Post [ inputOutput SFVec3f at 0 0 0 field SFFloat width 1 exposedField SFNode top Sphere { radius 3 } eventIn SFBool on ]
         { DEF post Transform { translation IS at children [
           DEF foot Shape { geometry DEF C Cylinder { height 10 radius IS width } }
           Transform { translation 0 5 0 children DEF head Shape { geometry IS top } }
           Transform { translation 0 0 50 children Shape { geometry USE C } } ] } }
         PROTO Pair [ field SFFloat width 2 ] { Group { children [ Post { width IS width }
           DEF second Post { at 0 0 10 top Box { size 8 8 8 } } ] } }
         Transform { translation 100 0 0 children DEF pair Pair { } }
         Post { at 0 0 0 }",
    );
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(
        paths(&scene),
        [
            "pair/post/foot/C",
            "pair/post/head",
            "pair/post/C",
            "pair/second/post/foot/C",
            "pair/second/post/head",
            "pair/second/post/C",
            "post/foot/C",
            "post/head",
            "post/C",
        ]
    );
    expect(&scene, [90.0, -1.0, 0.0], TO_X, 8.0, "pair/post/foot/C");
    expect(&scene, [90.0, -1.0, 50.0], TO_X, 8.0, "pair/post/C");
    expect(&scene, [100.0, 20.0, 10.0], DOWN, 11.0, "pair/second/post/head");
    expect(&scene, [90.0, -1.0, 10.0], TO_X, 9.0, "pair/second/post/foot/C");
    expect(&scene, [0.0, 20.0, 0.0], DOWN, 12.0, "post/head");
}

#[test]
fn viewpoints_are_cameras_in_the_space_of_their_transform() {
    let ball_xml = "<Shape><Sphere/></Shape>";
    let ImportedScene { scene, .. } = both(
        &format!("<Transform translation='0 0 5' rotation='0 1 0 1.5707963267948966' scale='2 2 2'>
           <Viewpoint DEF='V' position='0 0 3' fieldOfView='1.5707963267948966' centerOfRotation='0 0 1'/></Transform>
         <Viewpoint description='Front'/>
         <OrthoViewpoint fieldOfView='-1 -2 3 4' position='0 0 20'/>{ball_xml}"),
        "Transform { translation 0 0 5 rotation 0 1 0 1.5707963267948966 scale 2 2 2 children
           DEF V Viewpoint { position 0 0 3 fieldOfView 1.5707963267948966 centerOfRotation 0 0 1 } }
         Viewpoint { description \"Front\" }
         OrthoViewpoint { fieldOfView [ -1 -2 3 4 ] position 0 0 20 } Shape { geometry Sphere { } }",
    );
    let names: Vec<&str> = scene.cameras.iter().map(|camera| camera.name.as_str()).collect();
    assert_eq!(names, ["V", "Front", "viewpoint[2]"]);
    let [first, front, flat] = &scene.cameras[..] else { panic!("{:?}", scene.cameras) };
    // Local +z is the world's +x, so the eye is at 2·3 along x, and looks along −x at a point at
    // 2·1.
    assert!((first.eye - glam::DVec3::new(6.0, 0.0, 5.0)).length() < 1e-6, "{first:?}");
    assert!((first.target - glam::DVec3::new(2.0, 0.0, 5.0)).length() < 1e-6, "{first:?}");
    assert!((first.forward + glam::DVec3::X).length() < 1e-6 && first.up.y > 0.999_999);
    let degrees = |camera: &raytwin::camera::Camera| match camera.projection {
        raytwin::camera::Projection::Perspective { fov_y_degrees } => fov_y_degrees,
        raytwin::camera::Projection::Orthographic { height } => height,
        _ => f64::NAN,
    };
    assert!((degrees(first) - 90.0).abs() < 1e-9 && (degrees(front) - 45.0).abs() < 1e-9);
    assert_eq!((front.eye, front.forward), (glam::DVec3::new(0.0, 0.0, 10.0), -glam::DVec3::Z));
    assert_eq!((flat.eye, degrees(flat)), (glam::DVec3::new(1.0, 1.0, 20.0), 6.0));
}

#[test]
fn files_that_a_world_holds_are_where_it_has_them() {
    let part = classic(
        "DEF ball Shape { geometry Sphere { } } Viewpoint { description \"near\" } Inline { url \"absent.wrl\" }",
    );
    let in_mm = classic("UNIT length millimetre 0.001\nShape { geometry Sphere { radius 500 } }");
    let beside = [("part 1.x3dv", &*part), ("mm.x3dv", &*in_mm)];
    let imported = both_with(
        "<Transform translation='10 0 0'><Inline DEF='in' url='\"http://example.com/a.wrl\" \"part%201.x3dv#near\"'/></Transform>
         <Inline url='part 1.x3dv'/><Inline url='mm.x3dv' load='false'/><Transform translation='0 0 9'><Inline url='mm.x3dv'/></Transform>",
        "Transform { translation 10 0 0 children DEF in Inline { url [ \"http://example.com/a.wrl\" \"part%201.x3dv#near\" ] } }
         Inline { url \"part 1.x3dv\" } Inline { url \"mm.x3dv\" load FALSE }
         Transform { translation 0 0 9 children Inline { url \"mm.x3dv\" } }",
        &beside,
        &Options::default(),
    );
    let scene = &imported.scene;
    assert_eq!(paths(scene)[..2], ["in/ball", "ball"]);
    expect(scene, [10.0, 9.0, 0.0], DOWN, 8.0, "in/ball");
    let (t, _) = pick(scene, [0.0, 9.0, 9.0], DOWN).unwrap();
    assert!((t - 8.5).abs() < 1e-6, "{t}");
    assert_eq!(imported.warnings.len(), 1);
    assert_eq!(imported.warnings[0].names, ["in/Inline (line 3): absent.wrl"]);
    let names: Vec<&str> = scene.cameras.iter().map(|camera| camera.name.as_str()).collect();
    assert_eq!(names, ["in/near", "near"]);
}

#[test]
fn units_scale_the_world_and_its_angles() {
    let in_xml = "<X3D version='3.3'><head><unit category='length' name='cm' conversionFactor='0.01'/>
        <unit category='angle' name='degree' conversionFactor='0.017453292519943295'/></head><Scene>
        <Transform rotation='0 0 1 90'><Transform translation='100 0 0'><Shape><Sphere radius='50'/></Shape></Transform></Transform></Scene></X3D>";
    let in_classic = "#X3D V3.3 utf8\nUNIT length cm 0.01 UNIT angle degree 0.017453292519943295
        Transform { rotation 0 0 1 90 children Transform { translation 100 0 0 children Shape { geometry Sphere { radius 50 } } } }";
    let scenes = [("w.x3d", in_xml), ("w.wrl", in_classic)]
        .map(|(file, text)| read(file, text).unwrap().scene);
    assert_eq!(message(&scenes[0]), message(&scenes[1]));
    expect(&scenes[0], [0.0, 9.0, 0.0], DOWN, 7.5, "sphere[0]");
}

#[test]
fn public_files_come_packed_with_marks_declarations_and_latin_letters() {
    let text = "#VRML V2.0 utf8\r\n# Stra\u{df}e\r\nDEF T\u{fc}r Shape { geometry Sphere { } }";
    let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&latin).unwrap();
    let marked = format!("\u{feff}{text}");
    let by_carriage_returns = text.replace("\r\n", "\r").replace("V2.0", "V3.0");
    let packed = packed.finish().unwrap();
    for bytes in
        [&latin, text.as_bytes(), marked.as_bytes(), by_carriage_returns.as_bytes(), &packed]
    {
        let imported = read_with("w.wrl", bytes, &[], &Options::default()).unwrap();
        assert_eq!(paths(&imported.scene), ["T\u{fc}r"]);
    }
    let declared = "\u{feff}<?xml version='1.0'?>\n<!DOCTYPE X3D PUBLIC \"ISO//Web3D//DTD X3D 3.3//EN\" \"https://www.web3d.org/specifications/x3d-3.3.dtd\">
        <X3D profile='Immersive' xmlns:xsd='http://www.w3.org/2001/XMLSchema-instance' xsd:noNamespaceSchemaLocation='a.xsd'><Scene><Shape><Sphere/></Shape></Scene></X3D>";
    // The content decides the encoding, and not the extension.
    for file in ["w.x3d", "w.wrl"] {
        assert_eq!(read(file, declared).unwrap().scene.geometry_count(), 1);
    }
}

#[test]
fn what_cannot_be_read_is_counted_and_named_and_the_rest_is_read() {
    let imported = both(
        "<Shape><Sphere/></Shape><Group DEF='G'><Shape DEF='S'><Sphere radius='-1'/></Shape><Shape><Box size='1 0 1'/></Shape>
         <Shape><Cylinder height='0'/></Shape><Shape><NurbsPatchSurface/></Shape><Shape><IndexedFaceSet coordIndex='0 1 2'/></Shape></Group>
         <Transform scale='1 0 1'><Shape><Sphere/></Shape></Transform><ParticleSystem/><Inline url='../../../../../../etc/passwd'/>
         <Inline url='file:///etc/passwd'/><Inline url='\"a&#10;b.wrl\"'/><Inline/>
         <ExternProtoDeclare name='E' url='e.wrl'><field name='x' type='SFBool' accessType='inputOnly'/></ExternProtoDeclare><ProtoInstance name='E'/>
         <Viewpoint fieldOfView='7'/>
         <Shape><IndexedFaceSet coordIndex='0 1 2 -1 0 1 9 -1'><Coordinate point='0 0 0 1 0 0 0 1 0'/></IndexedFaceSet></Shape>",
        "Shape { geometry Sphere { } } DEF G Group { children [ DEF S Shape { geometry Sphere { radius -1 } } Shape { geometry Box { size 1 0 1 } }
         Shape { geometry Cylinder { height 0 } } Shape { geometry NurbsPatchSurface { } } Shape { geometry IndexedFaceSet { coordIndex [ 0 1 2 ] } } ] }
         Transform { scale 1 0 1 children Shape { geometry Sphere { } } } ParticleSystem { } Inline { url \"../../../../../../etc/passwd\" }
         Inline { url \"file:///etc/passwd\" } Inline { url \"a\u{0}b.wrl\" } Inline { url [ ] }
         EXTERNPROTO E [ eventIn SFBool x ] [ \"e.wrl\" ] E { }
         Viewpoint { fieldOfView 7 }
         Shape { geometry IndexedFaceSet { coordIndex [ 0 1 2 -1 0 1 9 -1 ] coord Coordinate { point [ 0 0 0 1 0 0 0 1 0 ] } } }",
    );
    assert_eq!((imported.scene.geometry_count(), imported.scene.primitive_count()), (8, 2));
    let counts: Vec<usize> = imported.warnings.iter().map(|warning| warning.count).collect();
    assert_eq!(counts, [5, 1, 1, 1, 4, 1, 1], "{:#?}", imported.warnings);
    assert_eq!(
        imported.warnings[0].names[0],
        "G/S (Sphere, line 2): radius is -1.0: it must be between 1e-9 and 1e9"
    );
    assert_eq!(
        imported.warnings[0].names[3],
        "G (NurbsPatchSurface, line 3): raytwin does not read this type of geometry"
    );
    assert!(imported.warnings[1].names[0].ends_with(": 1 of them"), "{:?}", imported.warnings[1]);
    assert_eq!(imported.warnings[2].names, ["ParticleSystem (line 4)"]);
}

#[test]
fn what_is_used_where_space_is_flat_keeps_its_ids() {
    let world = "DEF G Group { children [ DEF S Shape { geometry Sphere { } } DEF T Group { children [ USE S USE S ] } ] }
        Transform { scale 0 0 0 children [ USE G Viewpoint { } Shape { geometry Box { } } ] } USE T";
    let scene = read("w.wrl", &classic(world)).unwrap().scene;
    let types: Vec<&str> = scene.written_out().map(|(_, it, _)| it.type_name()).collect();
    let [sphere, empty] = ["sphere", "empty"];
    assert_eq!(types, [sphere, sphere, sphere, empty, empty, empty, empty, sphere, sphere]);
    assert!(scene.cameras.is_empty());
}

#[test]
fn what_is_wrong_is_refused_with_its_line_and_column() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(10_000), close.repeat(10_000));
    let mut doubling = "PROTO P0 [ ] { Shape { geometry Sphere { } } }".to_owned();
    let mut uses = "DEF U0 Shape { geometry Sphere { } }".to_owned();
    for level in 1..40 {
        let inner = level - 1;
        writeln!(
            doubling,
            "PROTO P{level} [ ] {{ Group {{ children [ P{inner} {{ }} P{inner} {{ }} ] }} }}"
        )
        .unwrap();
        writeln!(uses, "DEF U{level} Group {{ children [ USE U{inner} USE U{inner} ] }}").unwrap();
    }
    doubling.push_str("P39 { }");
    let long_name = format!("Inline {{ url \"{}.wrl\" }}", "a/".repeat(100_000));
    for (file, text, expected) in [
        (
            "w.wrl",
            "#VRML V1.0 ascii\nSeparator { }".to_owned(),
            "w.wrl:1:1: is VRML V1.0: raytwin reads VRML97 (V2.0) and X3D",
        ),
        ("w.wrl", "hello".to_owned(), "w.wrl:1:1: a world must begin with"),
        (
            "w.x3d",
            "<robot/>".to_owned(),
            "w.x3d:1:1: the root element is <robot>: X3D begins with <X3D>",
        ),
        ("w.x3d", "<X3D><Scene></X3D>".to_owned(), "w.x3d:1:"),
        (
            "w.wrl",
            classic("Shape { geometry Sphere { radius one } }"),
            "w.wrl:3:34: \"one\" is not a node",
        ),
        (
            "w.wrl",
            classic("Shape { geometry Sphere { radius 1x } }"),
            "w.wrl:3:34: found \"1x\", but a number must be here",
        ),
        (
            "w.wrl",
            classic("Shape { geometry Sphere { radius 1"),
            "w.wrl:4:1: found the end of the file, but a field",
        ),
        (
            "w.wrl",
            classic("Transform { translation 1 2 }"),
            "w.wrl:3:1: Transform: translation must be 3 numbers",
        ),
        (
            "w.x3d",
            xml("<Transform translation='1 2'/>"),
            "w.x3d:2:27: Transform: translation \"1 2\" must be 3 numbers",
        ),
        (
            "w.x3d",
            xml("<Transform scale='1 1 inf'/>"),
            "w.x3d:2:27: Transform: scale \"1 1 inf\" must be finite numbers",
        ),
        (
            "w.x3d",
            xml("<Shape><Cone bottom='maybe'/></Shape>"),
            "w.x3d:2:34: Cone: bottom \"maybe\" must be true or false",
        ),
        ("w.wrl", classic("DEF A Group { children USE A }"), "w.wrl:3:24: USE A closes a circle"),
        (
            "w.x3d",
            xml("<Group DEF='A'><Group USE='A'/></Group>"),
            "w.x3d:2:42: USE A closes a circle",
        ),
        (
            "w.wrl",
            classic("PROTO A [ ] { A { } } A { }"),
            "w.wrl:3:15: the prototype A contains itself",
        ),
        (
            "w.x3d",
            xml(
                "<ProtoDeclare name='A'><ProtoBody><ProtoInstance name='A'/></ProtoBody></ProtoDeclare>",
            ),
            "w.x3d:2:61: the prototype A contains itself",
        ),
        (
            "w.wrl",
            classic(&doubling),
            "w.wrl:7:42: instances of prototypes make more than 262144 nodes",
        ),
        ("w.wrl", classic(&uses), "w.wrl: its instances make 1099511627775 geometries"),
        (
            "w.wrl",
            classic(&deep("Group { children [ ", "] }")),
            "w.wrl:3:3801: nodes are nested too deeply",
        ),
        ("w.x3d", xml(&deep("<Group>", "</Group>")), "w.x3d:2:1427: nodes are nested too deeply"),
        (
            "w.wrl",
            classic(&deep("PROTO A [ ] { ", "}")),
            "w.wrl:3:2801: nodes are nested too deeply",
        ),
        (
            "w.wrl",
            classic("Inline { url \"w.wrl\" }"),
            "w.wrl: Inline at line 3: w.wrl: closes a circle of files",
        ),
        (
            "w.wrl",
            classic(&long_name),
            "w.wrl: has no shapes to cast rays at; 1 files of the world could not be read",
        ),
        (
            "w.x3d",
            format!("<!DOCTYPE X3D [ <!ENTITY a \"aaaa\"> ]>\n{}", "<X3D/>"),
            "w.x3d: has no shapes to cast rays at",
        ),
        (
            "w.wrl",
            classic("Shape { } }"),
            "w.wrl:3:11: found \"}\", but a node or a statement must be here",
        ),
        (
            "w.wrl",
            classic("Text { string \"a }"),
            "w.wrl:3:15: a text has no closing quotation mark",
        ),
    ] {
        let start = std::time::Instant::now();
        let error = read(file, &text).unwrap_err();
        assert!(error.starts_with(expected), "{error}\ninstead of {expected}");
        assert!(start.elapsed().as_secs() < 5, "{expected} took {:?}", start.elapsed());
    }
}

#[test]
fn an_odd_viewpoint_is_left_out_and_nothing_else() {
    for (in_xml, in_classic) in [
        ("<Viewpoint fieldOfView='0'/>", "Viewpoint { fieldOfView 0 }"),
        ("<Viewpoint fieldOfView='-1'/>", "Viewpoint { fieldOfView -1 }"),
        ("<Viewpoint position='0 0'/>", "Viewpoint { position 0 0 }"),
        ("<Viewpoint orientation='0 1 0'/>", "Viewpoint { orientation 0 1 0 }"),
        ("<OrthoViewpoint fieldOfView='1 1 1 1'/>", "OrthoViewpoint { fieldOfView [ 1 1 1 1 ] }"),
        ("<OrthoViewpoint fieldOfView='1 1'/>", "OrthoViewpoint { fieldOfView [ 1 1 ] }"),
    ] {
        let ImportedScene { scene, warnings, .. } = both(
            &format!("{in_xml}<Viewpoint/><Shape><Sphere/></Shape>"),
            &format!("{in_classic} Viewpoint {{ }} Shape {{ geometry Sphere {{ }} }}"),
        );
        assert_eq!((scene.cameras.len(), scene.geometry_count()), (1, 1), "{in_classic}");
        assert_eq!(warnings.len(), 1, "{in_classic}: {warnings:?}");
    }
    let world = xml("<Viewpoint fieldOfView='wide'/><Shape><Sphere/></Shape>");
    let imported = read("w.x3d", &world).unwrap();
    assert!(imported.warnings[0].names[0].contains("fieldOfView \"wide\" must be"));
}

#[test]
fn a_use_of_an_imported_node_is_left_out_and_names_the_import() {
    let child = "#X3D V3.3 utf8\nDEF Ball Shape { geometry Sphere { } }\nEXPORT Ball AS Round";
    for [name, alias, attribute] in [["B2", " AS B2", " AS='B2'"], ["Round", "", ""]] {
        let imported = both_with(
            &format!(
                "<Inline DEF='In' url='c.x3dv'/><IMPORT inlineDEF='In' importedDEF='Round'{attribute}/>\
                 <Transform translation='3 0 0'><Shape USE='{name}'/></Transform><Group USE='{name}'/>"
            ),
            &format!(
                "DEF In Inline {{ url \"c.x3dv\" }} IMPORT In.Round{alias}\n\
                 Transform {{ translation 3 0 0 children USE {name} }} USE {name}"
            ),
            &[("c.x3dv", child)],
            &Options::default(),
        );
        assert_eq!(imported.scene.geometry_count(), 1);
        let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
        assert!(warning.to_string().contains("from an IMPORT"), "{warning}");
        assert_eq!(warning.names, [format!("{name} (IMPORT, line 2)")]);
    }
    // What is not used is not missed, and a later DEF has the name.
    let world = "DEF In Inline { } IMPORT In.A DEF A Shape { geometry Sphere { } } USE A";
    let imported = read("w.x3dv", &classic(world)).unwrap();
    assert_eq!(imported.scene.geometry_count(), 2);
    // A USE may come before its IMPORT.
    let imported = both_with(
        "<Group USE='A'/><Shape><Sphere/></Shape><Inline DEF='In'/><IMPORT inlineDEF='In' importedDEF='A'/>",
        "USE A Shape { geometry Sphere { } } DEF In Inline { } IMPORT In.A",
        &[],
        &Options::default(),
    );
    let import = imported.warnings.iter().find(|it| it.what.contains("IMPORT")).unwrap();
    assert_eq!(import.names, ["A (IMPORT, line 2)"]);
    // A geometry may be imported too.
    let imported = both_with(
        "<Inline DEF='In'/><IMPORT inlineDEF='In' importedDEF='A'/><Shape><Box USE='A'/></Shape><Shape><Sphere/></Shape>",
        "DEF In Inline { } IMPORT In.A Shape { geometry USE A } Shape { geometry Sphere { } }",
        &[],
        &Options::default(),
    );
    let unread = imported.warnings.iter().find(|it| it.what.starts_with("shapes")).unwrap();
    assert_eq!(
        unread.names,
        [
            "A (IMPORT, line 2): it comes from an IMPORT, and X3D up to 4.0 allows such nodes only in a ROUTE"
        ]
    );
}

#[test]
fn an_import_from_what_is_no_inline_of_the_file_is_named() {
    for (in_xml, in_classic) in [
        ("<IMPORT inlineDEF='Room' importedDEF='A'/>", "IMPORT Room.A"),
        (
            "<Group DEF='Room'/><IMPORT inlineDEF='Room' importedDEF='A' AS='B'/>",
            "DEF Room Group { } IMPORT Room.A AS B",
        ),
    ] {
        let imported = both_with(
            &format!("{in_xml}<Shape><Sphere/></Shape>"),
            &format!("{in_classic} Shape {{ geometry Sphere {{ }} }}"),
            &[],
            &Options::default(),
        );
        let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
        assert!(
            warning.to_string().contains("IMPORT statements do not name an Inline"),
            "{warning}"
        );
        assert_eq!(warning.names, ["Room (line 2)"]);
    }
    // The Inline may come later.
    let world = "IMPORT In.A Shape { geometry Sphere { } } DEF In Inline { load FALSE }";
    assert!(read("w.x3dv", &classic(world)).unwrap().warnings.is_empty());
}

#[test]
fn a_use_of_what_no_def_names_is_left_out_alone() {
    let cases = [
        ("<Group USE='A'/><Group DEF='A'/>", "USE A DEF A Group { }", "A (USE, line 2)", 1),
        (
            "<Transform><Shape USE='A'/></Transform>",
            "Transform { children USE A }",
            "A (USE, line 2)",
            1,
        ),
        (
            "<Shape><Sphere USE='A'/></Shape>",
            "Shape { geometry USE A }",
            "A (USE, line 2): no DEF before its USE defines its name",
            2,
        ),
        (
            "<Shape><PointSet><Coordinate USE='A'/></PointSet></Shape>",
            "Shape { geometry PointSet { coord USE A } }",
            "PointSet (line 2): its points are missing: no DEF before its USE defines its name",
            2,
        ),
        (
            "<Shape><Appearance USE='A'/><Box/></Shape>",
            "Shape { appearance USE A geometry Box { } }",
            "USE (line 2): no DEF before its USE defines its name",
            2,
        ),
        (
            "<Shape><Appearance><Material USE='A'/></Appearance><Box/></Shape>",
            "Shape { appearance Appearance { material USE A } geometry Box { } }",
            "USE (line 2): no DEF before its USE defines its name",
            2,
        ),
    ];
    for (in_xml, in_classic, name, count) in cases {
        let imported = both_with(
            &format!("{in_xml}<Shape><Sphere/></Shape>"),
            &format!("{in_classic} Shape {{ geometry Sphere {{ }} }}"),
            &[],
            &Options::default(),
        );
        assert_eq!(imported.scene.geometry_count(), count, "{in_classic}");
        let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
        assert_eq!(warning.names, [name]);
    }
}

#[test]
fn zeros_behind_a_text_and_letters_of_latin_lose_no_world() {
    let text = b"#VRML V2.0 utf8\r# caf\xe9\rShape { geometry Sphere { } }\0\0";
    let imported = read_with("w.wrl", text, &[], &Options::default()).unwrap();
    assert_eq!(imported.scene.geometry_count(), 1);
}

#[test]
fn a_component_may_have_blanks_about_its_colon() {
    for component in ["Core:1", "Core : 1", "Core: 1", "Core :1"] {
        let text = format!(
            "#X3D V3.3 utf8\nPROFILE Full\nCOMPONENT {component}\nShape {{ geometry Sphere {{ }} }}"
        );
        assert_eq!(read("w.x3dv", &text).unwrap().scene.geometry_count(), 1, "{component}");
    }
}

#[test]
fn null_is_no_node_and_the_use_of_an_instance_needs_no_name() {
    let text = "Group { children [ NULL Shape { geometry Sphere { } } NULL ] }\nShape { appearance NULL geometry Box { } }";
    assert_eq!(read("w.wrl", &classic(text)).unwrap().scene.geometry_count(), 2);
    let text = "<X3D><Scene><ProtoDeclare name='Ball'><ProtoBody><Shape><Sphere/></Shape></ProtoBody></ProtoDeclare>\
        <ProtoInstance name='Ball' DEF='b'/><Transform translation='5 0 0'><ProtoInstance USE='b'/></Transform></Scene></X3D>";
    assert_eq!(read("w.x3d", text).unwrap().scene.geometry_count(), 2);
}

#[test]
fn what_shows_nothing_is_no_fault_and_a_bad_file_leaves_the_rest_of_its_world() {
    let text = "Shape { geometry IndexedFaceSet { coord Coordinate { point [ ] } coordIndex [ ] } }
        Shape { geometry Text { string [ \"\" \" \" ] } }
        Group { children [ Shape { geometry Sphere { } } ROUTE a.b TO c.d ] }";
    let imported = read("w.wrl", &classic(text)).unwrap();
    assert!(imported.scene.geometry_count() == 1 && imported.warnings.is_empty());

    let folder = tempfile::tempdir().unwrap();
    let inline = |file: &str| format!("Inline {{ url \"{file}\" }}\n");
    let own = inline("bad.wrl") + &inline("good.wrl") + "Shape { geometry Box { } }";
    std::fs::write(folder.path().join("bad.wrl"), "#VRML V1.0 ascii\nCube { }").unwrap();
    std::fs::write(folder.path().join("good.wrl"), classic("Shape { geometry Cone { } }")).unwrap();
    std::fs::write(folder.path().join("w.wrl"), classic(&own)).unwrap();
    let imported = load(folder.path().join("w.wrl"), &Options::default()).unwrap();
    let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
    assert!(warning.to_string().contains("VRML V1.0"), "{warning}");
    assert_eq!(imported.scene.geometry_count(), 2);

    // A circle is an error, however many files it leads through.
    std::fs::write(folder.path().join("bad.wrl"), classic(&inline("w.wrl"))).unwrap();
    let error = load(folder.path().join("w.wrl"), &Options::default()).unwrap_err().to_string();
    assert!(error.contains("w.wrl -> bad.wrl -> w.wrl"), "{error}");
}

#[test]
fn uses_in_a_long_chain_and_points_that_are_used_too_often_end_well() {
    let mut chain = "DEF U0 Shape { geometry Sphere { } }\n".to_owned();
    let mut hidden = "Switch { choice [ DEF U0 Shape { geometry Sphere { } }\n".to_owned();
    for level in 1..5000 {
        for text in [&mut chain, &mut hidden] {
            writeln!(text, "DEF U{level} Group {{ children USE U{} }}", level - 1).unwrap();
        }
    }
    assert_eq!(read("w.wrl", &classic(&chain)).unwrap().scene.geometry_count(), 5000);
    let error = read("w.wrl", &classic(&format!("{hidden} ] }} USE U4999"))).unwrap_err();
    assert!(error.contains("nodes that use each other are nested too deeply"), "{error}");
    let points = "0 0 0 1 0 0 0 1 0 ".repeat(1000);
    let mut sets = format!(
        "Shape {{ geometry TriangleSet {{ coord DEF C Coordinate {{ point [ {points} ] }} }} }}\n"
    );
    sets.push_str(&"Shape { geometry TriangleSet { coord USE C } }\n".repeat(2000));
    let imported = read("w.wrl", &classic(&sets)).unwrap();
    let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
    assert!(warning.to_string().contains("the geometries of a file of this length"), "{warning}");
    assert_eq!(imported.scene.geometry_count(), 2001);
}

#[test]
fn text_that_xml_forbids_is_read_with_warnings_and_paths_of_windows_are_found() {
    let inner = xml("<Shape><Sphere radius='2'/></Shape>");
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("parts")).unwrap();
    std::fs::write(folder.path().join("parts/ball.x3d"), inner).unwrap();
    let path = folder.path().join("w.x3d");
    let world = "<X3D a='1'version='3.3'><!-- a -- b --><Scene><Inline url='\"parts\\\\ball.x3d\"'/>\
        <Shape><Box size='2 2 2'/></Shape></Scene></X3D>";
    let utf_16 = format!("\u{feff}{world}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [world.as_bytes().to_vec(), utf_16] {
        std::fs::write(&path, bytes).unwrap();
        let imported = load(&path, &Options::default()).unwrap();
        assert_eq!(imported.scene.geometry_count(), 2);
        let message: Vec<String> =
            imported.warnings.iter().flat_map(|it| it.names.clone()).collect();
        assert_eq!(message, ["w.x3d:1:25", "w.x3d:1:11"]);
    }
}

#[test]
fn values_beyond_those_that_a_field_has_a_use_for_are_named() {
    for (in_xml, in_classic, expected) in [
        (
            "<Shape><Box/><Sphere/></Shape>",
            "Shape { geometry Box { } geometry Sphere { } }",
            "Shape (line 2): 1 of the 2 values of geometry are read",
        ),
        (
            "<Shape><ElevationGrid xDimension='2' zDimension='2' height='0 1 2 3 4'/></Shape>",
            "Shape { geometry ElevationGrid { xDimension 2 zDimension 2 height [0 1 2 3 4] } }",
            "ElevationGrid (line 2): 4 of the 5 values of height are read",
        ),
        (
            "<Shape><TriangleSet><Coordinate point='0 0 0 1 0 0 0 1 0 5'/></TriangleSet></Shape>",
            "Shape { geometry TriangleSet { coord Coordinate { point [0 0 0 1 0 0 0 1 0 5] } } }",
            "Coordinate (line 2): 9 of the 10 values of point are read",
        ),
    ] {
        let imported = both(in_xml, in_classic);
        let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
        assert_eq!(warning.names, [expected]);
        assert_eq!(imported.scene.geometry_count(), 1);
    }
}

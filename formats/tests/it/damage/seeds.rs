//! Small valid files of every format.

use super::super::columns::{Column, parquet_file_with};
use super::super::numpy::{float32, npy};
use super::Seed;
pub use super::json_seeds::json;
pub use super::molecule_seeds::{cif, pdb, xyz};
use super::xml_lapses::with_lapses;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::io::{Cursor, Write};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

pub fn table_csv() -> Vec<Seed> {
    const SPHERES: &str =
        "center_x;center_y;center_z;radius;color;label\n0;0;1;0.5;#ff8000;a\n2;0;\"1\";0.25;;\n";
    const MIXED: &str = "type,name,mask,label,reflectance,center_x,center_y,center_z,radius,start_x,start_y,start_z,end_x,end_y,end_z\n\
        sphere,\"a, b\",5,7,0.25,0,0,1,0.5,,,,,,\n\
        cylinder,,,,,,,,0.25,0,0,0,0,0,2\n";
    vec![Seed::of(SPHERES), Seed::of(MIXED)]
}

pub fn table_parquet() -> Vec<Seed> {
    let columns = [
        ("type", Column::Texts(vec![Some("sphere"); 9])),
        ("name", Column::Texts([Some("ball"), None, Some("egg")].repeat(3))),
        ("mask", Column::I64((0..9).collect())),
        ("center_x", Column::F64((0..9).map(f64::from).collect())),
        ("center_y", Column::Halves(vec![0x3800; 9])),
        ("center_z", Column::Decimals((0..9).map(|row| 100 * row).collect())),
        ("radius", Column::Nullable(vec![Some(0.5); 9])),
    ];
    let properties = || WriterProperties::builder().set_compression(Compression::SNAPPY);
    let lengths = properties().set_dictionary_enabled(false);
    let lengths = lengths.set_column_encoding("name".into(), Encoding::DELTA_LENGTH_BYTE_ARRAY);
    [properties(), lengths]
        .map(|properties| Seed::of(parquet_file_with(&columns, 5, properties.build())))
        .into()
}

pub fn urdf() -> Vec<Seed> {
    const ROBOT: &str = r#"<?xml version="1.0"?>
<robot name="r">
  <material name="blue"><color rgba="0 0 0.8 1"/></material>
  <link name="base"><visual><geometry><box size="1 2 4"/></geometry><material name="blue"/></visual></link>
  <link name="tip">
    <visual><origin xyz="1 0 0"/><geometry><sphere radius="0.5"/></geometry>
      <material name=""><color rgba="1 0.5 0 1"/></material></visual>
    <visual name="shaft"><origin rpy="0 1.57 0"/><geometry><cylinder radius="0.1" length="2"/></geometry></visual>
    <visual><geometry><mesh filename="part.stl" scale="1 2 -1"/></geometry></visual>
    <visual><geometry><mesh filename="package://r/tip.stl"/></geometry></visual>
    <collision><geometry><sphere radius="0.75"/></geometry></collision>
  </link>
  <joint name="elbow" type="revolute">
    <origin xyz="0 0 2"/><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"/>
  </joint>
  <link name="copy"><visual><geometry><sphere radius="1"/></geometry></visual></link>
  <joint name="slave" type="prismatic"><parent link="base"/><child link="copy"/>
    <axis xyz="0 1 0"/><mimic joint="elbow" multiplier="2" offset="1"/></joint>
</robot>"#;
    vec![Seed::of(ROBOT), with_lapses(ROBOT)]
}

pub fn mjcf() -> Vec<Seed> {
    const MODEL: &str = r#"<mujoco model="m">
  <compiler angle="radian" eulerseq="zYx"/>
  <default><geom rgba="0 0 0.8 1"/><default class="c"><geom type="capsule" size="0.1 0.2"/>
    <default class="d"><joint axis="1 0 0" range="-1 1"/></default></default></default>
  <asset><material name="red" rgba="1 0 0 0.5"/><mesh name="part" file="part.stl" scale="1 2 -1" refpos="0 1 0"/>
    <mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3"/>
    <hfield name="h" nrow="2" ncol="3" size="1 2 0.5 0.1" elevation="0 1 2 3 4 5"/></asset>
  <worldbody><geom type="plane" size="1 0 0.1" zaxis="0 1 1"/><geom type="hfield" hfield="h" euler="0.1 0.2 0.3"/>
    <replicate count="3" offset="0 0 1" euler="0 0 0.2" sep="_"><geom class="c" xyaxes="1 0 0 0 0 1"/></replicate>
    <body name="b" childclass="d" pos="0 0 1"><joint name="j" ref="0.5"/><joint type="ball"/>
      <geom type="box" size="0.1 0.2 0.3" material="red"/><geom type="mesh" mesh="part"/><geom type="box" mesh="t"/>
      <frame axisangle="1 0 0 0.4"><geom type="ellipsoid" size="0.1" fromto="0 0 0 0 0 1"/>
        <attach body="e" prefix="x"/></frame>
      <camera name="a" mode="targetbody" target="e" pos="1 2 3" fovy="40" resolution="4 3"/><site name="s"/></body>
    <body name="e"><geom size="0.3"/><flexcomp name="f"/></body><body mocap="true" pos="0 0 9"/></worldbody>
  <sensor><rangefinder site="s" cutoff="3"/></sensor><keyframe><key name="k" qpos="0"/></keyframe>
</mujoco>"#;
    vec![Seed::of(MODEL), with_lapses(MODEL)]
}

/// A tetrahedron in MuJoCo's own format: its counts, vertices and triangles.
pub fn msh() -> Vec<Seed> {
    let counts = [4_i32, 0, 0, 4].map(i32::to_le_bytes).concat();
    let vertices = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let triangles = [0_i32, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
    vec![Seed {
        pieces: vec![
            counts,
            vertices.map(f32::to_le_bytes).concat(),
            triangles.map(i32::to_le_bytes).concat(),
        ],
        whole: |pieces| pieces.concat(),
    }]
}

/// Heights in MuJoCo's own format: their rows and columns, and the heights.
pub fn hfield() -> Vec<Seed> {
    let counts = [2_i32, 3].map(i32::to_le_bytes).concat();
    let heights = [0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0].map(f32::to_le_bytes).concat();
    vec![Seed { pieces: vec![counts, heights], whole: |pieces| pieces.concat() }]
}

pub fn obj() -> Vec<Seed> {
    vec![
        Seed::of(
            "# a square\no square\nv 0 0 0\nv 1 0 0 1\nv 1 1 0.5\nv 0 1 0\nvt 0 0\nvn 0 0 1\nusemtl a\n\
             f 1/1/1 2/1/1 3/1/1 4/1/1\ng other\nf -4 -3 -2\nf 1//1 3//1 4//1\nl 1 2\np 1\n",
        ),
        Seed::of("v 1e2 0 0 0.5 0.5 0.5\r\nv 1 0 0 0 0 0\r\nv 1 1 0 1 1 1\r\nf 1 2 3"),
    ]
}

/// The corners of two triangles.
const CORNERS: [[[f32; 3]; 3]; 2] = [
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]],
    [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.5]],
];

pub fn stl_text() -> Vec<Seed> {
    let corner = |[x, y, z]: &[f32; 3]| format!("      vertex {x} {y} {z}\n");
    let facet = |corners: &[[f32; 3]; 3]| {
        let corners: String = corners.iter().map(corner).collect();
        format!("  facet normal 0 0 1\n    outer loop\n{corners}    endloop\n  endfacet\n")
    };
    let solid: String = CORNERS.iter().map(facet).collect();
    let named = format!("solid part\n{solid}endsolid part\n");
    let two = format!("solid\n{solid}endsolid\nSOLID b\n{}endsolid b", solid.to_uppercase());
    vec![Seed::of(named), Seed::of(two)]
}

pub fn stl_binary() -> Vec<Seed> {
    ["a part", "solid part"]
        .map(|title| {
            let mut bytes = title.as_bytes().to_vec();
            bytes.resize(80, b' ');
            bytes.extend(2_u32.to_le_bytes());
            for corners in CORNERS {
                bytes.extend([0; 12]);
                bytes.extend(float32(&corners.concat()));
                bytes.extend([0; 2]);
            }
            Seed::of(bytes)
        })
        .into()
}

pub fn ply_text() -> Vec<Seed> {
    vec![Seed::of(
        "ply\nformat ascii 1.0\ncomment a square\nelement vertex 4\nproperty float x\nproperty float y\n\
         property double z\nproperty uchar red\nelement face 2\nproperty list uchar int vertex_indices\n\
         element edge 1\nproperty int a\nproperty list uint short b\nend_header\n\
         0 0 0 1\n1 0 0 2\n1 1 0.5 3\n0 1 1e-1 4\n3 0 1 2\n4 0 1 2 3\n7 2 5 6\n",
    )]
}

pub fn ply_binary() -> Vec<Seed> {
    let file = |order: &str, turn: fn(Vec<u8>) -> Vec<u8>| {
        let mut bytes = format!(
            "ply\nformat {order} 1.0\nelement vertex 4\nproperty float x\nproperty double y\nproperty short z\n\
             element face 2\nproperty list uchar int vertex_index\nproperty uchar flag\nend_header\n"
        )
        .into_bytes();
        for [x, y, z] in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 2.0_f32]] {
            bytes.extend(turn(x.to_le_bytes().into()));
            bytes.extend(turn(f64::from(y).to_le_bytes().into()));
            bytes.extend(turn((z as i16).to_le_bytes().into()));
        }
        for face in [&[0, 1, 2][..], &[0, 1, 2, 3]] {
            bytes.push(face.len() as u8);
            bytes.extend(face.iter().flat_map(|corner: &i32| turn(corner.to_le_bytes().into())));
            bytes.push(9);
        }
        Seed::of(bytes)
    };
    let turned = |bytes: Vec<u8>| bytes.into_iter().rev().collect();
    vec![file("binary_little_endian", |bytes| bytes), file("binary_big_endian", turned)]
}

pub fn grid_npy() -> Vec<Seed> {
    let heights = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    vec![
        Seed::of(npy("<f4", "False", "(2, 3)", &float32(&heights))),
        Seed::of(npy(
            ">f8",
            "False",
            "(3, 2)",
            &heights.map(f64::from).map(f64::to_be_bytes).concat(),
        )),
    ]
}

/// The pieces are chunks, each of which starts with its type.
pub fn grid_png() -> Vec<Seed> {
    let encoded = |write: &dyn Fn(&mut Cursor<Vec<u8>>)| {
        let mut bytes = Cursor::new(Vec::new());
        write(&mut bytes);
        let mut rest = &bytes.into_inner()[PNG.len()..];
        let mut pieces = Vec::new();
        while let [a, b, c, d, after @ ..] = rest {
            let (chunk, after) = after.split_at(4 + u32::from_be_bytes([*a, *b, *c, *d]) as usize);
            pieces.push(chunk.to_vec());
            rest = &after[4..];
        }
        Seed { pieces, whole: png }
    };
    let level = |x: u32, y: u32| x + 300 * y * y;
    vec![
        encoded(&|file| {
            let grey = image::GrayImage::from_fn(5, 4, |x, y| image::Luma([level(x, y) as u8]));
            grey.write_to(file, image::ImageFormat::Png).unwrap();
        }),
        encoded(&|file| {
            let deep = |x, y| image::Luma([level(x, y) as u16]);
            let grey = image::ImageBuffer::<_, Vec<u16>>::from_fn(5, 4, deep);
            grey.write_to(file, image::ImageFormat::Png).unwrap();
        }),
    ]
}

const PNG: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

fn png(chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut file = PNG.to_vec();
    for chunk in chunks {
        file.extend((chunk.len().saturating_sub(4) as u32).to_be_bytes());
        file.extend(chunk);
        file.extend(crc32fast::hash(chunk).to_be_bytes());
    }
    file
}

pub fn rays_npy() -> Vec<Seed> {
    let numbers = ray_numbers(8, 3);
    vec![
        Seed::of(npy("<f4", "False", "(4, 6)", &float32(&numbers))),
        Seed::of(npy(
            ">f4",
            "False",
            "(3, 8)",
            &numbers.iter().flat_map(|n| n.to_be_bytes()).collect::<Vec<u8>>(),
        )),
    ]
}

pub fn points_npy() -> Vec<Seed> {
    vec![Seed::of(npy("<f4", "False", "(8, 3)", &float32(&ray_numbers(8, 3))))]
}

pub fn poses_csv() -> Vec<Seed> {
    const POSES: &str =
        "qw;time;x;y;z;qx;qy;qz\n1;0;0;0;0;0;0;0\n\n0.5;2e-1;1;-2;3.5;0.5;0.5;0.5\n";
    const JOINTS: &str = "time,\"left, elbow\",wrist\n-1,0.5,0\n0,1e0,-2\n";
    vec![Seed::of(POSES), Seed::of(JOINTS)]
}

pub fn poses_npy() -> Vec<Seed> {
    vec![Seed::of(npy("<f4", "False", "(3, 8)", &float32(&ray_numbers(8, 3))))]
}

pub fn poses_tum() -> Vec<Seed> {
    vec![Seed::of("# timestamp tx ty tz qx qy qz qw\n1.5 0 0 0 0 0 0 1\n\t2  1 -2 3e1 0 0 1 1\r\n")]
}

/// Makes the numbers of some rows of rays.
fn ray_numbers(columns: usize, rows: usize) -> Vec<f32> {
    (0..columns * rows).map(|index| index as f32 - 7.5).collect()
}

pub fn points_npz() -> Vec<Seed> {
    let points = npy("<f4", "False", "(8, 3)", &float32(&ray_numbers(8, 3)));
    let stored = |pieces: &[Vec<u8>]| archive(&["points"], pieces, CompressionMethod::Stored);
    let deflated = |pieces: &[Vec<u8>]| archive(&["points"], pieces, CompressionMethod::Deflated);
    vec![
        Seed { pieces: vec![points.clone()], whole: stored },
        Seed { pieces: vec![points], whole: deflated },
    ]
}

pub fn rays_npz() -> Vec<Seed> {
    const NAMES: [&str; 3] = ["rays", "ray_masks", "ignore_ids"];
    let numbers = float32(&ray_numbers(6, 4));
    let words: Vec<u8> = [1_u32, 2, u32::MAX, 0].map(u32::to_le_bytes).concat();
    let pieces = vec![
        npy("<f4", "False", "(4, 6)", &numbers),
        npy("<u4", "False", "(4,)", &words),
        npy("<u4", "False", "(4,)", &words),
    ];
    let stored = |pieces: &[Vec<u8>]| archive(&NAMES, pieces, CompressionMethod::Stored);
    let deflated = |pieces: &[Vec<u8>]| archive(&NAMES, pieces, CompressionMethod::Deflated);
    vec![Seed { pieces: pieces.clone(), whole: stored }, Seed { pieces, whole: deflated }]
}

pub fn bulk() -> Vec<Seed> {
    const NAMES: [&str; 4] = ["sphere", "cylinder", "sphere_ids", "cylinder_ids"];
    let spheres = float32(&[0.0, 0.0, 0.0, 1.0, 5.0, 0.0, 0.0, 2.0]);
    let cylinders = [0.0, 9.0, 0.0, 0.0, 9.0, 4.0, 0.5].map(f64::to_le_bytes).concat();
    let pieces = vec![
        npy("<f4", "False", "(2, 4)", &spheres),
        npy("<f8", "False", "(1, 7)", &cylinders),
        npy("<u4", "False", "(2,)", &[2_u32, 0].map(u32::to_le_bytes).concat()),
        npy("<u4", "False", "(1,)", &1_u32.to_le_bytes()),
    ];
    let without_ids = |pieces: &[Vec<u8>]| archive(&NAMES, pieces, CompressionMethod::Stored);
    let deflated = |pieces: &[Vec<u8>]| archive(&NAMES, pieces, CompressionMethod::Deflated);
    vec![
        Seed { pieces: pieces[..2].to_vec(), whole: without_ids },
        Seed { pieces, whole: deflated },
    ]
}

/// Makes an archive of named arrays.
fn archive(names: &[&str], arrays: &[Vec<u8>], method: CompressionMethod) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(method);
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, array) in names.iter().zip(arrays) {
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(array).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

pub fn rays_parquet() -> Vec<Seed> {
    const NAMES: [&str; 8] = ["ox", "oy", "oz", "dx", "dy", "dz", "t_min", "t_max"];
    const ROWS: usize = 11;
    let number = |column: usize, row: usize| (column * row % 4) as f32 + 0.25;
    let columns = |is_nullable: bool| {
        let mut columns: Vec<(&str, Column)> = Vec::new();
        for (column, name) in NAMES.iter().enumerate() {
            let numbers = (0..ROWS).map(|row| number(column, row));
            columns.push(match is_nullable {
                true => (name, Column::Nullable(numbers.map(Some).collect())),
                false => (name, Column::F32(numbers.collect())),
            });
        }
        columns.push(("ray_mask", Column::U32((0..ROWS as u32).collect())));
        columns.push(("ignore_id", Column::U32(vec![u32::MAX; ROWS])));
        columns
    };
    let gzip = Compression::GZIP(Default::default());
    let mut seeds = Vec::new();
    for (is_nullable, compression, has_dictionary, version) in [
        (false, Compression::UNCOMPRESSED, true, WriterVersion::PARQUET_1_0),
        (true, Compression::UNCOMPRESSED, true, WriterVersion::PARQUET_1_0),
        (true, Compression::UNCOMPRESSED, true, WriterVersion::PARQUET_2_0),
        (false, Compression::SNAPPY, true, WriterVersion::PARQUET_1_0),
        (true, Compression::SNAPPY, false, WriterVersion::PARQUET_1_0),
        (true, gzip, true, WriterVersion::PARQUET_2_0),
        (false, gzip, false, WriterVersion::PARQUET_1_0),
    ] {
        let properties = WriterProperties::builder()
            .set_compression(compression)
            .set_dictionary_enabled(has_dictionary)
            .set_writer_version(version)
            .build();
        seeds.push(Seed::of(parquet_file_with(&columns(is_nullable), 7, properties)));
    }
    // Numbers of other types, in the encodings that some writers choose for them.
    let mut wide = columns(true);
    wide[0].1 = Column::F64((0..ROWS).map(|row| row as f64).collect());
    wide[8].1 = Column::I64((0..ROWS as i64).collect());
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_column_encoding("ox".into(), Encoding::BYTE_STREAM_SPLIT)
        .set_column_encoding("oy".into(), Encoding::BYTE_STREAM_SPLIT)
        .set_column_encoding("ray_mask".into(), Encoding::DELTA_BINARY_PACKED)
        .build();
    seeds.push(Seed::of(parquet_file_with(&wide, 7, properties)));
    seeds
}

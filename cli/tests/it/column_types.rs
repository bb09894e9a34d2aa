//! Rays in columns of less usual types.

use crate::common::columns::Column;
use crate::common::parquet_files::parquet_file;
use crate::common::workspace::*;
use parquet::basic::Compression;
use raytwin_files::rays::read_rays;

#[test]
fn rays_may_be_halves_and_decimals() {
    let workspace = Workspace::new();
    // 0.5, -2 and infinity.
    let halves = Column::Halves(vec![0x3800, 0xc000, 0x7c00]);
    let decimals = Column::Decimals(vec![-150, 10, 999_999_999]);
    let ones = || Column::F32(vec![1.0; 3]);
    let columns = |z| {
        let names = ["ox", "oy", "oz", "dx", "dy", "dz"];
        let columns = [halves.clone(), decimals.clone(), ones(), ones(), ones(), z];
        names.into_iter().zip(columns).collect::<Vec<_>>()
    };
    workspace.write("rays.parquet", parquet_file(&columns(ones()), 2, Compression::UNCOMPRESSED));
    let rays = read_rays(workspace.path("rays.parquet")).unwrap().rays;
    let origins: Vec<[f32; 3]> = rays.iter().map(|ray| ray.origin).collect();
    assert_eq!(origins, [[0.5, -1.5, 1.0], [-2.0, 0.1, 1.0], [f32::INFINITY, 1e7, 1.0]]);
    for (column, name) in [
        (Column::Texts(vec![None; 3]), "dz: has type string: it must be float32 or float64"),
        (Column::I32(vec![1; 3]), "dz: has type int32"),
    ] {
        workspace
            .write("rays.parquet", parquet_file(&columns(column), 2, Compression::UNCOMPRESSED));
        let error = read_rays(workspace.path("rays.parquet")).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
}

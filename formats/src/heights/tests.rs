use super::*;
use image::{ImageBuffer, Luma, LumaA, Rgb, Rgba};
use raytwin_files::npz::{Number, write_npy};
use std::fs::File;

/// Reads the heights of a file of this name, which `write` creates.
fn heights(name: &str, write: impl FnOnce(&Path)) -> Result<Heights, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    write(&path);
    read(&FileStore::disk(), &path).map_err(|error| {
        let text = error.to_string();
        text[text.find(name).unwrap()..].to_owned()
    })
}

fn array<T>(shape: &[usize], numbers: &[T]) -> Result<Heights, String>
where
    T: Number,
{
    heights("h.npy", |path| write_npy(File::create(path).unwrap(), shape, numbers).unwrap())
}

fn bytes(name: &str, bytes: &[u8]) -> Result<Heights, String> {
    heights(name, |path| std::fs::write(path, bytes).unwrap())
}

#[test]
fn an_array_is_read_row_by_row_as_it_stands() {
    let grid = array(&[2, 3], &[0.1, 1.0, 2.0, 3.0, 4.0, -5.0]).unwrap();
    let expected = vec![0.1, 1.0, 2.0, 3.0, 4.0, -5.0];
    assert_eq!(grid, Heights { rows: 2, columns: 3, heights: expected });
    let grid = array(&[3, 2], &[0.1_f32; 6]).unwrap();
    assert_eq!((grid.rows, grid.columns, grid.heights[5]), (3, 2, f64::from(0.1_f32)));
}

#[test]
fn a_grey_image_is_read_in_levels() {
    let deep = heights("h.PNG", |path| {
        let levels = [[0_u16, 1, 65535], [300, 2, 3]];
        let level = |x, y| Luma([levels[y as usize][x as usize]]);
        ImageBuffer::from_fn(3, 2, level).save(path).unwrap();
    });
    let expected = vec![0.0, 1.0, 65535.0, 300.0, 2.0, 3.0];
    assert_eq!(deep.unwrap(), Heights { rows: 2, columns: 3, heights: expected });
    let flat = heights("h.png", |path| {
        ImageBuffer::from_fn(2, 2, |x, y| Luma([(x + 254 * y) as u8])).save(path).unwrap();
    });
    assert_eq!(flat.unwrap().heights, [0.0, 1.0, 254.0, 255.0]);
    // One level everywhere compresses best.
    let plain = heights("h.png", |path| {
        ImageBuffer::from_pixel(4000, 3000, Luma([9_u16])).save(path).unwrap();
    });
    assert_eq!(plain.unwrap().heights.len(), 12_000_000);
}

#[test]
fn eight_bits_are_taken_of_any_image_as_mujoco_takes_them() {
    let eight_bits = |save: &dyn Fn(&Path)| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("h.png");
        save(&path);
        read_8_bit(&FileStore::disk(), &path).unwrap().heights
    };
    let level = |x: u32, y: u32| 7 + x + 2 * y;
    let colored = eight_bits(&|path| {
        let pixel = |x, y| Rgba([level(x, y) as u8, 200, 100, 50]);
        ImageBuffer::from_fn(2, 2, pixel).save(path).unwrap();
    });
    let deep = eight_bits(&|path| {
        let pixel = |x, y| Rgb([(level(x, y) as u16) << 8 | 99, 60_000, 3]);
        ImageBuffer::from_fn(2, 2, pixel).save(path).unwrap();
    });
    let faded = eight_bits(&|path| {
        ImageBuffer::from_fn(2, 2, |x, y| LumaA([level(x, y) as u8, 0])).save(path).unwrap();
    });
    for heights in [colored, deep, faded] {
        assert_eq!(heights, [7.0, 8.0, 9.0, 10.0]);
    }
}

#[test]
fn what_is_no_grid_of_finite_heights_is_refused() {
    assert_eq!(
        array(&[2, 2], &[0.0, 1.0, f64::NAN, 3.0]).unwrap_err(),
        "h.npy: heights[1][0]: is NaN: it must be a finite number"
    );
    assert!(array(&[4], &[0.0; 4]).unwrap_err().contains("has shape [4]: heights must have shape"));
    assert!(array(&[1, 4], &[0.0; 4]).unwrap_err().contains("is a grid of 1 by 4 heights"));
    assert!(array(&[4, 1], &[0.0; 4]).unwrap_err().contains("is a grid of 4 by 1 heights"));
    assert!(array(&[0, 4], &[0.0; 0]).unwrap_err().contains("is a grid of 0 by 4 heights"));
    assert!(array(&[2, 2], &[0_u32; 4]).unwrap_err().contains("has type uint32"));

    let colour = heights("h.png", |path| {
        ImageBuffer::from_pixel(2, 2, Rgb([1_u8, 2, 3])).save(path).unwrap();
    });
    assert_eq!(
        colour.unwrap_err(),
        "h.png: is an image of type Rgb8: heights must be levels of grey without alpha; convert it to 16-bit grey"
    );
    let alpha = heights("h.png", |path| {
        ImageBuffer::from_pixel(2, 2, LumaA([1_u16, 2])).save(path).unwrap();
    });
    assert!(alpha.unwrap_err().contains("is an image of type La16"));
    let line = heights("h.png", |path| {
        ImageBuffer::from_pixel(2, 1, Luma([1_u16])).save(path).unwrap();
    });
    assert!(line.unwrap_err().contains("is a grid of 1 by 2 heights"));
}

#[test]
fn a_file_that_is_not_what_its_name_says_is_refused() {
    assert!(bytes("h.tif", b"").unwrap_err().contains("give a .npy or a grey .png file"));
    assert!(bytes("h.png", b"no image").unwrap_err().contains("h.png: is not a readable PNG"));
    assert!(bytes("h.npy", b"no array").unwrap_err().contains("h.npy: is not a NumPy array"));
    let mut png = Vec::new();
    let image = ImageBuffer::from_pixel(90, 90, Luma([1_u16]));
    image.write_to(&mut Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
    let cut = bytes("h.png", &png[..png.len() / 2]).unwrap_err();
    assert!(cut.contains("h.png: is not a readable PNG"), "{cut}");
    for extension in ["npy", "png"] {
        let path = format!("absent.{extension}");
        assert!(matches!(read(&FileStore::disk(), Path::new(&path)), Err(FileError::Read { .. })));
    }
}

/// A grey image of one pixel whose header promises other dimensions.
fn png_that_promises(columns: u32, rows: u32) -> Vec<u8> {
    let mut png = Vec::new();
    let image = ImageBuffer::from_pixel(1, 1, Luma([1_u16]));
    image.write_to(&mut Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
    png[16..20].copy_from_slice(&columns.to_be_bytes());
    png[20..24].copy_from_slice(&rows.to_be_bytes());
    let checksum = crc32fast::hash(&png[12..29]);
    png[29..33].copy_from_slice(&checksum.to_be_bytes());
    png
}

#[test]
fn pixels_that_an_image_only_promises_take_no_memory() {
    for [columns, rows] in [
        [400_000, 400_000],
        [i32::MAX as u32, i32::MAX as u32],
        [2, (1 << 24) + 1],
        [(1 << 24) + 1, 2],
        [1 << 24, 17],
    ] {
        let reason = bytes("h.png", &png_that_promises(columns, rows)).unwrap_err();
        assert_eq!(reason, format!("h.png: {TOO_LARGE}"), "{columns} by {rows}");
    }
    for [columns, rows] in [[16_384, 16_384], [1 << 24, 16], [300, 300]] {
        let reason = bytes("h.png", &png_that_promises(columns, rows)).unwrap_err();
        assert!(
            reason.contains(&format!("its header declares {columns} by {rows} pixels")),
            "{reason}"
        );
    }
    let short = bytes("h.png", &png_that_promises(2, 2)).unwrap_err();
    assert!(short.contains("is not a readable PNG"), "{short}");
}

//! Pictures of an image that was compared: both sides, the error as a fraction of its bound, and
//! the classes.

use crate::{Class, JudgedImage};
use image::Rgb;
use raytwin_files::image::png_of_rgb;
use std::io;

/// The largest number of pixels of a picture. A larger image is shown in blocks, each by its worst
/// pixel.
const MOST: usize = 1 << 19;

const NOTHING: Rgb<u8> = Rgb([24, 26, 32]);

/// The pictures of an image, each with its caption.
pub(super) struct ImagePictures {
    pub pictures: Vec<(&'static str, Vec<u8>)>,
    /// The width of the image over its height.
    pub width: usize,
}

pub(super) fn class_color(class: Class) -> Rgb<u8> {
    Rgb(match class {
        Class::Exact => [60, 60, 60],
        Class::Within => [110, 110, 110],
        Class::Tie => [70, 120, 255],
        Class::Silhouette => [60, 220, 90],
        Class::Range => [240, 210, 60],
        Class::Mismatch => [255, 40, 40],
    })
}

/// Returns the classes of an image's answers as colours, as a PNG file.
pub(super) fn classes(image: &JudgedImage) -> io::Result<Vec<u8>> {
    let size = [image.view.width as usize, image.view.height as usize];
    png_of_rgb(size, image.classes.iter().flat_map(|&class| class_color(class).0).collect())
}

impl ImagePictures {
    /// Draws the pictures; those of t only if t was given.
    pub fn of(image: &JudgedImage) -> io::Result<Self> {
        let [width, height] = [image.view.width as usize, image.view.height as usize];
        let block = (1..).find(|block| (width / block) * (height / block) <= MOST).unwrap_or(1);
        let size = [width.div_ceil(block), height.div_ceil(block)];
        let shown: Vec<usize> = (0..size[0] * size[1])
            .map(|pixel| {
                let [left, top] = [pixel % size[0] * block, pixel / size[0] * block];
                let rows = top..height.min(top + block);
                let pixels =
                    rows.flat_map(|y| (left..width.min(left + block)).map(move |x| (x, y)));
                let worst = pixels.map(|(x, y)| y * width + x).max_by(|&a, &b| {
                    let key = |pixel: usize| (image.classes[pixel], image.errors[pixel].max(0.0));
                    key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal)
                });
                worst.unwrap_or(0)
            })
            .collect();
        let range = range_of(image);
        let distance = |t: f32| match t.is_finite() {
            true => {
                // The logarithm leaves colours for near distances even if the horizon is far away.
                let [at, near, far] = [f64::from(t), range[0], range[1]].map(libm::log);
                color(&colorous::PLASMA, (at - near) / (far - near))
            }
            false => NOTHING,
        };
        let draw = |of: &dyn Fn(usize) -> Rgb<u8>| -> io::Result<Vec<u8>> {
            png_of_rgb(size, shown.iter().flat_map(|&pixel| of(pixel).0).collect())
        };
        let mut pictures = Vec::new();
        if image.parts.t {
            pictures.push(("the answers", draw(&|pixel| distance(image.given[pixel].t))?));
        }
        pictures.push(("the reference", draw(&|pixel| distance(image.exact[pixel].t))?));
        if image.parts.t {
            let heat = draw(&|pixel| heat(image.errors[pixel], image.classes[pixel]))?;
            pictures.push(("error of t ÷ bound (square-root scale)", heat));
        }
        pictures.push(("classes", draw(&|pixel| class_color(image.classes[pixel]))?));
        Ok(Self { pictures, width: size[0] })
    }
}

/// Returns the colour of an error: from black at 0 to yellow at the bound; red for a mismatch. The
/// scale is the square root, because most errors are small.
fn heat(error: f32, class: Class) -> Rgb<u8> {
    match class {
        Class::Mismatch => class_color(class),
        _ if error.is_nan() => NOTHING,
        _ => color(&colorous::INFERNO, f64::from(error).sqrt()),
    }
}

fn color(gradient: &colorous::Gradient, fraction: f64) -> Rgb<u8> {
    let colorous::Color { r, g, b } = gradient.eval_continuous(fraction.clamp(0.0, 1.0));
    Rgb([r, g, b])
}

/// Returns the least and the largest distance; two positive numbers if there are none.
fn range_of(image: &JudgedImage) -> [f64; 2] {
    let distances = image.exact.iter().map(|hit| f64::from(hit.t));
    let distances = distances.filter(|t| t.is_finite() && *t > 0.0);
    let [near, far] =
        distances.fold([f64::INFINITY, 0.0], |[near, far], t| [near.min(t), far.max(t)]);
    if near < far { [near, far] } else { [1.0, 2.0] }
}

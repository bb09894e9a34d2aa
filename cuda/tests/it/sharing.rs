//! Vulkan and CUDA see the same memory.

use crate::common::{Bench, numbers};
use raytwin_cuda::{CudaError, SharedBuffer};
use wgpu::BufferUsages;

#[test]
fn cuda_reads_what_a_shader_has_written() {
    let bench = Bench::new();
    let before: Vec<f32> = (0..1000).map(|number| number as f32).collect();
    let buffer = bench.filled(&before);
    bench.device.double(buffer.buffer());
    let doubled: Vec<f32> = before.iter().map(|number| 2.0 * number).collect();
    assert_eq!(numbers(&buffer), doubled);
    let mut tail = [0.0_f32; 2];
    buffer.read(4 * 998, bytemuck::cast_slice_mut(&mut tail)).unwrap();
    assert_eq!(tail, [1996.0, 1998.0]);
}

#[test]
fn a_new_buffer_is_zero_for_both() {
    let bench = Bench::new();
    for bytes in [0, 1, 3, 4, 5, 4096, 1 << 20] {
        let buffer = bench.buffer(bytes);
        assert_eq!(buffer.bytes(), bytes);
        assert_eq!(buffer.buffer().size(), bytes.max(4).next_multiple_of(4));
        assert!(numbers(&buffer).iter().all(|number| *number == 0.0));
        let of_vulkan = bench.device.read(buffer.buffer());
        assert!(of_vulkan.iter().all(|number| *number == 0.0));
        assert_eq!(of_vulkan.len() as u64, buffer.buffer().size() / 4);
    }
}

#[test]
fn the_card_is_found_among_others() {
    let bench = Bench::new();
    bench.stand_in.set_cards(&[[7; 16], bench.device.uuid()]);
    let card = bench.card();
    assert_eq!((card.ordinal(), card.name()), (1, "Stand-in"));
    assert!(format!("{card:?}").starts_with("cuda:1, Stand-in, GPU-"), "{card:?}");
    card.wait().unwrap();
}

#[test]
fn what_no_shared_buffer_can_be_is_refused() {
    let bench = Bench::new();
    let card = bench.card();
    let make = |bytes, usage| SharedBuffer::new(&card, &bench.device.device, bytes, usage);
    for usage in [
        BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        BufferUsages::STORAGE | BufferUsages::INDIRECT,
        BufferUsages::empty(),
    ] {
        assert!(matches!(make(64, usage).unwrap_err(), CudaError::Usage { .. }), "{usage:?}");
    }
    let allowed = bench.device.device.limits().max_buffer_size;
    for bytes in [allowed + 1, u64::MAX] {
        let error = make(bytes, BufferUsages::STORAGE).unwrap_err();
        assert!(matches!(error, CudaError::TooLarge { .. }), "{error}");
    }
}

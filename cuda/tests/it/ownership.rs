//! A buffer is freed once, by whoever goes last.

use crate::common::device::Device;
use crate::common::python::{run, variable};
use crate::common::stand_in::{Alive, NOTHING};
use crate::common::{Bench, numbers};
use crate::errors::open_files;
use pyo3::prelude::*;
use raytwin_cuda::{Card, DeviceArray, Element, ForeignTensor, SharedBuffer};
use wgpu::BufferUsages;

/// Those who may hold a buffer, or what it needs.
struct Holders {
    card: Option<Card>,
    buffer: Option<SharedBuffer>,
    of_vulkan: Option<wgpu::Buffer>,
    array: Option<Py<PyAny>>,
    of_numpy: Option<Py<PyAny>>,
    tensor: Option<ForeignTensor>,
}

impl Holders {
    fn of(bench: &Bench, py: Python<'_>) -> Self {
        let card = bench.card();
        let buffer = bench.filled(&[1.0, 2.0, 3.0, 4.0]);
        let array = DeviceArray::new(buffer.clone(), 4, vec![3], Element::F32).unwrap();
        let array = Bound::new(py, array).unwrap().into_any();
        let tensor = ForeignTensor::take(&array, &card).unwrap();
        let globals = run(py, &[("array", array.clone())], "taken = as_numpy(array, (1, 0))");
        Self {
            card: Some(card),
            of_vulkan: Some(buffer.buffer().clone()),
            buffer: Some(buffer),
            array: Some(array.unbind()),
            of_numpy: Some(variable(&globals, "taken").unbind()),
            tensor,
        }
    }

    fn drop_one(&mut self, which: usize) {
        match which {
            0 => self.card = None,
            1 => self.buffer = None,
            2 => self.of_vulkan = None,
            3 => self.array = None,
            4 => self.of_numpy = None,
            _ => self.tensor = None,
        }
    }

    /// Those who are left use what they hold.
    fn assert_all_is_well(&self, bench: &Bench, py: Python<'_>) {
        let holds = self.buffer.is_some()
            || self.array.is_some()
            || self.of_numpy.is_some()
            || self.tensor.is_some();
        let Alive { contexts, pushed, imports, mappings } = bench.stand_in.alive();
        assert_eq!((imports, mappings, pushed), (u64::from(holds), u64::from(holds), 0));
        // A buffer holds its card by a card of its own here.
        assert_eq!(contexts, u64::from(holds) + u64::from(self.card.is_some()));
        if let Some(card) = &self.card {
            card.wait().unwrap();
        }
        if let Some(buffer) = &self.buffer {
            assert_eq!(numbers(buffer), [1.0, 2.0, 3.0, 4.0]);
        }
        if let Some(buffer) = &self.of_vulkan {
            assert_eq!(bench.device.read(buffer), [1.0, 2.0, 3.0, 4.0]);
        }
        let array = self.array.as_ref().map(|array| array.call_method0(py, "numpy").unwrap());
        for array in array.iter().chain(&self.of_numpy) {
            let list: Vec<f32> = array.call_method0(py, "tolist").unwrap().extract(py).unwrap();
            assert_eq!(list, [2.0, 3.0, 4.0]);
        }
        if let Some(tensor) = &self.tensor {
            assert!(SharedBuffer::holding(tensor).is_some_and(|(_, offset)| offset == 4));
        }
    }
}

#[test]
fn whoever_goes_last_frees_in_every_order() {
    let bench = Bench::new();
    Python::attach(|py| {
        let mut orders = 0;
        for mut number in 0..6 * 5 * 4 * 3 * 2 {
            let mut holders = Holders::of(&bench, py);
            let mut left: Vec<usize> = (0..6).collect();
            holders.assert_all_is_well(&bench, py);
            while !left.is_empty() {
                let which = left.remove(number % left.len());
                number /= left.len() + 1;
                holders.drop_one(which);
                holders.assert_all_is_well(&bench, py);
            }
            assert_eq!(bench.stand_in.alive(), NOTHING);
            orders += 1;
        }
        assert_eq!(orders, 720);
    });
}

#[test]
fn a_consumer_outlives_the_device() {
    let bench = Bench::new();
    Python::attach(|py| {
        let device = Device::open();
        let card = Card::of(&device.device).unwrap();
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let buffer = SharedBuffer::new(&card, &device.device, 8, usage).unwrap();
        device.write(buffer.buffer(), bytemuck::cast_slice(&[5.0_f32, 6.0]));
        let array = DeviceArray::new(buffer, 0, vec![2], Element::F32).unwrap();
        let array = Bound::new(py, array).unwrap().into_any();
        let globals = run(py, &[("array", array)], "taken = as_numpy(array)\ndel array");
        // Whoever destroys the device leaves the memory to those who hold it.
        device.device.destroy();
        drop((card, device));
        run(py, &[("taken", variable(&globals, "taken"))], "assert taken.tolist() == [5, 6]");
        drop(globals);
        run(py, &[], "gc.collect()");
    });
}

#[test]
fn threads_make_copy_and_drop_at_once() {
    let bench = Bench::new();
    let card = bench.card();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (bench, card) = (&bench, &card);
            scope.spawn(move || {
                for turn in 0..50 {
                    let number = (1000 * thread + turn) as f32;
                    let buffer = bench.try_buffer(card, 64).unwrap();
                    bench.device.write(buffer.buffer(), bytemuck::bytes_of(&number));
                    assert_eq!(numbers(&buffer)[0], number);
                }
            });
        }
    });
}

#[test]
fn ten_thousand_buffers_leave_nothing() {
    let bench = Bench::new();
    let card = bench.card();
    Python::attach(|py| {
        let begin = py.import("gc").unwrap();
        let cycle = |count: usize| {
            for _ in 0..count {
                let buffer = bench.try_buffer(&card, 100_000).unwrap();
                let array = DeviceArray::new(buffer, 0, vec![25_000], Element::F32).unwrap();
                let array = Bound::new(py, array).unwrap();
                let tensor = ForeignTensor::take(&array, &card).unwrap().unwrap();
                assert_eq!(SharedBuffer::holding(&tensor).unwrap().1, 0);
            }
            bench.device.wait();
            begin.call_method0("collect").unwrap();
            (resident_bytes(), open_files())
        };
        let (bytes_before, files_before) = cycle(1000);
        let (bytes_after, files_after) = cycle(10_000);
        println!(
            "{bytes_before} bytes and {files_before} files, then {bytes_after} and {files_after}"
        );
        assert_eq!(files_after, files_before);
        assert!(bytes_after < bytes_before + (4 << 20), "{bytes_before} {bytes_after}");
    });
}

fn resident_bytes() -> u64 {
    let numbers = std::fs::read_to_string("/proc/self/statm").unwrap();
    4096 * numbers.split(' ').nth(1).unwrap().parse::<u64>().unwrap()
}

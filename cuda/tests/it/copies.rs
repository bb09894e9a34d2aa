//! Tensors are copied into shared buffers and out of them.

use crate::common::python::{Whole, run, take, variable};
use crate::common::{Bench, numbers};
use pyo3::prelude::*;
use raytwin_cuda::{CudaError, ForeignTensor};

/// Six rays of seven numbers, of which parts are passed.
const RAYS: &str = "whole = np.arange(42, dtype=np.float32).reshape(6, 7)";

#[test]
fn tensors_are_copied_in_whatever_the_distance_of_their_rows() {
    let bench = Bench::new();
    Python::attach(|py| {
        for view in [
            "whole",
            "whole[2:4]",
            "whole[:, :3]",
            "whole[1:, 3:6]",
            "whole[::2]",
            "whole[::2, 1:4]",
            "whole[:, 5]",
            "whole[3]",
            "whole[3:4, 4].reshape(())",
            "whole.reshape(2, 3, 7)[:, :, 1:3]",
            "whole.reshape(2, 3, 7)[:, 1:2, 1:3]",
            "whole.reshape(6, 1, 7)[:, :, :2]",
            "whole[:0]",
        ] {
            let (tensor, whole) = take(py, &bench, &format!("{RAYS}\nx = OnCard({view})"));
            let tensor = tensor.unwrap().unwrap();
            let expected = whole.numbers(view);
            assert_eq!(tensor.bytes(), 4 * expected.len() as u64, "{view}");
            let buffer = bench.buffer(4 * 44);
            buffer.copy_from(4, &tensor).unwrap_or_else(|error| panic!("{view}: {error}"));
            let copied = numbers(&buffer);
            assert_eq!(copied[1..=expected.len()], expected, "{view}");
            // Nothing is written beside them.
            assert_eq!(copied[0], 0.0, "{view}");
            assert!(copied[1 + expected.len()..].iter().all(|number| *number == 0.0), "{view}");
        }
    });
}

#[test]
fn buffers_are_copied_out_and_what_lies_between_rows_stays() {
    let bench = Bench::new();
    Python::attach(|py| {
        for view in ["whole", "whole[2:4]", "whole[:, :3]", "whole[::2, 1:4]", "whole[:, 5]"] {
            let (tensor, whole) = take(py, &bench, &format!("{RAYS}\nx = OnCard({view})"));
            let before = whole.numbers("whole");
            let count = whole.numbers(view).len();
            let answers: Vec<f32> = (0..=count).map(|number| -1.0 - number as f32).collect();
            let buffer = bench.filled(&answers);
            buffer.copy_to(4, &tensor.unwrap().unwrap()).unwrap();
            assert_eq!(whole.numbers(view), answers[1..], "{view}");
            let after = whole.numbers("whole");
            let unchanged = std::iter::zip(&before, &after).filter(|(old, new)| old == new);
            assert_eq!(unchanged.count(), 42 - count, "{view}");
        }
    });
}

#[test]
fn a_shader_doubles_what_was_copied_in() {
    let bench = Bench::new();
    Python::attach(|py| {
        let (tensor, whole) = take(py, &bench, &format!("{RAYS}\nx = OnCard(whole[:, 1:3])"));
        let tensor = tensor.unwrap().unwrap();
        let buffer = bench.buffer(tensor.bytes());
        buffer.copy_from(0, &tensor).unwrap();
        bench.device.double(buffer.buffer());
        buffer.copy_to(0, &tensor).unwrap();
        let expected = whole.numbers("2 * np.arange(42).reshape(6, 7)[:, 1:3]");
        assert_eq!(whole.numbers("whole[:, 1:3]"), expected);
    });
}

#[test]
fn what_lies_in_no_rows_or_fits_no_part_is_refused() {
    let bench = Bench::new();
    Python::attach(|py| {
        let buffer = bench.buffer(4 * 42);
        for view in ["whole.T", "whole[::2, ::2]", "whole.reshape(2, 3, 7)[:, :2, :2]"] {
            let (tensor, _whole) = take(py, &bench, &format!("{RAYS}\nx = OnCard({view})"));
            let tensor = tensor.unwrap().unwrap();
            assert!(!tensor.is_contiguous());
            for error in [buffer.copy_from(0, &tensor), buffer.copy_to(0, &tensor)] {
                let error = error.unwrap_err();
                assert!(matches!(error, CudaError::Strides { .. }), "{view}: {error}");
                assert!(error.to_string().contains(".contiguous()"), "{error}");
            }
        }
        let (tensor, _whole) = take(py, &bench, &format!("{RAYS}\nx = OnCard(whole)"));
        let tensor = tensor.unwrap().unwrap();
        assert!(tensor.is_contiguous());
        for offset in [4, u64::MAX] {
            for error in [buffer.copy_from(offset, &tensor), buffer.copy_to(offset, &tensor)] {
                assert!(matches!(error.unwrap_err(), CudaError::OutOfBounds { .. }), "{offset}");
            }
            let error = buffer.read(offset, &mut [0; 168]).unwrap_err();
            assert!(matches!(error, CudaError::OutOfBounds { .. }), "{offset}");
        }
        buffer.read(168, &mut []).unwrap();
    });
}

#[test]
fn a_read_only_tensor_is_read_and_not_written() {
    let bench = Bench::new();
    Python::attach(|py| {
        let lines = format!("{RAYS}\nwhole.flags.writeable = False\nx = OnCard(whole)");
        let (tensor, _whole) = take(py, &bench, &lines);
        let tensor = tensor.unwrap().unwrap();
        assert!(tensor.is_read_only());
        let buffer = bench.buffer(4 * 42);
        buffer.copy_from(0, &tensor).unwrap();
        assert_eq!(buffer.copy_to(0, &tensor), Err(CudaError::ReadOnly));
    });
}

#[test]
fn what_a_stream_has_still_to_write_is_waited_for() {
    let bench = Bench::new();
    Python::attach(|py| {
        let lines = "whole = np.arange(8, dtype=np.float32)\nx = OnCard(whole[4:])";
        let globals = run(py, &[], lines);
        let whole = Whole::of(&bench, &globals);
        // A kernel that writes the numbers has been started, and not awaited.
        bench.stand_in.give_work(whole.pointer + 16, whole.pointer, 16);
        let x = variable(&globals, "x");
        let tensor = ForeignTensor::take(&x, &bench.card()).unwrap().unwrap();
        assert_eq!(whole.numbers("whole"), [0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0]);
        // So is a kernel by Card::wait.
        bench.stand_in.give_work(whole.pointer, whole.pointer + 4, 4);
        bench.card().wait().unwrap();
        assert_eq!(whole.numbers("whole[:2]"), [1.0, 1.0]);
        drop(tensor);
    });
}

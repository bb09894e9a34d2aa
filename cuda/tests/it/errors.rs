//! What goes wrong is said, and leaves nothing behind.

use crate::common::Bench;
use crate::common::device::Device;
use crate::common::stand_in::NOTHING;
use raytwin_cuda::{Card, CudaError};
use std::process::Command;

/// Returns the error of an attempt, its text and the number of open files that it left.
fn failure<T>(attempt: impl Fn() -> Result<T, CudaError>) -> (CudaError, String) {
    let before = open_files();
    let error = attempt().err().expect("it failed");
    assert_eq!(open_files(), before, "{error}");
    (error.clone(), error.to_string())
}

pub fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[test]
fn a_device_that_was_opened_without_the_feature_shares_nothing() {
    let _bench = Bench::new();
    let device = Device::open_with(wgpu::Features::empty());
    let (error, text) = failure(|| Card::of(&device.device));
    assert!(matches!(error, CudaError::SharesNothing { .. }), "{text}");
    assert!(text.contains("llvmpipe") && text.contains("VK_KHR_external_memory_fd"), "{text}");
}

#[test]
fn a_card_that_cuda_does_not_see_is_named_beside_those_that_it_sees() {
    let bench = Bench::new();
    bench.stand_in.set_cards(&[[7; 16], [171; 16]]);
    let (error, text) = failure(|| Card::of(&bench.device.device));
    assert!(matches!(error, CudaError::NoCard { .. }), "{text}");
    for words in [
        "llvmpipe",
        "cuda:0, Stand-in, GPU-07070707-0707-0707-0707-070707070707",
        "cuda:1, Stand-in, GPU-abababab-abab-abab-abab-abababababab",
        "CUDA_VISIBLE_DEVICES",
    ] {
        assert!(text.contains(words), "{text}");
    }
    bench.stand_in.set_cards(&[]);
    let (_, text) = failure(|| Card::of(&bench.device.device));
    assert!(text.contains("CUDA sees no card"), "{text}");
}

#[test]
fn each_call_that_fails_is_named_and_leaves_nothing() {
    let bench = Bench::new();
    let of_cards = [
        ("cuInit", 100, "CUDA_ERROR_NO_DEVICE"),
        ("cuDeviceGetCount", 999, "an error without a name"),
        ("cuDeviceGet", 999, ""),
        ("cuDeviceGetName", 999, ""),
        ("cuDeviceGetUuid_v2", 999, ""),
        ("cuDevicePrimaryCtxRetain", 2, "CUDA_ERROR_OUT_OF_MEMORY"),
    ];
    for (function, code, words) in of_cards {
        bench.stand_in.let_fail(function, code);
        let (error, text) = failure(|| Card::of(&bench.device.device));
        let CudaError::Call { call, code: returned, .. } = error else { panic!("{text}") };
        assert!(function.starts_with(call) && returned == code, "{text}");
        assert!(text.contains(words) && text.contains(&code.to_string()), "{text}");
        assert_eq!(bench.stand_in.alive(), NOTHING);
    }
    bench.stand_in.let_nothing_fail();
    let card = bench.card();
    let with_card = bench.stand_in.alive();
    let of_buffers = [
        "cuCtxPushCurrent_v2",
        "cuImportExternalMemory",
        "cuExternalMemoryGetMappedBuffer",
        "cuMemsetD8_v2",
        "cuStreamSynchronize",
    ];
    for function in of_buffers {
        bench.stand_in.let_fail(function, 2);
        let (error, text) = failure(|| bench.try_buffer(&card, 4096));
        let CudaError::Call { call, code: 2, .. } = error else { panic!("{text}") };
        assert!(function.starts_with(call), "{text}");
        assert!(text.contains("no memory left"), "{text}");
        bench.stand_in.let_nothing_fail();
        assert_eq!(bench.stand_in.alive(), with_card, "{function}");
    }
    bench.stand_in.let_fail("cuCtxSynchronize", 700);
    let (_, text) = failure(|| card.wait());
    assert!(text.contains("start the process again"), "{text}");
    bench.stand_in.let_nothing_fail();
    let buffer = bench.buffer(64);
    bench.stand_in.let_fail("cuMemcpyDtoH_v2", 1);
    let (_, text) = failure(|| buffer.read(0, &mut [0; 8]));
    assert!(text.starts_with("CUDA cannot copy to the host: cuMemcpyDtoH returned"), "{text}");
    bench.stand_in.let_nothing_fail();
    // The card is as usable as before.
    card.wait().unwrap();
    buffer.read(0, &mut [0; 8]).unwrap();
}

/// The library is found when a program begins, so this program begins once more where there is
/// none.
#[test]
fn without_a_driver_the_error_says_so() {
    const CHILD: &str = "RAYTWIN_TEST_WITHOUT_DRIVER";
    if std::env::var_os(CHILD).is_some() {
        let device = Device::open();
        let (error, text) = failure(|| Card::of(&device.device));
        assert!(matches!(error, CudaError::NoDriver { .. }), "{text}");
        assert!(text.contains("libcuda.so.1") && text.contains("NVIDIA's driver"), "{text}");
        return;
    }
    // Others count the open files, of which a new process has some.
    let _bench = Bench::new();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "errors::without_a_driver_the_error_says_so"])
        .env(CHILD, "1")
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

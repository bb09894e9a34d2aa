//! The tests of shared memory, which run beside a stand-in for CUDA's driver.

fn main() {}

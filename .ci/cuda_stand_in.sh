#!/usr/bin/env bash
# Tests the memory that Vulkan and CUDA share without a card: in a root of Debian trixie, whose software driver of Vulkan exports memory,
# and beside a stand-in for CUDA's driver. It needs root, debootstrap, rustup's toolchain and, for the first time, a network:
#   .ci/cuda_stand_in.sh [FOLDER [TESTS]]
# The root stays in the folder, and is made only where it is not there. With the names of tests it runs those alone.
set -euo pipefail
root=$(realpath -m "${1:-/var/tmp/raytwin-cuda-stand-in}")
names=("${@:2}")
cd "$(dirname "$0")/.."
target=$PWD/target/cuda-stand-in

if [ ! -e "$root/etc/debian_version" ]; then
    # A root that is not whole has another name.
    rm -rf "$root.part"
# A software driver forgives what others do not.
are_valid() {
    if grep -F VUID- "$1"; then
        echo "calls of Vulkan were not valid"
        exit 1
    fi
}
are_valid "$target/log"

# The wheel's tests, unless tests of the package were named.
[ ${#names[@]} = 0 ] || exit 0
PYO3_BUILD_EXTENSION_MODULE=1 cargo build --quiet --release -p raytwin-python
cp -r python/raytwin cuda/tests/test_on_card.py "$root/stand-in"
cp target/release/lib_raytwin.so "$root/stand-in/raytwin/_raytwin.abi3.so"
inside PYTHONPATH=/stand-in PYTHONDONTWRITEBYTECODE=1 python3 -m pytest -q -s -p no:cacheprovider /stand-in/test_on_card.py 2>&1 | tee "$target/log-of-wheel"
are_valid "$target/log-of-wheel"

#!/usr/bin/env bash
# Tests without a GPU the memory that Vulkan and CUDA share: in a Debian trixie root, whose software Vulkan driver exports memory, and with
# a stand-in for CUDA's driver. It needs root rights, debootstrap, rustup's toolchain and, for the first run, a network:
#   .ci/cuda_stand_in.sh [FOLDER [TESTS]]
# The Debian root stays in the folder. The script makes it only if it is missing or lacks packages. With names of tests, only these run.
set -euo pipefail
root=$(realpath -m "${1:-/var/tmp/raytwin-cuda-stand-in}")
names=("${@:2}")
cd "$(dirname "$0")/.."
target=$PWD/target/cuda-stand-in

packages=libpython3.13,libvulkan1,mesa-vulkan-drivers,python3,python3-numpy,python3-pytest,vulkan-validationlayers
if [ "$(cat "$root/packages" 2>/dev/null)" != "$packages" ]; then
    # An incomplete root has another name.
    rm -rf "$root" "$root.part"
    debootstrap --variant=minbase --include=$packages trixie "$root.part"
    echo $packages >"$root.part/packages"
    mv "$root.part" "$root"
fi

# The tests link to the interpreter of the root, because its library is found only there.
mkdir -p "$target/python"
ln -sf "$root/usr/lib/x86_64-linux-gnu/libpython3.13.so.1.0" "$target/python/libpython3.13.so"
cat >"$target/python/config" <<CONFIG
implementation=CPython
version=3.13
shared=true
lib_name=python3.13
lib_dir=$target/python
pointer_width=64
CONFIG
unset PYO3_BUILD_EXTENSION_MODULE
cargo build --quiet --target-dir "$target" -p raytwin-cuda-stand-in
program=$(PYO3_CONFIG_FILE=$target/python/config cargo test --quiet --target-dir "$target" -p raytwin-cuda --test it --no-run --message-format json | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p')
rm -rf "$root/stand-in"
mkdir "$root/stand-in"
cp "$program" "$root/stand-in/it"
cp "$target/debug/libcuda.so" "$root/stand-in/libcuda.so.1"

trap 'umount --lazy "$root/proc"' EXIT
trap 'exit 1' INT TERM
mount -t proc proc "$root/proc"
inside() {
    chroot "$root" env -i HOME=/root XDG_RUNTIME_DIR=/tmp LD_LIBRARY_PATH=/stand-in PATH=/usr/bin:/bin RUST_BACKTRACE="${RUST_BACKTRACE:-0}" \
        VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation VK_LAYER_LOG_FILENAME=stdout VK_LAYER_REPORT_FLAGS=error,warn \
        VK_LAYER_DEBUG_ACTION=VK_DBG_LAYER_ACTION_LOG_MSG "$@"
}
inside /stand-in/it "${names[@]}" 2>&1 | tee "$target/log"
# A skipped test has not passed.
listed=$(inside /stand-in/it --list "${names[@]}" | grep -c ': test$')
passed=$(sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' "$target/log")
if [ "$listed" = 0 ] || [ "$listed" != "$passed" ]; then
    echo "only ${passed:-0} of $listed tests passed"
    exit 1
fi
# A software driver accepts invalid calls that other drivers do not accept.
are_valid() {
    if grep -F VUID- "$1"; then
        echo "Vulkan calls were invalid"
        exit 1
    fi
}
are_valid "$target/log"

# The wheel's tests, unless names of tests were given.
[ ${#names[@]} = 0 ] || exit 0
PYO3_BUILD_EXTENSION_MODULE=1 cargo build --quiet --release -p raytwin-python
cp -r python/raytwin cuda/tests/test_on_card.py "$root/stand-in"
cp target/release/lib_raytwin.so "$root/stand-in/raytwin/_raytwin.abi3.so"
inside PYTHONPATH=/stand-in PYTHONDONTWRITEBYTECODE=1 python3 -m pytest -q -s -p no:cacheprovider /stand-in/test_on_card.py 2>&1 | tee "$target/log-of-wheel"
are_valid "$target/log-of-wheel"

# The checks of a change, in parts. .ci/run runs the core of them, and .ci/full runs all of them; both source this file.
# Each part makes what it needs, so it can run on its own. If a part needs outside data that is missing, it prints one line.

outside=../shared
raytwin=target/release/raytwin
# Without it, Mesa's loader prints an error at every start.
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-/tmp}"
# An extension module links to no interpreter, so the wheel's code can be checked without one.
export PYO3_BUILD_EXTENSION_MODULE=1
# One thread compiles each of the largest crates. They start earlier if more crates compile at a time than there are cores.
export CARGO_BUILD_JOBS=$(($(nproc) * 2))

work=$(mktemp -d)
# Background jobs have their own process groups (`set -m`), so that all of them end with this script.
beside=()
begin_beside() {
    set -m
    "$@" &
    beside+=("$!")
    set +m
}
trap 'kill -- "${beside[@]/#/-}" 2>/dev/null || true; rm -rf "$work"' EXIT

# Prints what a step skips. A part that skips something has not passed.
left_out() {
    echo "skipped: $*"
    touch "$work/${part:-step}.skipped"
}
# If a step cannot run, it prints one line. It also fails if there is outside data, because changes are checked on such machines.
skipped() {
    left_out "$@"
    [ ! -d "$outside" ] || exit 1
}

# --- What the parts need.

program() {
    cargo build --quiet --release -p raytwin-cli
}
tools() {
    # Built together with the program, they share its compiled crates.
    cargo build --quiet --release -p raytwin-cli -p raytwin-tools
}

has_wasm() {
    [ -d "$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown" ]
}
can_build_page() {
    has_wasm || [ -f "$outside/prepare-wasm" ]
}
has_page() {
    [ -f cli/page/page.zip ]
}
# Builds the page, which the program includes. This profile compiles in a fraction of the release's time.
page() (
    cargo build --quiet --release -p raytwin-web-builder
    if ! has_wasm; then
        # shellcheck disable=SC1091
        . "$outside/prepare-wasm"
    fi
    target/release/raytwin-web-builder target/web page
)

# Tests that need another Python library are in a file with its name, and are skipped if the library is not available. Those of the second
# row take minutes, and the rest of the wheel's tests as long as the first row.
with_libraries=(mujoco "trimesh rtree scipy" polars pandas ml_dtypes)
with_heavy_libraries=(open3d "ray[data]" daft pyspark)
named_libraries=("${with_libraries[@]%% *}" "${with_heavy_libraries[@]%%[[]*}")
# Makes a Python environment with some libraries, once. It compiles no modules in advance, because most of them are never imported.
environment() {
    local folder=target/environments/$1
    (
        flock 8
        [ ! -e "$folder/is_ready" ] || exit 0
        rm -rf "$folder"
        python3 -m venv "$folder" && "$folder/bin/pip" install -q --no-compile "${@:2}" && touch "$folder/is_ready"
    ) 8>"$(lock "$1")" >>"$work/$1.log" 2>&1 || { tail -n 1 "$work/$1.log"; return 1; }
}
# Prints the lock file of an environment, for which runs and steps at the same time wait.
lock() {
    mkdir -p target/environments
    echo "target/environments/$1.lock"
}
page_environment() {
    environment page numpy playwright pytest marionette_driver axe-playwright-python
}
no_python="there is no python3, or no network to install libraries from"
# Makes the environment of the wheel's tests, with those of these libraries that are available.
wheel_environment() {
    local name=$1 needed
    environment "$name" maturin || return 1
    (
        flock 8
        for needed in "${@:2}"; do
            # shellcheck disable=SC2086
            target/environments/$name/bin/pip install -q --no-compile $needed >>"$work/$name.log" 2>&1 || true
        done
    ) 8>"$(lock "$name")"
}

chromium="${CHROMIUM:-/usr/bin/chromium}"
firefox="${FIREFOX:-/usr/bin/firefox-esr}"
# Debian's package of Chromium also brings SwiftShader.
swiftshader_driver=/usr/lib/chromium/vk_swiftshader_icd.json
# Open3D links to libusb. If they are not available, the steps that need them print it.
browsers() (
    flock 8
    if ! { [ -x "$chromium" ] && [ -x "$firefox" ] && [ -f "$swiftshader_driver" ] && [ -n "$(ldconfig -p | grep -F libusb-1.0.so)" ]; } &&
        [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium firefox-esr libusb-1.0-0 || true
    fi >"$work/browsers.log" 2>&1
) 8>"$(lock browsers)"

scenes=(examples/scenes/*.json examples/scenes/shapes/*.json examples/worlds/* examples/gltf/* examples/molecules/* examples/meshes/*.urdf)
# Prints the flags for an image of this size. A panorama has the size of its lidar.
size() {
    [ "$2" = examples/scenes/lidar.json ] || echo "--size $1"
}
# Prints the flags for the queries of a scene. For most scenes, only closest hits are checked, because each kind of query is a kernel that a
# software driver compiles for a second. The gallery, which has every shape, and a graph with instances are checked with all queries.
questions() {
    case $1 in *gallery.json | *toy_train.gltf) echo "${2-}" ;; *) echo "--kind closest" ;; esac
}

# --- The core, which .ci/run runs for every change.

tests() {
    sh .ci/test
}

# Only one Cargo command can compile at a time.
lints() {
    cargo fmt --check
    cargo clippy --release --workspace --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps
    # Clippy has checked the libraries with all features as part of the program.
    cargo clippy --quiet --release -p raytwin -p raytwin-verify -p raytwin-files -p raytwin-formats --lib --no-default-features -- -D warnings
    # The engine must not depend on readers.
    cargo tree -q -p raytwin -e normal --prefix none >"$work/tree"
    if grep -wE 'parquet|exr|las|image|roxmltree|csv|zip' "$work/tree"; then
        echo "the engine depends on a reader"
        exit 1
    fi
}

# Checks the dependencies, and packs, compiles and runs the packages in an empty folder.
packages() {
    .ci/dependencies
    if has_page; then
        .ci/packages
    else
        skipped "there is no page to include in the program's package"
    fi
}

# Runs tests of the page in browsers.
page_tests() {
    # Firefox rejects the home folder of another user.
    ask() {
        HOME=$work CHROMIUM="$chromium" FIREFOX="$firefox" PYTHONDONTWRITEBYTECODE=1 target/environments/page/bin/pytest -q -rs -o cache_dir="$PWD/target/page-cache" "$@"
    }
    if ! can_build_page; then
        skipped "the page needs rustup target add wasm32-unknown-unknown"
        return
    fi
    page
    program
    browsers
    if [ ! -x "$chromium" ] || [ ! -x "$firefox" ] || ! page_environment; then
        skipped "the page's tests need Debian's chromium and firefox-esr, and PyPI"
    else
        local code=0
        ask --durations 12 "$@" || code=$?
        # Exit code 1 means that the tests ran to the end, and some failed.
        [ $code -le 1 ] || return $code
        if [ $code = 1 ]; then
            echo "running the failed tests again, because a browser may time out on a busy machine"
            ask --last-failed "$@"
        fi
    fi
}
page_core() {
    page_tests web/test/test_page.py web/test/test_firefox.py
}

# Builds the wheel and installs it in an environment, once, because another step may already use it.
wheel() (
    name=$1 bin=target/environments/$1/bin
    flock 8
    [ ! -e "$work/$name.has_wheel" ] || exit 0
    "$bin/maturin" build --release --locked -q --manifest-path python/Cargo.toml -i "$bin/python" --out "$work/$name-wheels"
    "$bin/pip" install -q --no-compile --force-reinstall --no-deps "$work/$name-wheels"/*.whl
    "$bin/pip" install -q --no-compile "$(echo "$work/$name-wheels"/*.whl)[test]"
    touch "$work/$name.has_wheel"
) 8>"$(lock "$1")"
# Runs tests of the wheel in an environment, except files that are named after a library that is not available.
wheel_tests() {
    local bin=target/environments/$1/bin file library asked=()
    program
    for file in "${@:2}"; do
        library=$(basename "$file" .py)
        library=${library#test_}
        if [[ " ${named_libraries[*]} " == *" $library "* ]] &&
            { ! "$bin/python" -c "import $library" 2>"$work/import.log" || { [ "$library" = pyspark ] && ! java -version 2>"$work/import.log"; }; }; then
            left_out "$file, because $library is not available: $(tail -n 1 "$work/import.log")"
        else
            asked+=("$file")
        fi
    done
    RAYTWIN_PROGRAM=$PWD/$raytwin "$bin/pytest" -q --durations 12 "${asked[@]}"
}
wheel_core() {
    local long=(python/tests/test_{open3d,ray,daft,pyspark,notebooks,leaks,forest,pages}.py) file core=()
    for file in python/tests/test_*.py; do
        [[ " ${long[*]} " == *" $file "* ]] || core+=("$file")
    done
    if wheel_environment wheel "${with_libraries[@]}"; then
        wheel wheel
        wheel_tests wheel "${core[@]}"
    else
        skipped "$no_python"
    fi
}

# --- The parts of .ci/full.

# Runs some Cargo tests. At least one must have the name.
cargo_tests() {
    cargo test --release "$@" | tee "$work/${part:-step}.tests"
    grep -q '^test result: ok\. [1-9]' "$work/${part:-step}.tests" || { echo "no test has that name"; return 1; }
}

# Every planted fault is detected.
faults() {
    cargo_tests -p raytwin-verify --test full -- fault
    cargo_tests -p raytwin-cli --test full -- fault
}

# Every command on the pages works.
pages() {
    cargo_tests -p raytwin-cli --test full -- pages::
}

# The report of a proof is judged again.
proof() {
    cargo_tests -p raytwin-cli --test full -- proof::
}

# All rays of the sweeps.
sweeps() {
    cargo_tests -p raytwin-verify --test full -- --skip fault
}

# The engine's tests with the kernels for software drivers.
software_kernels() {
    RAYTWIN_KERNELS=software cargo_tests -p raytwin-verify --test it
}

# Every test of the page, and the proof of a million rays.
whole_page() {
    page_tests web/test
}

# All tests of the wheel, with Ray and Spark clusters.
whole_wheel() {
    browsers
    if wheel_environment whole_wheel "${with_libraries[@]}" "${with_heavy_libraries[@]}"; then
        wheel whole_wheel
        wheel_tests whole_wheel python/tests/test_*.py
    else
        skipped "$no_python"
    fi
}

examples() {
    local scene
    program
    for scene in "${scenes[@]}"; do
        # shellcheck disable=SC2046
        $raytwin render "$scene" --device cpu $(size 320x240 "$scene") --out "$work/out" -q
        # shellcheck disable=SC2046
        $raytwin diff "$scene" $(size 160x120 "$scene") --random 4000 $(questions "$scene") -q >/dev/null
        echo "$scene: rendered, no mismatch"
    done
}

# diff on another driver. Its compiler takes exponentially long for kernels whose branches meet again after equally many blocks, so each
# scene has a time limit: see src/gpu/shader.rs.
swiftshader() {
    local scene answers tracks
    program
    browsers
    if [ ! -f "$swiftshader_driver" ]; then
        skipped "there is no $swiftshader_driver, which Debian's package chromium installs"
        return
    fi
    printf '{"raytwin":1,"shapes":[{"type":"heightfield","center":[0,0,0],"spacing":[1,1],"base":-1,"heights":[[0,1,0],[2,0,1],[0,1,3]]}]}' >"$work/base.json"
    for scene in "$work/base.json" "${scenes[@]}"; do
        # shellcheck disable=SC2046
        VK_DRIVER_FILES=$swiftshader_driver timeout 120 $raytwin diff "$scene" $(questions "$scene" "--kind closest,any,count,all") --random 2000 $(size 64x48 "$scene") -q >/dev/null
        echo "$scene: no mismatch"
    done
    tracks=(query examples/scenes/gallery.json examples/rays/tracks.npy -q)
    VK_DRIVER_FILES=$swiftshader_driver timeout 120 $raytwin "${tracks[@]}" --canonical --device gpu -o "$work/canonical/"
    $raytwin "${tracks[@]}" --device cpu -o "$work/exact/"
    for answers in "$work"/exact/*.npy; do
        cmp "$answers" "$work/canonical/$(basename "$answers")"
    done
    echo "gallery: canonical answers have the bits of the float64 tracer"
    VK_DRIVER_FILES=$swiftshader_driver $raytwin witness -q >/dev/null
    echo "witness: all pass"
}

# MuJoCo casts its own rays at the same models, which raytwin reads from files and follows.
mujoco() {
    local device python=target/environments/wheel/bin/python
    program
    if ! wheel_environment wheel "${with_libraries[@]}"; then
        skipped "$no_python"
        return
    fi
    wheel wheel
    cp -r .ci/mujoco_models "$work/models"
    "$python" .ci/mujoco_models/assets.py "$work/models"
    for device in cpu gpu; do
        "$python" .ci/mujoco_oracle.py --device $device --poses 2 --rays 20000 $raytwin "$work/models" examples/robots
        "$python" .ci/mujoco_follow.py --device $device "$work/models" examples/robots
    done
}

# Outside data: truth sets, hardware arithmetic, MuJoCo models, molecules and robots.
outside_data() {
    program
    if [ ! -d "$outside" ]; then
        skipped "there is no $outside"
        return
    fi
    if ! wheel_environment wheel "${with_libraries[@]}"; then
        skipped "$no_python"
        return
    fi
    wheel wheel
    PYTHON=target/environments/wheel/bin/python .ci/outside "$outside" | tee "$work/outside"
    ! grep -q '^skipped: ' "$work/outside" || left_out "the checks named above"
}

# The usual Parquet writers: pyarrow, polars, DuckDB and pandas.
writers() {
    program
    if environment writers pyarrow polars duckdb pandas numpy; then
        mkdir "$work/written"
        target/environments/writers/bin/python .ci/writers.py "$PWD/$raytwin" "$work/written"
    else
        skipped "$no_python"
    fi
}

# Memory that Vulkan and CUDA share, with a stand-in for CUDA's driver.
shared_memory() {
    if [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null; then
        .ci/cuda_stand_in.sh
    else
        skipped "a Debian trixie root, whose driver shares memory, needs root rights and debootstrap"
    fi
}

# ROS 2 messages, read with mcap-ros2-support and rosbags.
messages() {
    program
    if environment messages mcap mcap-ros2-support rosbags numpy; then
        mkdir "$work/scanned"
        target/environments/messages/bin/python .ci/messages.py $raytwin "$work/scanned"
    else
        skipped "$no_python"
    fi
}

# Every state of moving instances is judged.
moving() {
    tools
    target/release/judge_moving --count 40
}

# Damaged files of every format.
mutations() {
    tools
    target/release/mutate_inputs --count 10000
}

# The witness suite, with exact answers in fractions.
witness() {
    python3 cli/witness/exact.py
}

# The parts of .ci/full. Each row has the minutes on two cores of a fourth-generation EPYC, while another part runs, and the files that the
# part reads in addition to this file. Its result is valid until one of them changes. The longest parts start first.
engine="Cargo.toml Cargo.lock rust-toolchain.toml src shaders verify"
program="$engine files formats cli"
parts="
sweeps 28 $engine tests
whole_wheel 24 $program cuda python README.md docs examples
whole_page 19 $program web docs examples python/raytwin
outside_data 11 $program cuda tests python examples .ci/steps.sh .ci/outside .ci/mujoco_oracle.py .ci/mujoco_follow.py
software_kernels 10 $engine tests
faults 4 $program tests examples
shared_memory 2 $engine files formats cuda python .ci/cuda_stand_in.sh
examples 1 $program examples
swiftshader 1 $program examples
mujoco 2 $program cuda python .ci/mujoco_models .ci/mujoco_oracle.py .ci/mujoco_follow.py examples/robots
mutations 1 $program tools examples
moving 1 $program tests tools
pages 1 $program README.md docs examples
proof 1 $program
writers 1 $program .ci/writers.py
messages 1 $program .ci/messages.py
witness 1 cli/witness
"

all_parts() { sed '/^$/d' <<<"$parts"; }
is_part() { grep -q "^$1 " <<<"$parts"; }
# Lists the files that a part reads.
read_by() { echo .ci/parts.sh; sed -n "s/^$1 [0-9]* //p" <<<"$parts"; }
# Hashes the files that a part reads, or fails. Git still lists deleted files.
hash_of() {
    # shellcheck disable=SC2046
    git ls-files -z -co --exclude-standard -- $(read_by "$1") | while IFS= read -r -d '' file; do
        [ ! -f "$file" ] || printf '%s\0' "$file"
    done | sort -zu | xargs -0 sha256sum | sha256sum
}
has_passed() {
    local hash
    hash=$(hash_of "$1") || { echo "cannot hash the files that $1 reads" >&2; return 1; }
    [ "$(cat "target/passed/$1" 2>/dev/null)" = "$hash" ]
}

# --- Running steps.

# Runs steps, two at a time, because most leave a core idle at times. Prints the output of each when it ends. Returns 1 if one failed.
# Do not call it in a condition, because Bash would ignore `set -e` in the steps.
run_steps() {
    local name going=0 failed=()
    for name in "$@"; do
        if [ $going -lt 2 ]; then going=$((going + 1)); else wait -n || true; fi
        begin_beside told_when_it_ends "$name"
    done
    wait "${beside[@]}" || true
    printf '\nall took %d s\n' "$SECONDS"
    # A killed step printed nothing.
    for name in "$@"; do
        [ -e "$work/$name.passed" ] || failed+=("$name")
    done
    [ ${#failed[@]} = 0 ] || { printf 'failed: %s\n' "${failed[@]}"; return 1; }
}
told_when_it_ends() {
    local began=$SECONDS hash=
    part=$1
    ! is_part "$1" || hash=$(hash_of "$1")
    # shellcheck disable=SC2064
    trap "tell_end $1 $began \$? '$hash'" EXIT
    # In its own process, so that its output is printed even if it is killed.
    ("$1") >"$work/$1.out" 2>&1
}
tell_end() {
    {
        flock 9
        printf '\n== %s (after %d s)\n' "${1//_/ }" "$2"
        cat "$work/$1.out"
        if [ "$3" != 0 ]; then
            echo "FAILED: ${1//_/ }"
        else
            touch "$work/$1.passed"
            if [ -n "$4" ] && [ ! -e "$work/$1.skipped" ]; then mkdir -p target/passed && echo "$4" >"target/passed/$1"; fi
        fi
        printf -- '-- %d s\n' $((SECONDS - $2))
    } 9>"$work/telling"
}

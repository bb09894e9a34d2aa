# What holds before a change lands, part by part: sourced by .ci/run, which runs the core of it, and by .ci/full, which runs all of it.
# A part makes what it needs, so that each can be run alone. What needs data from outside of the project says so in one line where that is
# absent.

outside=../shared
raytwin=target/release/raytwin
# Without it Mesa's loader complains on every start.
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-/tmp}"
# An extension module is linked with no interpreter, so the wheel's code is checked where there is none, too.
export PYO3_BUILD_EXTENSION_MODULE=1
# The largest crates are compiled by one thread each, and begin earlier where more are compiled at a time than there are cores.
export CARGO_BUILD_JOBS=$(($(nproc) * 2))

work=$(mktemp -d)
# What goes on beside this script is in process groups (which `set -m` gives it), by which all of it ends with this script.
beside=()
begin_beside() {
    set -m
    "$@" &
    beside+=("$!")
    set +m
}
trap 'kill -- "${beside[@]/#/-}" 2>/dev/null || true; rm -rf "$work"' EXIT

# Says what a step leaves out. A part that left something out has not passed.
left_out() {
    echo "skipped: $*"
    touch "$work/${part:-step}.skipped"
}
# A step that cannot run fails where the outside data is, which is where changes are judged. Elsewhere it says so in one line.
skipped() {
    left_out "$@"
    [ ! -d "$outside" ] || exit 1
}

# --- What the parts need.

program() {
    cargo build --quiet --release -p raytwin-cli
}
tools() {
    # With the program they share the crates that are compiled.
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
# Builds the page, which the program holds. The profile compiles in a fraction of the release's time. The release measures its own download.
page() (
    cargo build --quiet --release -p raytwin-web-builder
    if ! has_wasm; then
        # shellcheck disable=SC1091
        . "$outside/prepare-wasm"
    fi
    target/release/raytwin-web-builder target/web page
)

# What is tested with another Python library is in a file of that name: it is left out where the library cannot be had. The second row
# takes minutes, and the rest of the wheel's tests as long as the first.
with_libraries=(mujoco "trimesh rtree scipy" polars pandas ml_dtypes)
with_heavy_libraries=(open3d "ray[data]" daft pyspark)
named_libraries=("${with_libraries[@]%% *}" "${with_heavy_libraries[@]%%[[]*}")
# Makes an environment of Python with some libraries, once. Most of their modules are never imported, so none is compiled beforehand.
environment() {
    local folder=target/environments/$1
    (
        flock 8
        [ ! -e "$folder/is_ready" ] || exit 0
        rm -rf "$folder"
        python3 -m venv "$folder" && "$folder/bin/pip" install -q --no-compile "${@:2}" && touch "$folder/is_ready"
    ) 8>"$(lock "$1")" >>"$work/$1.log" 2>&1 || { tail -n 1 "$work/$1.log"; return 1; }
}
# Prints the file by which runs beside each other, and steps of one, wait for each other at an environment.
lock() {
    mkdir -p target/environments
    echo "target/environments/$1.lock"
}
page_environment() {
    environment page numpy playwright pytest marionette_driver axe-playwright-python
}
no_python="there is no python3 here, or no network to install libraries from"
# Makes the environment of the wheel's tests, with these libraries as far as they can be had.
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
# Open3D is linked to libusb. Where they cannot be had, the steps that need them say so.
browsers() (
    flock 8
    if ! { [ -x "$chromium" ] && [ -x "$firefox" ] && [ -f "$swiftshader_driver" ] && [ -n "$(ldconfig -p | grep -F libusb-1.0.so)" ]; } &&
        [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium firefox-esr libusb-1.0-0 || true
    fi >"$work/browsers.log" 2>&1
) 8>"$(lock browsers)"

scenes=(examples/scenes/*.json examples/scenes/shapes/*.json examples/worlds/* examples/gltf/* examples/molecules/* examples/meshes/*.urdf)
# The flags for an image of this size of a scene. A panorama has its lidar's size.
size() {
    [ "$2" = examples/scenes/lidar.json ] || echo "--size $1"
}
# Of every scene the closest hits are judged. Of the gallery, which has every shape, and of a graph with instances everything is asked,
# because each kind of query is a kernel of its own, which a software driver compiles for a second.
questions() {
    case $1 in *gallery.json | *toy_train.gltf) echo "${2-}" ;; *) echo "--kind closest" ;; esac
}

# --- The core, which .ci/run runs for every change.

tests() {
    sh .ci/test
}

# Cargo lets one of its commands compile at a time.
lints() {
    cargo fmt --check
    cargo clippy --release --workspace --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps
    # The libraries with all features are those of the program, which clippy has seen.
    cargo clippy --quiet --release -p raytwin -p raytwin-verify -p raytwin-files -p raytwin-formats --lib --no-default-features -- -D warnings
    # A user of the engine compiles no reader.
    cargo tree -q -p raytwin -e normal --prefix none >"$work/tree"
    if grep -wE 'parquet|exr|las|image|roxmltree|csv|zip' "$work/tree"; then
        echo "the engine depends on a reader"
        exit 1
    fi
}

# What the packages depend on; they are packed, compiled and run in an empty folder.
packages() {
    .ci/dependencies
    if has_page; then
        .ci/packages
    else
        skipped "there is no page here for the program's package to hold"
    fi
}

# Passes tests of the page in browsers.
page_tests() {
    # Firefox refuses the home of another user.
    ask() {
        HOME=$work CHROMIUM="$chromium" FIREFOX="$firefox" PYTHONDONTWRITEBYTECODE=1 target/environments/page/bin/pytest -q -rs -o cache_dir="$PWD/target/page-cache" "$@"
    }
    if ! can_build_page; then
        skipped "rustup target add wasm32-unknown-unknown has not been run here"
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
        # Only this one says that tests ran to their end, and some failed.
        [ $code -le 1 ] || return $code
        if [ $code = 1 ]; then
            echo "what failed is asked once more, because a browser may time out on a busy machine"
            ask --last-failed "$@"
        fi
    fi
}
page_core() {
    page_tests web/test/test_page.py web/test/test_firefox.py
}

# Builds the wheel and installs it in an environment, once, because another step may use it already.
wheel() (
    name=$1 bin=target/environments/$1/bin
    flock 8
    [ ! -e "$work/$name.has_wheel" ] || exit 0
    "$bin/maturin" build --release --locked -q --manifest-path python/Cargo.toml -i "$bin/python" --out "$work/$name-wheels"
    "$bin/pip" install -q --no-compile --force-reinstall --no-deps "$work/$name-wheels"/*.whl
    "$bin/pip" install -q --no-compile "$(echo "$work/$name-wheels"/*.whl)[test]"
    touch "$work/$name.has_wheel"
) 8>"$(lock "$1")"
# Passes tests of the wheel in an environment. A file that is named by a library which cannot be used is left out.
wheel_tests() {
    local bin=target/environments/$1/bin file library asked=()
    program
    for file in "${@:2}"; do
        library=$(basename "$file" .py)
        library=${library#test_}
        if [[ " ${named_libraries[*]} " == *" $library "* ]] &&
            { ! "$bin/python" -c "import $library" 2>"$work/import.log" || { [ "$library" = pyspark ] && ! java -version 2>"$work/import.log"; }; }; then
            left_out "$file, because $library cannot be used: $(tail -n 1 "$work/import.log")"
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

# Passes some tests of Cargo's, of which there must be one.
cargo_tests() {
    cargo test --release "$@" | tee "$work/${part:-step}.tests"
    grep -q '^test result: ok\. [1-9]' "$work/${part:-step}.tests" || { echo "no test has that name"; return 1; }
}

# Every planted fault is noticed.
faults() {
    cargo_tests -p raytwin-verify --test full -- fault
    cargo_tests -p raytwin-cli --test full -- fault
}

# Every command on the pages does what it says.
pages() {
    cargo_tests -p raytwin-cli --test full -- pages::
}

# The report of a proof is judged anew.
proof() {
    cargo_tests -p raytwin-cli --test full -- proof::
}

# All rays of the sweeps.
sweeps() {
    cargo_tests -p raytwin-verify --test full -- --skip fault
}

# The engine's tests by the kernels for software drivers.
software_kernels() {
    RAYTWIN_KERNELS=software cargo_tests -p raytwin-verify --test it
}

# Every test of the page, and the proof of a million rays.
whole_page() {
    page_tests web/test
}

# The wheel's tests that take long, with clusters of Ray and Spark.
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

# The gate on another driver. Its compiler takes exponentially long for kernels whose branches meet again after equally many blocks,
# so each scene has a limit: see src/gpu/shader.rs.
swiftshader() {
    local scene answers tracks
    program
    browsers
    if [ ! -f "$swiftshader_driver" ]; then
        skipped "there is no $swiftshader_driver here, which Debian's package chromium brings"
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

# MuJoCo casts its own rays at the same models, which are read from files and followed.
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

# Truth sets, hardware's arithmetic, MuJoCo's models, molecules and robots from outside of the project.
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
    ! grep -q '^skipped: ' "$work/outside" || left_out "what is named above"
}

# The usual writers of Parquet: pyarrow, polars, DuckDB and pandas.
writers() {
    program
    if environment writers pyarrow polars duckdb pandas numpy; then
        mkdir "$work/written"
        target/environments/writers/bin/python .ci/writers.py "$PWD/$raytwin" "$work/written"
    else
        skipped "$no_python"
    fi
}

# Memory that Vulkan and CUDA share, beside a stand-in for CUDA's driver.
shared_memory() {
    if [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null; then
        .ci/cuda_stand_in.sh
    else
        skipped "a root of Debian trixie, whose driver shares memory, takes root and debootstrap"
    fi
}

# Messages of ROS 2, read by mcap-ros2-support and rosbags.
messages() {
    program
    if environment messages mcap mcap-ros2-support rosbags numpy; then
        mkdir "$work/scanned"
        target/environments/messages/bin/python .ci/messages.py $raytwin "$work/scanned"
    else
        skipped "$no_python"
    fi
}

# Every state of instances that move is judged.
moving() {
    tools
    target/release/judge_moving --count 40
}

# Damaged files of every format.
mutations() {
    tools
    target/release/mutate_inputs --count 10000
}

# The witness suite by exact answers in fractions.
witness() {
    python3 cli/witness/exact.py
}

# The parts of .ci/full, each with its minutes on two cores of an EPYC of the fourth generation, beside another one, and what it reads besides
# this file: its result stands for as long as none of it changes. The longest begin first.
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
# Lists what a part reads.
read_by() { echo .ci/parts.sh; sed -n "s/^$1 [0-9]* //p" <<<"$parts"; }
# Hashes what a part reads, and fails where that cannot be done. A file that is deleted is still listed.
hash_of() {
    # shellcheck disable=SC2046
    git ls-files -z -co --exclude-standard -- $(read_by "$1") | while IFS= read -r -d '' file; do
        [ ! -f "$file" ] || printf '%s\0' "$file"
    done | sort -zu | xargs -0 sha256sum | sha256sum
}
has_passed() {
    local hash
    hash=$(hash_of "$1") || { echo "what $1 reads cannot be hashed" >&2; return 1; }
    [ "$(cat "target/passed/$1" 2>/dev/null)" = "$hash" ]
}

# --- How steps are run.

# Runs steps, two at a time, because most leave a core idle at times. Each is told when it ends, with what it printed. Returns 1 if one
# failed. It stands in no condition, where Bash would ignore `set -e` in the steps.
run_steps() {
    local name going=0 failed=()
    for name in "$@"; do
        if [ $going -lt 2 ]; then going=$((going + 1)); else wait -n || true; fi
        begin_beside told_when_it_ends "$name"
    done
    wait "${beside[@]}" || true
    printf '\nall took %d s\n' "$SECONDS"
    # A step that was killed could not tell.
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
    # In a process of its own, so that what ends it still prints what it wrote.
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

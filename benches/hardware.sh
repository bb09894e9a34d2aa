#!/bin/sh
# Records the answers and the speed of a GPU in docs/reference/hardware/NAME.json.
#
#   benches/hardware.sh NAME [PART ...]
#
# The parts are devices, diff, suite, bench and variants. Default: all. Each part writes its own file to
# target/hardware/NAME, so you can run them one by one on a machine that you have for minutes. Each run rewrites the
# record from these files. The exit code is 1 if an answer was wrong or a test failed. Rates of kernels and copies are
# those of a device at full load, as bench measures them. Times from host to host are those of single batches, between
# which a GPU may lower its clock.
#
# On a machine that cannot compile, set these environment variables:
#   RAYTWIN  the program. Default: the script builds it.
#   SUITE    the program of the library's tests. Default: the script builds it.
#   DEVICE   the value of --device. Default: gpu.
#   TRUTH    a folder of folders with a scene.json and rays.npy, which diff also checks
#   SIZES    the numbers of shapes in the scenes of bench. Default: 1000 100000 1000000.
#   REPEAT   the number of times that bench measures everything. Default: 5.
set -eu
if [ $# -eq 0 ]; then
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
    exit 2
fi
name=$1
shift
[ $# -gt 0 ] || set -- devices diff suite bench variants
cd "$(dirname "$0")/.."
device=${DEVICE:-gpu}
sizes=${SIZES:-1000 100000 1000000}
parts=target/hardware/$name
mkdir -p "$parts" docs/reference/hardware
rm -f "$parts/failed"
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-/tmp}"

raytwin=${RAYTWIN:-}
if [ -z "$raytwin" ]; then
    cargo build --profile dist --package raytwin-cli
    raytwin=target/dist/raytwin
fi

# Runs a command of the program, and prints its JSON object in one line, or an object with its exit code.
json() {
    code=0
    "$raytwin" "$@" --device "$device" --json --quiet >"$parts/answer" || code=$?
    [ $code -eq 0 ] || touch "$parts/failed"
    if [ -s "$parts/answer" ]; then cat "$parts/answer"; else echo "{\"exit_code\":$code}"; fi
}

# Joins the lines of stdin to a JSON array.
array() {
    printf '['
    paste -s -d, -
    printf ']\n'
}

devices() {
    json devices --check
}

diff_all() {
    for scene in examples/scenes/*.json examples/scenes/shapes/*.json; do
        json diff "$scene"
    done
    for folder in ${TRUTH:+"$TRUTH"/*/}; do
        [ ! -e "$folder/rays.npy" ] || json diff "$folder/scene.json" "$folder/rays.npy"
    done
}

# Prints the result line of the suite for each variant of the kernels.
suite() {
    for kernels in hardware software; do
        code=0
        if [ -n "${SUITE:-}" ]; then
            RAYTWIN_KERNELS=$kernels "$SUITE" >"$parts/suite-$kernels.log" 2>&1 || code=$?
        else
            RAYTWIN_KERNELS=$kernels cargo test --release --test it >"$parts/suite-$kernels.log" 2>&1 || code=$?
        fi
        [ $code -eq 0 ] || touch "$parts/failed"
        result=$(grep '^test result' "$parts/suite-$kernels.log" | tail -1)
        echo "{\"kernels\":\"$kernels\",\"exit_code\":$code,\"result\":\"$result\"}"
    done
}

scenes() {
    for size in $sizes; do echo "w1m_$size"; done | paste -s -d, -
}

# Prints the rates of all kinds, and then the phases of the two kinds with the smallest answers.
bench() {
    json bench --scene "$(scenes),w1d_100000" --kind closest,any,count,all,points --repeat "${REPEAT:-5}"
    json bench --scene "$(scenes),w1d_100000" --kind closest,any --phases --repeat "${REPEAT:-5}"
}

# Prints the rates of each variant of the kernels.
variants() {
    for kernels in hardware software; do
        export RAYTWIN_KERNELS=$kernels
        printf '{"kernels":"%s","bench":' $kernels
        json bench --scene "$(scenes)" --kind closest,any --repeat "${REPEAT:-5}" | tr -d '\n'
        echo '}'
    done
    unset RAYTWIN_KERNELS
}

for part in "$@"; do
    echo "$name: $part" >&2
    case $part in
    devices) devices >"$parts/lines" ;;
    diff) diff_all >"$parts/lines" ;;
    suite) suite >"$parts/lines" ;;
    bench) bench >"$parts/lines" ;;
    variants) variants >"$parts/lines" ;;
    *)
        echo "there is no part '$part': give devices, diff, suite, bench or variants" >&2
        exit 2
        ;;
    esac
    array <"$parts/lines" >"$parts/$part.json"
done

{
    printf '{"name":"%s"' "$name"
    for part in devices diff suite bench variants; do
        [ ! -e "$parts/$part.json" ] || { printf ',\n"%s":' "$part" && cat "$parts/$part.json"; }
    done
    printf '}\n'
} >"docs/reference/hardware/$name.json"
echo "wrote docs/reference/hardware/$name.json" >&2
[ ! -e "$parts/failed" ]

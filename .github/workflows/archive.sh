#!/usr/bin/env bash
# Builds the program, which holds the page if that was built before, and packs its archive, which is tried before it is kept:
#   archive.sh TARGET [CARGO'S OPTIONS]
set -euo pipefail
cd "$(dirname "$0")/../.."

target=$1
shift
name=raytwin-$target
cargo build --profile dist --locked -p raytwin-cli --target "$target" "$@"
rm -rf "$name"
mkdir -p "$name/completions"
cp "target/$target/dist/raytwin"* "$name/" && rm -f "$name"/*.d "$name"/*.pdb
cp -r README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE examples/scenes "$name/"
for shell in bash zsh fish powershell elvish; do
    "$name/raytwin" completions $shell >"$name/completions/raytwin.$shell"
done
"$name/raytwin" man "$name/man"
tried=$(mktemp -d)
"$name/raytwin" render "$name/scenes/gallery.json" --device cpu --out "$tried/out"
"$name/raytwin" view "$name/scenes/gallery.json" --no-open >"$tried/address" &
until grep http "$tried/address" || ! kill -0 $!; do sleep 1; done
curl --fail --silent "$(cat "$tried/address")" | grep main.js
kill $!
rm -rf "$tried"
case $target in
*windows*) archive=$name.zip && 7z a "$archive" "$name" ;;
*) archive=$name.tar.gz && tar -czf "$archive" "$name" ;;
esac
shasum -a 256 "$archive" >"$archive.sha256"

#!/usr/bin/env bash
# Builds the wheel for the Python that stands first in the path, installs it, and passes the tests that need no GPU:
#   wheel.sh TARGET [MATURIN'S OPTIONS]
set -euo pipefail

target=$1
shift
built=$(mktemp -d)
pip install 'maturin[zig]'
maturin build --profile dist --locked --manifest-path python/Cargo.toml -i python --target "$target" "$@" --out "$built"
pip install "$(echo "$built"/*.whl)[arrow]" pytest
python -m zipfile -l "$built"/*.whl | grep raytwin/page.zip
pytest -q python/tests/test_docstrings.py
mkdir -p wheels
mv "$built"/*.whl wheels/

"""The program's own measurements."""

import json
import subprocess


def program_results(program, *flags, device="cpu"):
    """Returns the results of `raytwin bench` on a device."""
    try:
        run = subprocess.run([program, "bench", "--device", device, "--json", *flags], capture_output=True, text=True)
    except OSError as error:
        raise SystemExit(f"{program}: {error}: build the program by cargo build --profile dist") from error
    if run.returncode != 0:
        raise SystemExit(run.stdout + run.stderr)
    return json.loads(run.stdout)["results"]

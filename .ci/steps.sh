# What the scripts of this folder tell of their steps.

# Begins a step, and tells how long the one before took.
began=
step() {
    [ -z "$began" ] || printf -- '-- %d s\n' "$((SECONDS - began))"
    began=$SECONDS
    printf '\n== %s (after %d s)\n' "$*" "$SECONDS"
}

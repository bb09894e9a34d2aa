# What the scripts of this folder tell of their steps.

# Begins a step, after the end of the one before.
began=
step() {
    [ -z "$began" ] || end_step
    began=$SECONDS
    printf '\n== %s (after %d s)\n' "$*" "$SECONDS"
}
# Tells how long a step took.
end_step() {
    printf -- '-- %d s\n' "$((SECONDS - began))"
}

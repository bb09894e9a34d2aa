# Functions that print the steps of the scripts in this folder.

# Begins a step, and ends the previous one.
began=
step() {
    [ -z "$began" ] || end_step
    began=$SECONDS
    printf '\n== %s (after %d s)\n' "$*" "$SECONDS"
}
# Prints the duration of a step.
end_step() {
    printf -- '-- %d s\n' "$((SECONDS - began))"
}

//! The program; all of it is in [`raytwin::cli`].

fn main() -> std::process::ExitCode {
    raytwin::cli::run()
}

//! Decides if a browser can be opened here.

use std::env;

/// Returns the reason why no browser is opened, and what to do instead; `None` if one can be
/// opened.
pub fn reason_to_stay_closed(is_refused: bool, port: u16) -> Option<String> {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    if is_refused {
        return Some("open the address in a browser of this machine".to_owned());
    }
    if ["SSH_CONNECTION", "SSH_TTY"].iter().any(|name| is_set(name)) {
        return Some(format!(
            "no browser is opened in an SSH session: on your machine, run ssh -L {port}:127.0.0.1:{port} with this machine's name, and open the address there"
        ));
    }
    let has_display = cfg!(any(windows, target_os = "macos"))
        || ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].iter().any(|name| is_set(name));
    (!has_display).then(|| {
        format!(
            "no browser is opened, because there is no display: from another machine, run ssh -L {port}:127.0.0.1:{port} with this machine's name, and open the address there"
        )
    })
}

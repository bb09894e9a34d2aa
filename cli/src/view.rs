//! `raytwin view`: serves the browser page and a scene to this machine only, and rereads the scene
//! when its files change.

mod browser;
mod connections;
mod file_snapshot;
mod keeper;
mod page;
mod request;
mod response;
mod scene_feed;
mod scene_header;
mod secret;
mod site;

use super::Failure;
use super::console::Console;
use super::source::SceneArguments;
use super::stages::no_thread;
use super::summary::{Summary, ViewSummary};
use clap::Args;
use keeper::Keeper;
use page::Page;
use site::Site;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, next_help_heading = "Browser")]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// Serve on this port of 127.0.0.1 (default: a free port).
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1024..))]
    port: Option<u16>,
    /// Print the address, and do not open a browser.
    #[arg(long)]
    no_open: bool,
    /// Serve the page from this folder.
    ///
    /// This replaces the built-in page. It is for developers of the page.
    #[arg(long, value_name = "FOLDER", hide_short_help = true)]
    page: Option<PathBuf>,
}

const EXAMPLES: &str = "\
raytwin view examples/scenes/pipe_rack.json
raytwin view examples/robots/arm.urdf --no-open --port 8080";

pub(super) fn run(
    arguments: Arguments,
    device: &str,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let query = query_for(device)?;
    let scene = arguments.scene.name();
    // Errors in the scene are reported before anything else.
    let keeper = Keeper::new(arguments.scene, console.clone())?;
    let page = Page::read(arguments.page)?;
    let listener = listen(arguments.port)?;
    let port = listener.local_addr().map_err(|error| unusable(arguments.port, &error))?.port();
    let (joint_requests, asked) = channel();
    let site = Arc::new(Site::new(page, port, query, keeper.feed(), joint_requests)?);
    let address = site.address();
    let of_server = Arc::clone(&site);
    let serve = move || connections::accept(&listener, &of_server);
    thread::Builder::new().spawn(serve).map_err(no_thread)?;

    console.ends_by_signal(format!("{scene} is not served any more"));
    console.result(
        Summary::View(ViewSummary { scene: scene.clone(), address: address.clone() }),
        &format!("{address}\n"),
    )?;
    match browser::reason_to_stay_closed(arguments.no_open, port) {
        Some(reason) => console.say(&reason),
        None => {
            if let Err(error) = open::that_detached(site.address_for_once()?) {
                console
                    .warn(&format!("no browser was opened ({error}): open the address yourself"));
            }
        }
    }
    // Only the server has the site from here on, so that its end is noticed.
    drop(site);
    console
        .say(&format!("raytwin serves {scene} until Ctrl-C, and rereads it when its files change"));
    keeper.keep(&asked)
}

/// Returns the query of the address. It shows the page that a program serves it, and which device
/// draws.
fn query_for(device: &str) -> Result<&'static str, Failure> {
    match device {
        "auto" | "gpu" => Ok("?served"),
        "cpu" => Ok("?served&cpu"),
        name => Err(Failure::usage(format!(
            "--device {name}: the browser chooses the GPU for the page: leave --device out, or give cpu"
        ))),
    }
}

fn listen(port: Option<u16>) -> Result<TcpListener, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0)));
    listener.map_err(|error| unusable(port, &error))
}

fn unusable(port: Option<u16>, error: &std::io::Error) -> Failure {
    Failure::input(match port {
        Some(port) => format!(
            "--port {port}: cannot be used: {error}: give another port, or leave --port out for a free one"
        ),
        None => format!("127.0.0.1: no port can be used: {error}"),
    })
}

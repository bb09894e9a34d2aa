//! `raytwin view`: serves the browser page and a scene to this machine alone, and reads the scene
//! again when its files change.

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
    /// Serve at this port of 127.0.0.1; by default at a free one.
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1024..))]
    port: Option<u16>,
    /// Print the address, and open no browser.
    #[arg(long)]
    no_open: bool,
    /// Take the page from this folder.
    ///
    /// It takes the place of the one that the program holds. It is for those who change the page.
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
    // What is wrong with the scene is said before anything else.
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

    console.ends_by_signal(format!("{scene} is no longer served"));
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
    // The server alone holds the site now, so that its end would show.
    drop(site);
    console.say(&format!("{scene} is served until Ctrl-C, and read again when its files change"));
    keeper.keep(&asked)
}

/// Returns the part of the address from which the page knows that a program serves it, and on what to
/// draw.
fn query_for(device: &str) -> Result<&'static str, Failure> {
    match device {
        "auto" | "gpu" => Ok("?served"),
        "cpu" => Ok("?served&cpu"),
        name => Err(Failure::usage(format!(
            "--device {name}: the browser chooses the GPU that the page draws on: leave --device out, or give cpu"
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
            "--port {port}: cannot be served at: {error}: give another port, or none for one that is free"
        ),
        None => format!("127.0.0.1: no port can be served at: {error}"),
    })
}

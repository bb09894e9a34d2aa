#![no_main]

raytwin_fuzz::target!("ply-text");

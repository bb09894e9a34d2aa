#![no_main]

raytwin_fuzz::target!("ply-binary");

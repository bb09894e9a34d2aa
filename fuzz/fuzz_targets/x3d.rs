#![no_main]

raytwin_fuzz::target!("x3d");

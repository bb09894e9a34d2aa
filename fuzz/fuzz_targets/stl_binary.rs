#![no_main]

raytwin_fuzz::target!("stl-binary");

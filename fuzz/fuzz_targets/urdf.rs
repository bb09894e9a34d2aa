#![no_main]

raytwin_fuzz::target!("urdf");

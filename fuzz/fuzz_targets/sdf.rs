#![no_main]

raytwin_fuzz::target!("sdf");

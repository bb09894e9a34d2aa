#![no_main]

raytwin_fuzz::target!("points-laz");

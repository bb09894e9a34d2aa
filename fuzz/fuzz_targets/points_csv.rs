#![no_main]

raytwin_fuzz::target!("points-csv");

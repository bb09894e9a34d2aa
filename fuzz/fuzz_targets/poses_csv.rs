#![no_main]

raytwin_fuzz::target!("poses-csv");

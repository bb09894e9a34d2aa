#![no_main]

raytwin_fuzz::target!("table-csv");

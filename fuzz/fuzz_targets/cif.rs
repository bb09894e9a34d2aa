#![no_main]

raytwin_fuzz::target!("cif");

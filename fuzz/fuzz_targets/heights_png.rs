#![no_main]

raytwin_fuzz::target!("heights-png");

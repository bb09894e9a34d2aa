#![no_main]

raytwin_fuzz::target!("rays-npy");

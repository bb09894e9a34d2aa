#![no_main]

raytwin_fuzz::target!("gltf-collision");

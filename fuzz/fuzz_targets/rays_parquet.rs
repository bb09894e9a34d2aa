#![no_main]

raytwin_fuzz::target!("rays-parquet");

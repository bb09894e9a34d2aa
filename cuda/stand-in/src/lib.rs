//! Stands in for CUDA's driver where there is no card.

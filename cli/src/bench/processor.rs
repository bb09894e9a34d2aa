//! The processor's name, because a figure means little without it.

/// Returns the processor's name, its family and its model, because clouds give the same name to
/// processors of several generations. If the name is unknown, returns the architecture.
#[cfg(target_arch = "x86_64")]
pub fn processor() -> String {
    let cpuid = raw_cpuid::CpuId::new();
    let name = cpuid.get_processor_brand_string();
    let name = name.as_ref().map_or(std::env::consts::ARCH, |brand| brand.as_str().trim());
    match cpuid.get_feature_info() {
        Some(info) => format!("{name}, family {}, model {}", info.family_id(), info.model_id()),
        None => name.to_owned(),
    }
}

/// Returns the processor's architecture.
#[cfg(not(target_arch = "x86_64"))]
pub fn processor() -> String {
    std::env::consts::ARCH.to_owned()
}

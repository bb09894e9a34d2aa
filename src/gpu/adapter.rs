//! The adapters of a machine, and the choice of one of them.

/// The adapter to open.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AdapterChoice {
    /// A discrete, integrated or virtual GPU.
    Hardware,
    /// The best of all adapters, including software adapters.
    Any,
    /// The best of the adapters whose name contains this text, in upper or lower case.
    Named(String),
}

impl std::fmt::Display for AdapterChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Hardware => f.write_str("the request for a hardware GPU"),
            Self::Any => f.write_str("the request for any GPU"),
            Self::Named(name) => write!(f, "the name '{name}'"),
        }
    }
}

/// The properties by which an adapter is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterInfo {
    /// The name with which [`AdapterChoice::Named`] is compared.
    pub name: String,
    /// `discrete`, `integrated`, `virtual`, `software` or `other`.
    pub kind: &'static str,
    /// `Vulkan`, `Metal`, `Dx12` or `BrowserWebGpu`.
    pub backend: String,
    /// The driver's name and version.
    pub driver: String,
    /// The largest buffer that a shader can see, in bytes.
    pub max_binding_bytes: u64,
}

impl AdapterInfo {
    fn of(adapter: &wgpu::Adapter) -> Self {
        let info = adapter.get_info();
        Self {
            name: info.name,
            kind: match info.device_type {
                wgpu::DeviceType::DiscreteGpu => "discrete",
                wgpu::DeviceType::IntegratedGpu => "integrated",
                wgpu::DeviceType::VirtualGpu => "virtual",
                wgpu::DeviceType::Cpu => "software",
                wgpu::DeviceType::Other => "other",
            },
            backend: format!("{:?}", info.backend),
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
            max_binding_bytes: adapter.limits().max_storage_buffer_binding_size,
        }
    }

    /// A lower rank is better.
    fn rank(&self) -> usize {
        ["discrete", "integrated", "virtual", "other", "software"]
            .iter()
            .position(|&kind| kind == self.kind)
            .unwrap_or(usize::MAX)
    }

    /// Returns whether the choice allows this adapter.
    pub fn fits(&self, choice: &AdapterChoice) -> bool {
        match choice {
            AdapterChoice::Hardware => self.rank() < 3,
            AdapterChoice::Any => true,
            AdapterChoice::Named(name) => self.name.to_lowercase().contains(&name.to_lowercase()),
        }
    }
}

impl std::fmt::Display for AdapterInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}, {})", self.name, self.kind, self.backend)
    }
}

const WGPU_BACKEND: &str = "WGPU_BACKEND";

/// Each of these variables can keep wgpu or the Vulkan loader from finding every adapter.
const NARROWING: [&str; 5] = [
    WGPU_BACKEND,
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "VK_LOADER_DRIVERS_SELECT",
    "VK_LOADER_DRIVERS_DISABLE",
];

/// Returns the variables of the environment that narrow the search for adapters, as `NAME=VALUE`.
pub(super) fn narrowed_by() -> Vec<String> {
    let set = NARROWING.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    // The Vulkan loader takes an empty value for a list of no drivers.
    let narrowing = set.filter(|(name, value)| *name != WGPU_BACKEND || !value.is_empty());
    narrowing.map(|(name, value)| format!("{name}={}", value.to_string_lossy())).collect()
}

/// Returns the values of `WGPU_BACKEND` that this build supports.
pub(super) fn backends() -> String {
    let backends = wgpu::Instance::enabled_backend_features();
    let names: Vec<_> = backends.iter_names().map(|(name, _)| name.to_lowercase()).collect();
    names.join(", ")
}

/// Returns the adapters of this machine, best first. It honours `WGPU_BACKEND`.
pub fn adapters() -> Vec<AdapterInfo> {
    pollster::block_on(ranked_adapters()).into_iter().map(|(info, _)| info).collect()
}

/// Returns the adapters of this machine, best first, each with its properties.
pub(super) async fn ranked_adapters() -> Vec<(AdapterInfo, wgpu::Adapter)> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    // An empty variable counts as none, but wgpu takes it for a list of no backends.
    if std::env::var_os(WGPU_BACKEND).is_some_and(|value| value.is_empty()) {
        descriptor.backends = wgpu::Backends::default();
    }
    let instance = wgpu::Instance::new(descriptor);
    let mut adapters: Vec<_> = instance
        .enumerate_adapters(wgpu::Backends::all())
        .await
        .into_iter()
        .map(|adapter| (AdapterInfo::of(&adapter), adapter))
        .collect();
    adapters.sort_by_key(|(info, _)| info.rank());
    adapters
}

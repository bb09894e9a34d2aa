//! The places where a deliberate fault acts. The engine only plants a fault. The crate
//! `raytwin-verify` has the names of faults, the checks that show them and the scenes that they
//! need.

/// The place where a fault acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultSite {
    /// A piece of a shader's text is replaced by a wrong one.
    Shader {
        /// The file in `shaders/`.
        file: &'static str,
        /// The text that is replaced, which occurs once in the file.
        from: &'static str,
        /// The wrong text.
        to: &'static str,
    },
    /// The records for the device are changed.
    Records(RecordFault),
    /// The host's dispatches or buffers are changed.
    Host(HostFault),
}

/// A fault in the records for the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordFault {
    /// The first three numbers of each shape are rounded to float16.
    RoundedToHalf,
    /// Two of every sixteen records of shapes are swapped.
    Swapped,
    /// The transform of every sixteenth instance is transposed.
    InstanceTransposed,
}

/// A fault in the host's dispatches and buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostFault {
    /// One workgroup fewer is dispatched than the batch needs.
    LastWorkgroupDropped,
    /// A chunk's rays are not uploaded if its buffers already have the rays of another chunk.
    StaleRays,
    /// An update does not upload the records of moved items.
    MovedRecordsKept,
}

impl FaultSite {
    /// Returns the file in `shaders/` that is changed; `None` for records and the host.
    pub fn shader_file(&self) -> Option<&'static str> {
        match self {
            Self::Shader { file, .. } => Some(file),
            Self::Records(_) | Self::Host(_) => None,
        }
    }

    /// Returns how records are spoilt, if they are.
    pub(super) fn record_fault(self) -> Option<RecordFault> {
        match self {
            Self::Records(fault) => Some(fault),
            Self::Shader { .. } | Self::Host(_) => None,
        }
    }

    /// Returns how dispatches or buffers are spoilt, if they are.
    pub(super) fn host_fault(self) -> Option<HostFault> {
        match self {
            Self::Host(fault) => Some(fault),
            Self::Shader { .. } | Self::Records(_) => None,
        }
    }
}

impl HostFault {
    /// Returns how many rays a chunk may have so that the fault shows in a small batch.
    pub(super) fn chunk(self) -> Option<usize> {
        match self {
            // Of several workgroups of the kernels for hardware, those that are left answer the
            // rays of the last one.
            Self::LastWorkgroupDropped => Some(64),
            Self::StaleRays => Some(256),
            Self::MovedRecordsKept => None,
        }
    }
}

//! Warnings about parts of a file that are not in the scene.

/// Items of a file that were not read, or not exactly, although the scene is usable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The fault that the items share, as the text after their count.
    pub what: String,
    /// The number of items.
    pub count: usize,
    /// The names of only the first 20 items, because there may be many long names.
    pub names: Vec<String>,
    /// True if the items were read nevertheless, but not exactly or with a guess; false if they are
    /// not in the scene.
    pub is_read: bool,
    /// The option of [`load`](super::load) that removes the cause; `None` if no option does.
    pub remedy: Option<Remedy>,
}

/// An option of [`load`](super::load) that removes the cause of a [`Warning`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// [`Options::joints`](super::Options::joints).
    Joints,
    /// [`Options::packages`](super::Options::packages).
    Packages,
    /// [`Options::origin`](super::Options::origin).
    Origin,
    /// [`Options::point_radius`](super::Options::point_radius).
    PointRadius,
}

/// Defines the warnings of a reader, which are listed in this order.
macro_rules! warnings {
    ($(#[$about:meta])* $type:ident($($argument:ident: $of:ty)?) {
        $($name:ident = $warning:expr,)*
    }) => {
        $(#[$about])*
        #[derive(Debug)]
        pub(super) struct $type {
            $(pub $name: $crate::Warning,)*
        }

        impl $type {
            pub fn new($($argument: $of)?) -> Self {
                Self { $($name: $warning,)* }
            }

            /// All of them, including those without items.
            pub fn all(self) -> impl Iterator<Item = $crate::Warning> {
                [$(self.$name,)*].into_iter()
            }
        }
    };
}

pub(crate) use warnings;

impl Warning {
    const SHOWN: usize = 20;

    /// Makes a warning about items that are left out.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), count: 0, names: Vec::new(), is_read: false, remedy: None }
    }

    /// Makes a warning about items that are read, but not exactly or with a guess.
    pub(crate) fn about_read(what: impl Into<String>) -> Self {
        Self { is_read: true, ..Self::new(what) }
    }

    /// Makes a warning about colours.
    pub(crate) fn of_colors() -> Self {
        Self::about_read("colours could not be read; shaded.png shows default colours instead")
    }

    /// The warning, with the option that removes its cause.
    pub(crate) fn with_remedy(self, remedy: Remedy) -> Self {
        Self { remedy: Some(remedy), ..self }
    }

    /// A warning of geometries that are replaced by [`Geometry::Empty`](raytwin::Geometry::Empty).
    pub(super) fn unread(geometries: &str) -> Self {
        Self::new(format!(
            "{geometries} could not be read; they keep their ids, but no ray can hit them"
        ))
    }

    /// Adds the items of another warning about the same fault.
    pub(crate) fn merge(&mut self, other: Self) {
        self.count += other.count;
        let room = Self::SHOWN - self.names.len();
        self.names.extend(other.names.into_iter().take(room));
    }

    pub(crate) fn add(&mut self, name: impl FnOnce() -> String) {
        self.count += 1;
        if self.names.len() < Self::SHOWN {
            self.names.push(name());
        }
    }
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}: {}", self.count, self.what, self.names.join(", "))?;
        match self.count - self.names.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

//! The flags that say how to build the tree.

use crate::console::Console;
use crate::failure::Failure;
use clap::{Args, ValueEnum};
use raytwin::bvh::{Layout, Quality};
use raytwin::packed::PackError;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LayoutFlag {
    Auto,
    Binary,
    Wide,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum QualityFlag {
    Fast,
    Medium,
    Best,
}

/// The flags that say how to build the tree.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct TreeArguments {
    /// The layout of the tree in memory. auto takes wide (up to eight children a node), which was
    /// the fastest wherever it was measured, or binary if the scene is too large for wide. Answers
    /// do not depend on it. A GPU casts into instances only in wide trees.
    #[arg(long, value_enum, default_value = "auto", value_name = "LAYOUT")]
    tree: LayoutFlag,
    /// The effort spent on building the tree: the more, the faster it casts.
    #[arg(long, value_enum, default_value = "medium", value_name = "QUALITY")]
    build: QualityFlag,
}

impl TreeArguments {
    pub fn quality(&self) -> Quality {
        match self.build {
            QualityFlag::Fast => Quality::Fast,
            QualityFlag::Medium => Quality::Medium,
            QualityFlag::Best => Quality::Best,
        }
    }

    /// The flags that differ from the default, as words.
    pub fn typed(&self) -> impl Iterator<Item = String> + use<> {
        let layout = match self.tree {
            LayoutFlag::Auto => None,
            LayoutFlag::Binary => Some("--tree=binary"),
            LayoutFlag::Wide => Some("--tree=wide"),
        };
        let quality = match self.build {
            QualityFlag::Fast => Some("--build=fast"),
            QualityFlag::Medium => None,
            QualityFlag::Best => Some("--build=best"),
        };
        layout.into_iter().chain(quality).map(str::to_owned)
    }

    /// Calls `make` with the layout and the quality that the flags ask for. With `--tree auto`, a
    /// scene too large for a wide tree gets a binary one, and a message says so.
    pub fn make<T>(
        &self,
        name: &str,
        console: &Console,
        mut make: impl FnMut(Layout, Quality) -> Result<T, PackError>,
    ) -> Result<T, Failure> {
        let quality = self.quality();
        let made = match self.tree {
            LayoutFlag::Binary => make(Layout::Binary, quality),
            LayoutFlag::Wide => make(Layout::Wide, quality),
            LayoutFlag::Auto => match make(Layout::default(), quality) {
                Err(PackError::Wide(shapes)) => {
                    console.say(&format!("{name}: {shapes} shapes are too many for a wide tree, so a binary one is built"));
                    make(Layout::Binary, quality)
                }
                made => made,
            },
        };
        made.map_err(|error| Failure::from(error).in_file(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raytwin::bvh::TreeError;

    /// Asks for a tree of a scene that is too large for a wide one: the layouts that were tried,
    /// and the result.
    fn tried(tree: LayoutFlag) -> (Vec<Layout>, Result<Layout, Failure>) {
        let arguments = TreeArguments { tree, build: QualityFlag::Fast };
        let mut tried = Vec::new();
        let made = arguments.make("much", &Console::new("render", false, true), |layout, _| {
            tried.push(layout);
            match layout {
                Layout::Wide => Err(PackError::from(TreeError::Large(20_000_000))),
                layout => Ok(layout),
            }
        });
        (tried, made)
    }

    #[test]
    fn a_scene_too_large_for_a_wide_tree_gets_a_binary_one_unless_a_wide_one_is_asked_for() {
        let (layouts, made) = tried(LayoutFlag::Auto);
        assert_eq!(layouts, [Layout::Wide, Layout::Binary]);
        assert!(matches!(made, Ok(Layout::Binary)));
        let (layouts, made) = tried(LayoutFlag::Wide);
        assert_eq!(layouts, [Layout::Wide]);
        assert!(made.is_err_and(|failure| failure.message.contains("--tree binary")));
        assert_eq!(tried(LayoutFlag::Binary).0, [Layout::Binary]);
    }
}

//! Choices among names.

use schemars::JsonSchema;
use serde::Deserialize;

/// A choice among names.
pub trait Choice {
    /// The subject of the choice, in a few words.
    fn about(&self) -> &'static str;

    /// The names.
    fn names(&self) -> Vec<&'static str>;

    /// Returns the chosen name.
    fn chosen(&self) -> Option<&'static str>;

    /// Chooses by a name. Returns false for an unknown name.
    fn choose(&mut self, name: &str) -> bool;
}

/// Defines an enum whose variants have names.
macro_rules! named {
    ($(#[$about:meta])* $type:ident($words:literal) { $($(#[$of:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
        pub enum $type {
            $($(#[$of])* #[serde(rename = $name)] $variant,)*
        }

        impl $type {
            /// All of them, with their names.
            pub const NAMES: [(&str, Self); [$($name),*].len()] =
                [$(($name, Self::$variant)),*];

            /// Returns the variant with a name.
            pub fn named(name: &str) -> Option<Self> {
                Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, named)| *named)
            }

            /// Returns its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        impl Choice for $type {
            fn about(&self) -> &'static str {
                $words
            }

            fn names(&self) -> Vec<&'static str> {
                vec![$($name),*]
            }

            fn chosen(&self) -> Option<&'static str> {
                Some(self.name())
            }

            fn choose(&mut self, name: &str) -> bool {
                Self::named(name).map(|named| *self = named).is_some()
            }
        }

        impl Choice for Option<$type> {
            fn about(&self) -> &'static str {
                $words
            }

            fn names(&self) -> Vec<&'static str> {
                vec![$($name),*]
            }

            fn chosen(&self) -> Option<&'static str> {
                self.map($type::name)
            }

            fn choose(&mut self, name: &str) -> bool {
                $type::named(name).map(|named| *self = Some(named)).is_some()
            }
        }
    };
}

named! {
    /// The style of the drawing of a molecule.
    #[derive(Default)]
    MoleculeStyle("the name of a style") {
        /// A small sphere for each atom, and a cylinder for each bond.
        #[default]
        BallAndStick = "ball-and-stick",
        /// A sphere of the van der Waals radius for each atom.
        SpaceFilling = "space-filling",
        /// A cylinder with round ends for each bond, and a sphere of its radius for each atom
        /// without bonds.
        Sticks = "sticks",
        /// A cylinder with round ends from each alpha carbon of a chain to the next.
        Trace = "trace",
    }
}

named! {
    /// What the colours of a molecule show.
    MoleculeColors("what colours show") {
        /// The elements of its atoms.
        Element = "element",
        /// Its chains.
        Chain = "chain",
        /// The B factors of its atoms: from blue for those that move least, over white, to red.
        BFactor = "b-factor",
    }
}

//! The classes of defaults: a class has the attributes that its parent has where the class is
//! written.

use super::attributes::Attributes;
use super::document::Element;
use raytwin_files::FileError;
use std::collections::HashMap;
use std::rc::Rc;

/// The class of elements that name none.
pub(super) const MAIN: &str = "main";

/// The elements whose defaults matter.
const TAGS: [&str; 6] = ["geom", "joint", "camera", "site", "mesh", "material"];

/// The default attributes of each kind of element.
pub(super) type Defaults<'a> = HashMap<&'a str, Rc<Attributes<'a>>>;

/// The classes of a model, by name.
pub(super) struct Classes<'a>(HashMap<&'a str, Defaults<'a>>);

impl<'a> Classes<'a> {
    /// Reads the `<default>` sections of a model in their order. A class does not see what a later
    /// section adds to its parent, as in MuJoCo.
    pub fn read(root: &'a Element) -> Result<Self, FileError> {
        let mut classes = Self(HashMap::from([(MAIN, Defaults::new())]));
        for section in root.children("default") {
            let name = section.attribute("class").unwrap_or(MAIN);
            if name != MAIN {
                let reason = format!("class=\"{name}\": the outermost class is \"{MAIN}\"");
                return Err(section.refuse(reason));
            }
            classes.read_class(section, MAIN)?;
        }
        Ok(classes)
    }

    fn read_class(&mut self, section: &'a Element, name: &'a str) -> Result<(), FileError> {
        let defaults = self.0.entry(name).or_default();
        for element in section.children.iter().filter(|child| TAGS.contains(&child.tag.as_str())) {
            let merged = match defaults.get(element.tag.as_str()) {
                Some(below) => below.overlaid_by(element)?,
                None => Attributes::of(element)?,
            };
            defaults.insert(&element.tag, Rc::new(merged));
        }
        let inherited = defaults.clone();
        for child in section.children("default") {
            let name = child.required("class")?;
            if name.is_empty() || self.0.insert(name, inherited.clone()).is_some() {
                return Err(child.refuse(format!("class=\"{name}\" is empty or already defined")));
            }
            self.read_class(child, name)?;
        }
        Ok(())
    }

    /// Returns the default attributes of a class; `None` if there is none of this name.
    pub fn defaults(&self, class: &str) -> Option<&Defaults<'a>> {
        self.0.get(class)
    }
}

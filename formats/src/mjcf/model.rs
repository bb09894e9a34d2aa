//! A model: its elements, settings, classes and assets, and the models that are assets of it.

use super::attributes::Attributes;
use super::classes::{Classes, Defaults, MAIN};
use super::compiler::Compiler;
use super::document::{Element, identity};
use crate::reference::{file_name, reduced_path_in};
use crate::xml::Lapses;
use raytwin_files::{FileError, FileStore};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The largest number of nested models that are assets of one another.
const MAX_MODELS: usize = 1000;

/// The elements of a model's files, and the models that it names as assets.
#[derive(Debug)]
pub(super) struct ModelFile {
    root: Element,
    store: FileStore,
    folder: PathBuf,
    models: Vec<(String, ModelFile)>,
}

impl ModelFile {
    /// Reads a model's files.
    pub fn read(store: &FileStore, path: &Path, lapses: &mut Lapses) -> Result<Self, FileError> {
        Self::read_below(store, path, &mut Vec::new(), &mut 0, lapses)
    }

    /// Reads a model. The models of the paths in `above` name each other as assets, and the last
    /// one names this model.
    fn read_below(
        store: &FileStore,
        path: &Path,
        above: &mut Vec<PathBuf>,
        count: &mut usize,
        lapses: &mut Lapses,
    ) -> Result<Self, FileError> {
        let root = Element::read(store, path, lapses)?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        check_root(&root, above.is_empty())?;
        above.push(identity(store, path));
        let mut models = Vec::new();
        for asset in root.children("asset").flat_map(|section| section.children("model")) {
            let file = asset.required("file")?;
            let candidates =
                [&folder, asset.folder()].map(|folder| reduced_path_in(store, folder, file));
            let found = candidates.iter().find(|path| store.exists(path)).unwrap_or(&candidates[0]);
            let identity = identity(store, found);
            *count += 1;
            if above.contains(&identity) || *count > MAX_MODELS {
                let reason = match *count > MAX_MODELS {
                    true => format!("is one model too many: at most {MAX_MODELS} are allowed"),
                    false => "is a model that has this one as an asset".to_owned(),
                };
                return Err(asset.refuse(format!("file=\"{file}\" {reason}")));
            }
            let read = Self::read_below(store, found, above, count, lapses);
            let model = read.map_err(|error| match error {
                FileError::Read { .. } => asset.refuse(error.to_string()),
                error => error,
            })?;
            let own_name = || model.root.attribute("model").unwrap_or_default();
            let name = asset.attribute("name").unwrap_or_else(own_name).to_owned();
            models.push((name, model));
        }
        above.pop();
        Ok(Self { root, store: store.clone(), folder, models })
    }
}

fn check_root(root: &Element, is_outermost: bool) -> Result<(), FileError> {
    match root.tag.to_ascii_lowercase().as_str() {
        "mujoco" => Ok(()),
        "robot" => {
            let advice = match is_outermost {
                true => "; rename it to .urdf",
                false => ", which cannot be an asset of a model; convert it to MJCF",
            };
            Err(root.refuse(format!("the root element is <robot>: this is a URDF{advice}")))
        }
        _ => {
            Err(root
                .refuse(format!("the root element is <{}>: MJCF begins with <mujoco>", root.tag)))
        }
    }
}

/// A model, whose elements are not placed yet.
pub(super) struct Model<'a> {
    pub root: &'a Element,
    /// The store that its files are read from.
    pub store: &'a FileStore,
    /// The folder of its main file.
    pub folder: &'a Path,
    pub compiler: Compiler,
    classes: Classes<'a>,
    assets: HashMap<(&'a str, String), &'a Element>,
    models: BTreeMap<&'a str, Model<'a>>,
    /// The prefixes with which it attaches others, each with the other's name. The definitions of
    /// an attached model also belong to this one, under the prefix.
    attached: BTreeSet<[&'a str; 2]>,
    named_elements: NamedElements<'a>,
}

/// Bodies and frames by tag and name, each with the class of the elements around it.
type NamedElements<'a> = HashMap<[&'a str; 2], (&'a Element, &'a str)>;

impl<'a> Model<'a> {
    /// Reads the settings and classes of a model, and finds its assets.
    pub fn new(file: &'a ModelFile) -> Result<Self, FileError> {
        Self::below(file, None)
    }

    /// Does the same for a model that is an asset of one with these settings.
    fn below(file: &'a ModelFile, outer: Option<&Compiler>) -> Result<Self, FileError> {
        let root = &file.root;
        let mut compiler = Compiler::read(root)?;
        outer.into_iter().for_each(|outer| compiler.follow(outer));
        let mut assets = HashMap::new();
        for asset in root.children("asset").flat_map(|section| &section.children) {
            let of_file = || {
                let stem = Path::new(file_name(asset.attribute("file")?)).file_stem()?;
                Some(stem.to_string_lossy().into_owned())
            };
            let name = asset.attribute("name").map(str::to_owned).or_else(of_file);
            if let Some(name) = name {
                assets.insert((asset.tag.as_str(), name), asset);
            }
        }
        let models = file.models.iter();
        let models =
            models.map(|(name, file)| Ok((name.as_str(), Self::below(file, Some(&compiler))?)));
        let models = models.collect::<Result<_, FileError>>()?;
        let (named_elements, attached) = within_bodies(root);
        Ok(Self {
            root,
            store: &file.store,
            folder: &file.folder,
            compiler,
            classes: Classes::read(root)?,
            assets,
            models,
            attached,
            named_elements,
        })
    }

    /// Returns the asset of this tag that an attribute names; `None` if the attribute is not there.
    pub fn asset(
        &self,
        tag: &'static str,
        attributes: &Attributes<'a>,
    ) -> Result<Option<Asset<'_, 'a>>, FileError> {
        let Some(name) = attributes.text(tag) else { return Ok(None) };
        let own = |model: &Self, name: &str| model.assets.get(&(tag, name.to_owned())).copied();
        let Some(ModelItem { model, item, .. }) = self.defined(name, own) else {
            return Err(attributes
                .refuse(tag, format!("is not the name of a <{tag}> of the model's assets")));
        };
        Ok(Some(Asset { model, attributes: model.attributes(item, MAIN)? }))
    }

    /// Returns the attributes of an element. Its class is the one that it names, otherwise `class`.
    pub fn attributes(
        &self,
        element: &'a Element,
        class: &str,
    ) -> Result<Attributes<'a>, FileError> {
        let class = self.class_of(element, "class")?.unwrap_or(class);
        match self.defaults(class).and_then(|defaults| defaults.get(&*element.tag)) {
            Some(defaults) => defaults.overlaid_by(element),
            None => Attributes::of(element),
        }
    }

    /// Returns the class that an attribute of an element names, which must exist.
    pub fn class_of(
        &self,
        element: &'a Element,
        attribute: &str,
    ) -> Result<Option<&'a str>, FileError> {
        let Some(name) = element.attribute(attribute) else { return Ok(None) };
        match self.defaults(name) {
            Some(_) => Ok(Some(name)),
            None => Err(element
                .refuse(format!("{attribute}=\"{name}\" is not a class: define it in <default>"))),
        }
    }

    fn defaults(&self, class: &str) -> Option<&Defaults<'a>> {
        Some(self.defined(class, |model, class| model.classes.defaults(class))?.item)
    }

    /// Returns the path of the file that an asset names.
    pub fn asset_path(&self, element: &Element, file: &str) -> PathBuf {
        self.compiler.asset_path(self.store, self.folder, element, file)
    }

    /// Returns the pairs of bodies whose contacts this model and those that it attaches exclude.
    pub fn excluded_bodies(&self) -> Vec<[String; 2]> {
        let mut pairs = Vec::new();
        let mut waiting = vec![(self, String::new())];
        while let Some((model, prefix)) = waiting.pop() {
            let sections = model.root.children("contact").flat_map(|section| &section.children);
            for exclude in sections.filter(|element| element.tag == "exclude") {
                let body = |name| exclude.attribute(name).map(|name| format!("{prefix}{name}"));
                if let (Some(a), Some(b)) = (body("body1"), body("body2")) {
                    pairs.push([a, b]);
                }
            }
            waiting.extend(model.attached.iter().filter_map(|[inner, name]| {
                Some((model.models.get(name)?, format!("{prefix}{inner}")))
            }));
        }
        pairs
    }

    pub fn model(&self, name: &str) -> Option<&Self> {
        self.models.get(name)
    }

    /// Returns the roots of this model and of its assets.
    pub fn roots(&self) -> Vec<&'a Element> {
        let mut roots = vec![self.root];
        roots.extend(self.models.values().flat_map(Self::roots));
        roots
    }

    /// Returns the body or the frame of that name, and the class that its elements have.
    pub fn find<'n>(
        &self,
        tag: &str,
        name: &'n str,
    ) -> Option<ModelItem<'_, 'a, 'n, (&'a Element, &'a str)>> {
        self.defined(name, |model, name| model.named_elements.get(&[tag, name]).copied())
    }

    /// Finds a definition of this model by name, or otherwise of a model that it attaches, by the
    /// rest of the name after the prefix.
    fn defined<'m, 'n, T>(
        &'m self,
        name: &'n str,
        own: impl Fn(&'m Self, &'n str) -> Option<T>,
    ) -> Option<ModelItem<'m, 'a, 'n, T>> {
        let mut waiting = vec![(self, name)];
        let mut seen = HashSet::new();
        while let Some((model, rest)) = waiting.pop() {
            if let Some(item) = own(model, rest) {
                let prefix = &name[..name.len() - rest.len()];
                return Some(ModelItem { model, prefix, item });
            }
            // Several paths may lead to one model through prefixes that are equal when joined.
            if seen.insert((std::ptr::from_ref(model), rest.len())) {
                let attached = model.attached.iter();
                waiting.extend(attached.filter_map(|[prefix, attached]| {
                    Some((model.models.get(attached)?, rest.strip_prefix(prefix)?))
                }));
            }
        }
        None
    }
}

/// The element with a name.
pub(super) struct ModelItem<'m, 'a, 'n, T> {
    /// The model that defines it.
    pub model: &'m Model<'a>,
    /// The prefix by which that model is attached.
    pub prefix: &'n str,
    pub item: T,
}

/// An asset with the model that it is written in.
pub(super) struct Asset<'m, 'a> {
    pub model: &'m Model<'a>,
    pub attributes: Attributes<'a>,
}

/// Finds the named bodies and frames of a model, and the models that it attaches, by their prefixes.
fn within_bodies(root: &Element) -> (NamedElements<'_>, BTreeSet<[&str; 2]>) {
    let mut elements = HashMap::new();
    let mut attached = BTreeSet::new();
    let mut pending: Vec<(&Element, &str)> =
        root.children("worldbody").map(|section| (section, MAIN)).collect();
    while let Some((element, class)) = pending.pop() {
        if let Some(name) = element.attribute("name") {
            elements.entry([element.tag.as_str(), name]).or_insert((element, class));
        }
        attached.extend(
            element.children("attach").filter_map(|attach| {
                Some([attach.attribute("prefix")?, attach.attribute("model")?])
            }),
        );
        let class = element.attribute("childclass").unwrap_or(class);
        let nests = |child: &&Element| ["body", "frame", "replicate"].contains(&child.tag.as_str());
        pending.extend(element.children.iter().filter(nests).map(|child| (child, class)));
    }
    (elements, attached)
}

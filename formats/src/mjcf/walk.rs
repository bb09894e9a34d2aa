//! Walks the bodies of a model, with its frames, replicas and attached models, into flat lists.

use super::attributes::Attributes;
use super::camera_item::CameraItem;
use super::classes::MAIN;
use super::document::Element;
use super::geoms::{GeomFrame, GeomItem, GeomReader, frame};
use super::joints::Joint;
use super::model::Model;
use super::references::GeomReferences;
use super::scope::{Scope, child_class, inner};
use super::tree::{Body, BodyTree, Site};
use crate::Warning;
use crate::mesh_warnings::MeshWarnings;
use glam::DVec3;
use raytwin::math::Similarity;
use raytwin::scene::Name;
use raytwin_files::FileError;
use raytwin_files::memory::SHAPE_BYTES;

/// The largest number of elements of all bodies, replicas and attached models. A small file may
/// have many more.
const MAX_ELEMENTS: usize = 1 << 18;

/// The number of bodies and geoms for which memory is requested at a time, before they are made.
const ELEMENTS_AT_A_TIME: usize = 1 << 10;

/// The deepest nesting of bodies, frames and attached models.
const MAX_DEPTH: usize = 500;

/// The name of the world, which is a body.
const WORLD: &str = "world";

impl<'a> BodyTree<'a> {
    /// Reads the bodies of a model and all that is in them.
    pub fn read(model: &Model<'a>) -> Result<Self, FileError> {
        Self::read_with(model, Some(GeomReader::new(model.compiler.discards_visuals)))
    }

    /// Reads the same except the geoms, whose shapes may be in files.
    pub fn without_geoms(model: &Model<'a>) -> Result<Self, FileError> {
        Self::read_with(model, None)
    }

    fn read_with(model: &Model<'a>, geoms: Option<GeomReader>) -> Result<Self, FileError> {
        let world = Body {
            name: WORLD.to_owned(),
            path: None,
            parent: 0,
            parent_from_body: Similarity::IDENTITY,
            joints: Vec::new(),
            is_mocap: false,
            child_count: 0,
        };
        let mut tree = Self {
            bodies: vec![world],
            geoms: Vec::new(),
            cameras: Vec::new(),
            sites: Vec::new(),
            unfollowed: Warning::about_read(
                "settings change the meaning of ids or joints in MuJoCo, but raytwin ignores them",
            ),
            unread: Warning::unread("geometries"),
            unknown: Warning::new(
                "elements are not read, and some of them add bodies, joints or geoms in MuJoCo",
            ),
            unread_cameras: Warning::new("cameras could not be read"),
            meshes: MeshWarnings::default(),
        };
        if model.compiler.fuses_static {
            tree.unfollowed.add(|| "fusestatic".to_owned());
        }
        let kept_visuals =
            model.compiler.discards_visuals.then(|| GeomReferences::of_models(model.roots()));
        let mut walk = Walk { tree, kept_visuals, geoms, count: 0, made: 0 };
        walk.world(&Scope {
            outer: None,
            model,
            body: 0,
            body_from_frame: Similarity::IDENTITY,
            class: MAIN,
            prefix: String::new(),
            suffix: String::new(),
            depth: 0,
        })?;
        let Walk { mut tree, geoms, .. } = walk;
        tree.meshes = geoms.map(|geoms| geoms.meshes.warnings).unwrap_or_default();
        for element in model.root.children("deformable").flat_map(|section| &section.children) {
            let name = element.attribute("name").unwrap_or("without a name");
            tree.unknown.add(|| format!("{name} (a {})", element.tag));
        }
        tree.geoms.sort_by_key(|geom| geom.frame.body);
        Ok(tree)
    }
}

/// The walk, with what it has found.
struct Walk<'a> {
    tree: BodyTree<'a>,
    /// The geoms that a model keeps although it discards visual geoms.
    kept_visuals: Option<GeomReferences<'a>>,
    /// The reader of geoms, if they are read.
    geoms: Option<GeomReader>,
    count: usize,
    /// How many bodies, geoms and other elements that are kept were made.
    made: usize,
}

impl<'a> Walk<'a> {
    /// Walks all that is in the world of a scope's model.
    fn world(&mut self, scope: &Scope<'_, 'a>) -> Result<(), FileError> {
        let mut sections = scope.model.root.children("worldbody");
        sections.try_for_each(|section| self.section(section, scope))
    }

    fn section(&mut self, section: &'a Element, scope: &Scope<'_, 'a>) -> Result<(), FileError> {
        section.children.iter().try_for_each(|element| self.element(element, scope))
    }

    /// Counts an element, so that a small file does not fill the memory. An element with a long
    /// name counts as several.
    fn count(&mut self, element: &Element, scope: &Scope<'_, 'a>) -> Result<(), FileError> {
        const USUAL_NAME: usize = 256;
        let name = element.attribute("name").map_or(0, str::len);
        self.count += 1 + (scope.prefix.len() + name + scope.suffix.len()) / USUAL_NAME;
        match self.count > MAX_ELEMENTS {
            true => Err(element.refuse(format!(
                "the bodies of the model have more than {MAX_ELEMENTS} elements, including replicas: reduce the counts of <replicate> and <attach>"
            ))),
            false => Ok(()),
        }
    }

    /// Requests the memory of the next elements. They are made again whenever joints move, which
    /// needs no further memory.
    fn take_memory(&mut self, element: &Element, scope: &Scope<'_, 'a>) -> Result<(), FileError> {
        if self.geoms.is_some() && self.made.is_multiple_of(ELEMENTS_AT_A_TIME) {
            let end = self.made + ELEMENTS_AT_A_TIME;
            let needs = || format!("its first {end} bodies and geoms, including replicas, need");
            let bytes = ELEMENTS_AT_A_TIME as u64 * SHAPE_BYTES;
            scope.model.store.take_memory(&element.place().0.path, bytes, needs)?;
        }
        self.made += 1;
        Ok(())
    }

    fn element(&mut self, element: &'a Element, scope: &Scope<'_, 'a>) -> Result<(), FileError> {
        self.count(element, scope)?;
        if !matches!(element.tag.as_str(), "frame" | "replicate" | "attach") {
            self.take_memory(element, scope)?;
        }
        if scope.depth > MAX_DEPTH {
            let reason =
                format!("bodies, frames and attached models are nested more than {MAX_DEPTH} deep");
            return Err(element.refuse(reason));
        }
        match element.tag.as_str() {
            "body" => self.body(element, scope),
            "frame" => self.frame(element, scope),
            "replicate" => self.replicate(element, scope),
            "attach" => self.attach(element, scope),
            "joint" | "freejoint" => self.joint(element, scope),
            "geom" => self.geom(element, scope),
            "camera" => self.camera(element, scope),
            "site" => self.site(element, scope),
            "inertial" | "light" | "plugin" => Ok(()),
            other => {
                let name = scope.name_of(element);
                let name = name.unwrap_or_else(|| "without a name".to_owned());
                self.tree.unknown.add(|| format!("{name} (a {other})"));
                Ok(())
            }
        }
    }

    fn frame(&mut self, element: &'a Element, scope: &Scope<'_, 'a>) -> Result<(), FileError> {
        let frame = scope.model.compiler.frame(&Attributes::of(element)?)?;
        let body_from_frame = scope.body_from_frame.then_inner(&frame);
        let class = child_class(element, scope)?;
        self.section(element, &inner(scope, scope.body, body_from_frame, class))
    }

    fn joint(&mut self, element: &'a Element, scope: &Scope<'_, 'a>) -> Result<(), FileError> {
        let attributes = scope.attributes(element)?;
        let name = scope.name_of(element);
        let joint = Joint::read(&scope.model.compiler, &attributes, name, &scope.body_from_frame)?;
        if scope.body == 0 {
            return Err(
                element.refuse("the world cannot have joints: put a <body> around this element")
            );
        }
        let body = &mut self.tree.bodies[scope.body];
        let is_free = joint.is_free() || body.joints.iter().any(Joint::is_free);
        if is_free && (!body.joints.is_empty() || body.parent != 0) {
            let reason =
                "a free joint must be the only one of its body, and its body a child of the world";
            return Err(element.refuse(reason));
        }
        let aligns = match element.attribute("align") {
            Some("true") => true,
            Some("false") => false,
            _ => scope.model.compiler.aligns_free_bodies,
        };
        if joint.is_free() && aligns {
            let name = joint.name.clone().unwrap_or_else(|| "without a name".to_owned());
            self.tree.unfollowed.add(|| format!("align of joint {name}"));
        }
        body.joints.push(joint);
        Ok(())
    }

    fn geom(&mut self, element: &'a Element, scope: &Scope<'_, 'a>) -> Result<(), FileError> {
        let Some(geoms) = &mut self.geoms else { return Ok(()) };
        let name = scope.name_of(element);
        let attributes = scope.attributes(element)?;
        if let Some(kept) = &self.kept_visuals {
            let named = name.iter().flat_map(|name| scope.names_within(name));
            let is_kept = named.into_iter().any(|(root, name)| kept.contain(root, name));
            if is_visual(&attributes)? && !is_kept {
                return Ok(());
            }
        }
        let geom = geoms.read(scope.model, &attributes)?.unwrap_or_else(|reason| {
            let name = name.as_deref().unwrap_or("a geom without a name");
            self.tree.unread.add(|| format!("{name} ({reason})"));
            GeomItem::empty()
        });
        self.tree.geoms.push(GeomItem {
            name,
            frame: GeomFrame {
                body: scope.body,
                body_from_geom: scope.body_from_frame.then_inner(&geom.frame.body_from_geom),
            },
            ..geom
        });
        Ok(())
    }

    fn camera(&mut self, element: &'a Element, scope: &Scope<'_, 'a>) -> Result<(), FileError> {
        let attributes = scope.attributes(element)?;
        match CameraItem::read(&attributes, scope)? {
            Ok(camera) => self.tree.cameras.push(camera),
            Err(reason) => {
                let name = scope.name_of(element);
                let name = name.unwrap_or_else(|| "a camera without a name".to_owned());
                self.tree.unread_cameras.add(|| format!("{name} ({reason})"));
            }
        }
        Ok(())
    }

    /// Reads the place of a site, which has no geometry. Rangefinders refer to its name.
    fn site(&mut self, element: &'a Element, scope: &Scope<'_, 'a>) -> Result<(), FileError> {
        if element.attribute("name").is_some() {
            let frame = frame(&scope.model.compiler, &scope.attributes(element)?)?;
            self.tree.sites.push(Site {
                element,
                root: scope.model.root,
                prefix: scope.prefix.clone(),
                suffix: scope.suffix.clone(),
                body: scope.body,
                body_from_site: scope.body_from_frame.then_inner(&frame),
            });
        }
        Ok(())
    }

    fn body(&mut self, element: &'a Element, scope: &Scope<'_, 'a>) -> Result<(), FileError> {
        let attributes = Attributes::of(element)?;
        let frame = scope.model.compiler.frame(&attributes)?;
        let is_mocap = attributes.flag("mocap")?.unwrap_or(false);
        if is_mocap && scope.body != 0 {
            return Err(element.refuse("a mocap body must be a child of the world"));
        }
        let body = self.new_body(scope.name_of(element), &frame, is_mocap, scope);
        let class = child_class(element, scope)?;
        self.section(element, &inner(scope, body, Similarity::IDENTITY, class))
    }

    fn new_body(
        &mut self,
        name: Option<String>,
        frame: &Similarity,
        is_mocap: bool,
        scope: &Scope<'_, 'a>,
    ) -> usize {
        let parent = &mut self.tree.bodies[scope.body];
        let shown = name.clone().unwrap_or_else(|| format!("body[{}]", parent.child_count));
        parent.child_count += 1;
        let path = match &parent.path {
            Some(path) => path.child(shown),
            None => Name::from(shown),
        };
        self.tree.bodies.push(Body {
            name: name.unwrap_or_default(),
            path: Some(path),
            parent: scope.body,
            parent_from_body: scope.body_from_frame.then_inner(frame),
            joints: Vec::new(),
            is_mocap,
            child_count: 0,
        });
        self.tree.bodies.len() - 1
    }

    /// Walks the elements in a `<replicate>` once for each count. Each replica is moved relative to
    /// the previous one, and its names end in its number.
    fn replicate(&mut self, element: &'a Element, scope: &Scope<'_, 'a>) -> Result<(), FileError> {
        let attributes = Attributes::of(element)?;
        let count = attributes.integer("count")?.filter(|count| *count >= 0);
        let count = count.ok_or_else(|| attributes.refuse("count", "must be a number from 0"))?;
        let offset = DVec3::from(attributes.numbers_or("offset", [0.0; 3])?);
        let euler = attributes.numbers_or("euler", [0.0; 3])?;
        let separator = element.attribute("sep").unwrap_or_default();
        let class = child_class(element, scope)?;
        let digits = count.to_string().len();
        let mut place = Similarity::IDENTITY;
        for index in 0..count {
            self.count(element, scope)?;
            place.rotation = scope.model.compiler.euler(euler.map(|angle| index as f64 * angle));
            let body_from_frame = scope.body_from_frame.then_inner(&place);
            let mut scope = inner(scope, scope.body, body_from_frame, class);
            scope.suffix = format!("{separator}{index:0digits$}{}", scope.suffix);
            self.section(element, &scope)?;
            place.translation = place.point(offset);
        }
        Ok(())
    }

    /// Walks a body or a frame of this model or of another, or the whole world of another model,
    /// which is a body here if it is named.
    fn attach(&mut self, element: &'a Element, scope: &Scope<'_, 'a>) -> Result<(), FileError> {
        let model = match element.attribute("model") {
            Some(name) => scope.model.model(name).ok_or_else(|| {
                element
                    .refuse(format!("model=\"{name}\" is not the name of a <model> of the assets"))
            })?,
            None => scope.model,
        };
        let prefix = format!("{}{}", scope.prefix, element.required("prefix")?);
        let mut scope = inner(scope, scope.body, scope.body_from_frame, MAIN);
        let is_other = !std::ptr::eq(scope.model, model);
        scope.model = model;
        scope.prefix = prefix;
        let named =
            ["body", "frame"].into_iter().find_map(|tag| Some((tag, element.attribute(tag)?)));
        match named {
            Some(("body", WORLD)) if is_other => {
                self.take_memory(element, &scope)?;
                let name = Some(scope.full_name(WORLD));
                let body = self.new_body(name, &Similarity::IDENTITY, false, &scope);
                self.world(&inner(&scope, body, Similarity::IDENTITY, MAIN))
            }
            Some((tag, name)) => {
                let found = model.find(tag, name).ok_or_else(|| {
                    element.refuse(format!("{tag}=\"{name}\" is not in the model"))
                })?;
                let (element, class) = found.item;
                scope.model = found.model;
                scope.prefix += found.prefix;
                scope.class = class;
                self.element(element, &scope)
            }
            None if is_other => self.world(&scope),
            None => Err(element.refuse("<attach> names no body, frame or model")),
        }
    }
}

/// Returns true if a geom collides with nothing.
fn is_visual(geom: &Attributes<'_>) -> Result<bool, FileError> {
    let mut is_visual = true;
    for name in ["contype", "conaffinity"] {
        is_visual &= geom.integer(name)? == Some(0);
    }
    Ok(is_visual)
}

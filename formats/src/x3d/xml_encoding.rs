//! Parses worlds in the XML encoding of X3D (ISO/IEC 19776-1): elements are nodes, attributes are
//! fields, and the nodes in an element belong to the field in their attribute `containerField`, or
//! to the default field of their type.

use super::builder::TreeBuilder;
use super::tree::{FieldValue, IMPORTED, NodeIndex, NodeTree, WorldText, is_stand_in};
use super::values;
use crate::shortened::shortened;
use crate::xml::{self, Lapses, Node};
use raytwin_files::FileError;

pub(super) fn parse<'a>(
    source: WorldText<'a>,
    lapses: &mut Lapses,
) -> Result<NodeTree<'a>, FileError> {
    let document = xml::parse(source.path, source.text, lapses)?;
    let root = document.root_element();
    let name = root.tag_name().name();
    if name != "X3D" {
        let reason = format!("the root element is <{}>: X3D begins with <X3D>", shortened(name));
        return Err(source.refuse(root.range().start, reason));
    }
    let mut parser = Parser { builder: TreeBuilder::new(source) };
    for part in elements(root) {
        match part.tag_name().name() {
            "head" => parser.units(part)?,
            "Scene" | "scene" => parser.roots(part)?,
            _ => {}
        }
    }
    Ok(parser.builder.finish())
}

struct Parser<'a> {
    builder: TreeBuilder<'a>,
}

fn elements<'d>(parent: Node<'d, 'd>) -> impl Iterator<Item = Node<'d, 'd>> {
    parent.children().filter(Node::is_element)
}

impl Parser<'_> {
    fn units(&mut self, head: Node<'_, '_>) -> Result<(), FileError> {
        for unit in head.children().filter(|child| child.has_tag_name("unit")) {
            let category = unit.attribute("category").unwrap_or_default();
            let factor =
                unit.attribute("conversionFactor").and_then(|it| values::number(it.trim()));
            self.builder.set_unit(category, factor.unwrap_or(f64::NAN), unit.range().start)?;
        }
        Ok(())
    }

    /// Reads the nodes of the scene, or of a prototype's body.
    fn roots(&mut self, parent: Node<'_, '_>) -> Result<(), FileError> {
        for element in elements(parent) {
            if !self.is_apart(element)? {
                let node = self.node(element)?;
                self.builder.add_root(node);
            }
        }
        Ok(())
    }

    /// Reads an element that is not a node: a statement, a prototype or a script's field. Returns
    /// false for a node.
    fn is_apart(&mut self, element: Node<'_, '_>) -> Result<bool, FileError> {
        match element.tag_name().name() {
            IMPORTED => self.import(element).map(|()| true),
            "ROUTE" | "EXPORT" | "component" | "meta" | "unit" => Ok(true),
            "ProtoDeclare" => self.prototype(element).map(|()| true),
            "ExternProtoDeclare" => {
                let name = self.required(element, "name")?;
                self.builder.declare(name);
                Ok(true)
            }
            "fieldValue" | "field" | "IS" | "connect" => Ok(true),
            _ => Ok(false),
        }
    }

    fn import(&mut self, element: Node<'_, '_>) -> Result<(), FileError> {
        let name = element.attribute("AS").or_else(|| element.attribute("importedDEF"));
        let Some(name) = name else { return Ok(()) };
        let inline = element.attribute("inlineDEF").unwrap_or_default();
        self.builder.import(inline, name, element.range().start)
    }

    fn required<'d>(&self, element: Node<'d, '_>, attribute: &str) -> Result<&'d str, FileError> {
        element.attribute(attribute).ok_or_else(|| {
            let tag = element.tag_name().name();
            let reason = format!("<{}> has no {attribute}=\"...\"", shortened(tag));
            self.builder.refuse(element.range().start, reason)
        })
    }

    fn prototype(&mut self, declaration: Node<'_, '_>) -> Result<(), FileError> {
        let name = self.required(declaration, "name")?;
        let prototype = self.builder.begin_prototype(name, declaration.range().start)?;
        for part in elements(declaration) {
            match part.tag_name().name() {
                "ProtoInterface" => {
                    for field in elements(part).filter(|child| child.has_tag_name("field")) {
                        let name = self.required(field, "name")?;
                        if let Some(default) = self.value_of(field)? {
                            self.builder.set_default(prototype, name, default);
                        }
                    }
                }
                "ProtoBody" => self.roots(part)?,
                _ => {}
            }
        }
        self.builder.end_prototype();
        Ok(())
    }

    /// The value of a `<field>` or a `<fieldValue>`: its text, or the nodes in it.
    fn value_of(&mut self, field: Node<'_, '_>) -> Result<Option<FieldValue>, FileError> {
        if let Some(text) = field.attribute("value") {
            return Ok(Some(FieldValue::Text(text.into())));
        }
        let mut nodes = Vec::new();
        for element in elements(field) {
            if !self.is_apart(element)? {
                nodes.push(self.node(element)?);
            }
        }
        Ok((!nodes.is_empty()).then(|| FieldValue::Nodes(nodes.into())))
    }

    /// Reads a node, or a use of one.
    fn node(&mut self, element: Node<'_, '_>) -> Result<NodeIndex, FileError> {
        let offset = element.range().start;
        if let Some(name) = element.attribute("USE") {
            return self.builder.used(name, offset);
        }
        let type_name = self.type_of(element)?;
        let node = self.builder.begin_node(type_name, element.attribute("DEF"), offset)?;
        let is_instance = element.has_tag_name("ProtoInstance");
        for attribute in element.attributes() {
            let is_field = match attribute.name() {
                "DEF" | "containerField" => false,
                "name" => !is_instance,
                _ => true,
            };
            if is_field {
                self.builder.set(
                    node,
                    attribute.name(),
                    FieldValue::Text(attribute.value().into()),
                );
            }
        }
        let mut children: Vec<(String, Vec<NodeIndex>)> = Vec::new();
        for child in elements(element) {
            match child.tag_name().name() {
                "fieldValue" => {
                    let name = self.required(child, "name")?;
                    if let Some(value) = self.value_of(child)? {
                        self.builder.set(node, name, value);
                    }
                }
                "IS" => {
                    for connection in elements(child).filter(|it| it.has_tag_name("connect")) {
                        let field = self.required(connection, "nodeField")?;
                        let value = self.required(connection, "protoField")?;
                        let value = self.builder.interface(value);
                        self.builder.set(node, field, value);
                    }
                }
                _ if self.is_apart(child)? => {}
                _ => {
                    let read = self.node(child)?;
                    let field = self.container_field(child, type_name)?;
                    match children.last_mut() {
                        Some((last, nodes)) if *last == field => nodes.push(read),
                        _ => children.push((field, vec![read])),
                    }
                }
            }
        }
        for (field, nodes) in children {
            self.builder.set(node, &field, FieldValue::Nodes(nodes.into()));
        }
        self.builder.end_node(node)?;
        Ok(node)
    }

    fn type_of<'d>(&self, element: Node<'d, '_>) -> Result<&'d str, FileError> {
        match element.tag_name().name() {
            "ProtoInstance" => self.required(element, "name"),
            name => Ok(name),
        }
    }

    fn container_field(&mut self, child: Node<'_, '_>, parent: &str) -> Result<String, FileError> {
        if let Some(field) = child.attribute("containerField") {
            return Ok(field.to_owned());
        }
        let used = match child.attribute("USE") {
            Some(name) => Some(self.builder.used(name, child.range().start)?),
            None => None,
        };
        let type_name = match used {
            Some(node) if !is_stand_in(self.builder.type_of(node)) => self.builder.type_of(node),
            _ => self.type_of(child)?,
        };
        let type_name = self.builder.type_of_instance(type_name).unwrap_or(type_name);
        Ok(usual_field(type_name, parent).to_owned())
    }
}

/// The default field of nodes of a type, which the standard gives as the default of
/// `containerField`. A shape is a child, except the shape of a CADFace.
fn usual_field(type_name: &str, parent: &str) -> &'static str {
    match type_name {
        "Shape" | "LOD" | "Transform" if parent == "CADFace" => "shape",
        "Appearance" => "appearance",
        "Material" | "PhysicalMaterial" | "UnlitMaterial" | "TwoSidedMaterial" => "material",
        "Coordinate" | "CoordinateDouble" | "GeoCoordinate" => "coord",
        "Color" | "ColorRGBA" => "color",
        "Normal" => "normal",
        "FontStyle" | "ScreenFontStyle" => "fontStyle",
        "TextureCoordinate" | "TextureCoordinateGenerator" | "MultiTextureCoordinate" => "texCoord",
        "Layer" | "LayoutLayer" => "layers",
        "ImageTexture" | "PixelTexture" | "MovieTexture" | "MultiTexture" => "texture",
        "Arc2D"
        | "ArcClose2D"
        | "Box"
        | "Circle2D"
        | "Cone"
        | "Cylinder"
        | "Disk2D"
        | "ElevationGrid"
        | "Extrusion"
        | "GeoElevationGrid"
        | "IndexedFaceSet"
        | "IndexedLineSet"
        | "IndexedQuadSet"
        | "IndexedTriangleFanSet"
        | "IndexedTriangleSet"
        | "IndexedTriangleStripSet"
        | "LineSet"
        | "NurbsPatchSurface"
        | "NurbsSweptSurface"
        | "NurbsSwungSurface"
        | "NurbsTrimmedSurface"
        | "NurbsCurve"
        | "PointSet"
        | "Polyline2D"
        | "Polypoint2D"
        | "QuadSet"
        | "Rectangle2D"
        | "Sphere"
        | "Text"
        | "TriangleFanSet"
        | "TriangleSet"
        | "TriangleSet2D"
        | "TriangleStripSet" => "geometry",
        _ => "children",
    }
}

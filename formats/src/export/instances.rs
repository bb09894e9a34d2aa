//! Writes a scene's instances and definitions in the native format: each definition once, and a
//! node for each instance.

use super::number_text::number_text;
use super::shapes_json::{appearance_texts, integers_text, matrix_text, write_shapes};
use raytwin::scene::{Instance, Scene};
use serde_json::Value;
use std::io::{self, Write};

/// The number of uses of each definition.
fn times_used(scene: &Scene) -> Vec<usize> {
    let mut times = vec![0; scene.definitions().len()];
    scene.instances().iter().for_each(|instance| times[instance.definition()] += 1);
    times
}

fn name_of(definition: usize) -> String {
    format!("definition_{definition}")
}

/// Writes the key of the definitions that are used several times. A definition that is used once is
/// written in its place.
pub(super) fn write_definitions(scene: &Scene, file: &mut impl Write) -> io::Result<()> {
    let times = times_used(scene);
    let several: Vec<usize> = (0..times.len()).filter(|&index| times[index] > 1).collect();
    if several.is_empty() {
        return Ok(());
    }
    write!(file, "\n  \"definitions\": {{")?;
    for &index in &several {
        let comma = if index == several[0] { "" } else { "," };
        write!(file, "{comma}\n  \"{}\": {{ \"shapes\": [", name_of(index))?;
        let definition = &scene.definitions()[index];
        write_shapes(definition, 0..definition.geometry_count(), file)?;
        write!(file, " ] }}")?;
    }
    write!(file, " }},")
}

/// Writes the items of the list of nodes: an instance or some geometries each, in the order of
/// their ids.
pub(super) fn write_nodes(scene: &Scene, file: &mut impl Write) -> io::Result<()> {
    let times = times_used(scene);
    let own_count = scene.geometries().len() as u32;
    let mut comma = "";
    let mut written = 0;
    let mut write_own = |end: u32, comma: &mut &str, file: &mut dyn Write| -> io::Result<()> {
        if written < end {
            write!(file, "{comma}\n  {{ \"shapes\": [")?;
            write_shapes(scene, written..end, &mut &mut *file)?;
            write!(file, " ] }}")?;
            *comma = ",";
            written = end;
        }
        Ok(())
    };
    for (index, instance) in (0..).zip(scene.instances()) {
        write_own(instance.own_before(), &mut comma, file)?;
        write!(file, "{comma}\n  {{ ")?;
        let integers = scene.instance_integers(index);
        write_instance(instance, &integers, file)?;
        let definition = instance.definition();
        if times[definition] > 1 {
            write!(file, "\"use\": \"{}\" }}", name_of(definition))?;
        } else {
            let definition = &scene.definitions()[definition];
            write!(file, "\"shapes\": [")?;
            write_shapes(definition, 0..definition.geometry_count(), file)?;
            write!(file, " ] }}")?;
        }
        comma = ",";
    }
    write_own(own_count, &mut comma, file)
}

/// Writes the name, appearance, integers and matrix of an instance, each with a comma after it. Its
/// numbers are rounded to float32, and reading them gives exactly the same numbers.
fn write_instance(
    instance: &Instance,
    integers: &[(String, i32)],
    file: &mut impl Write,
) -> io::Result<()> {
    if let Some(name) = instance.name() {
        write!(file, "\"name\": {}, ", Value::from(name.to_string()))?;
    }
    for (key, value) in appearance_texts(instance.appearance()) {
        write!(file, "\"{key}\": {value}, ")?;
    }
    let integers = integers.iter().map(|(name, number)| (&name[..], *number));
    if let Some(integers) = integers_text(integers) {
        write!(file, "\"integers\": {integers}, ")?;
    }
    let matrix = matrix_text(instance.placement().world_from_object(), number_text);
    write!(file, "\"matrix\": {matrix}, ")
}

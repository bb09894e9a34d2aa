//! Replicas are counted, and held against the memory, before they are made.

use super::*;

#[test]
fn replicas_are_held_against_the_memory_before_they_are_made() {
    let replicate = |count: u32, inner: &str| {
        format!(r#"<replicate count="{count}" offset="1 0 0">{inner}</replicate>"#)
    };
    let read = |bodies: &str, most: u64| {
        let text = format!("<mujoco><worldbody>{bodies}</worldbody></mujoco>");
        let store = FileStore::in_memory([("r.xml", text.as_bytes())]).with_max_memory(most);
        crate::read(&store, Path::new("r.xml"), &Options::default())
    };
    let geom = r#"<geom size="0.1"/>"#;
    let body = format!("<body>{geom}</body>");
    for bodies in [
        replicate(100_000, geom),
        replicate(50_000, &body),
        replicate(300, &replicate(300, geom)),
        replicate(250, &format!("<frame>{}</frame>", replicate(250, &body))),
    ] {
        let error = read(&bodies, 10_000_000).map(drop).unwrap_err();
        assert!(matches!(error, FileError::Memory { .. }), "{error}");
        assert!(error.to_string().contains("including replicas, need"), "{error}");
        read(&bodies, 200_000_000).unwrap();
    }
}

use super::*;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Reads the bytes of a file, and returns its tree in one line with its warnings, or the error.
fn read(bytes: &[u8]) -> Result<(String, Vec<String>), String> {
    read_by(bytes, message)
}

/// Reads the bytes of a file, and returns what describes its root with its warnings, or the error.
fn read_by(
    bytes: &[u8],
    message: fn(Node<'_, '_>) -> String,
) -> Result<(String, Vec<String>), String> {
    let path = Path::new("a.xml");
    let store = FileStore::in_memory([(path, bytes)]);
    let mut lapses = Lapses::default();
    let read = read_text(&store, path, &mut lapses).and_then(|text| {
        let document = parse(path, &text, &mut lapses)?;
        Ok(message(document.root_element()))
    });
    let warnings = lapses.warnings().filter(|warning| warning.count > 0);
    let warnings = warnings.map(|warning| warning.to_string()).collect();
    read.map(|tree| (tree, warnings)).map_err(|error| error.to_string())
}

/// An element as its name, attributes and, in brackets, what it holds.
fn message(element: Node<'_, '_>) -> String {
    let mut line = element.tag_name().written().to_owned();
    for attribute in element.attributes() {
        write!(line, " {}={}", attribute.name(), attribute.value()).unwrap();
    }
    let held = element.children().map(|node| match node.is_text() {
        true => node.text().unwrap().to_owned(),
        false => message(node),
    });
    let held: Vec<String> = held.collect();
    if !held.is_empty() {
        write!(line, "[{}]", held.join("|")).unwrap();
    }
    line
}

#[test]
fn well_formed_text_is_read_without_a_warning() {
    for (text, tree) in [
        ("<?xml version='1.0'?>\n<!-- a - b -->\n<r a=\"1\" b='\"'/>\n<!-- c -->\n", "r a=1 b=\""),
        ("\u{feff}<?xml version='1.0'?><r/>", "r"),
        ("<r a=\"&lt;&amp;&gt;&quot;&apos;&#65;&#x42;\">&lt;b&gt;</r>", "r a=<&>\"'AB[<b>]"),
        ("<r a = '1\n2\t3\r\n4'>\r\n<s >1\r\n2\r3</s\n></r>", "r a=1 2 3 4[s[1\n2\n3]]"),
        (
            "<r><s>1 <!-- 2 --> 3<![CDATA[<4> &lt;]]></s> <?p a?> <t/>5</r>",
            "r[s[1  3<4> &lt;]|t|5]",
        ),
        ("<!DOCTYPE r SYSTEM \"r>.dtd\"><r/>", "r"),
        ("<!DOCTYPE r [\n<!ELEMENT r ANY><!ENTITY a \">]\"><!-- > it's --><?p > ?>\n]>\n<r/>", "r"),
        ("<g:r xmlns:g=\"u\" xacro:a=\"1\"><x:y/></g:r>", "g:r xmlns:g=u xacro:a=1[x:y]"),
        ("<r a='>'>></r>", "r a=>[>]"),
    ] {
        assert_eq!(read(text.as_bytes()), Ok((tree.to_owned(), Vec::new())), "{text}");
    }
}

#[test]
fn what_programs_for_robots_read_though_xml_forbids_it_is_read_and_counted() {
    for (text, tree, warning) in [
        ("<r><!-- a -- b -->\n<s/><!-- c ---><!----></r>", "r[s]", "2 comments contain \"--\""),
        ("<r>\n<s a='1'b=\"2\"c='3'/></r>", "r[s a=1 b=2 c=3]", "2 attributes have no blank"),
        ("<r a=1 b=x>\n</r>", "r a=1 b=x", "2 values of attributes have no quotation marks"),
        ("<r a='b<c>'/>", "r a=b<c>", "1 values of attributes contain \"<\""),
        (
            "<r a='b & c&d;'>e && &#0;</r>",
            "r a=b & c&d;[e && &#0;]",
            "5 characters \"&\" do not begin a predefined XML entity",
        ),
        ("\n\n<?xml version='1.0'?><r/>", "r", "1 XML declarations are not at the beginning"),
        ("<!-- a --><?xml version='1.0'?><r><?xml version='1.0'?></r>", "r", "2 XML declarations"),
        ("<r>< s a='1'>< /s></r b='2'>", "r[s a=1]", "3 tags have a blank after \"<\""),
        ("<r/>\n<s/>", "r", "1 texts or elements outside the root"),
        ("<r/></s><<", "r", "1 texts or elements outside the root"),
        ("a<r/>\nb<!-- c -->", "r", "2 texts or elements outside the root"),
        ("<r/>\0<<<", "r", "1 texts or elements outside the root"),
        (
            "<!DOCTYPE r [<!ENTITY a 'b'>]><r>&a;</r>",
            "r[&a;]",
            "1 characters \"&\" do not begin a predefined XML entity",
        ),
        ("<r><!a [></r>", "r", ""),
    ] {
        let (found, warnings) = read(text.as_bytes()).unwrap();
        assert_eq!(found, tree, "{text}");
        assert_eq!(warnings.len(), usize::from(!warning.is_empty()), "{text}: {warnings:?}");
        assert!(warnings.iter().all(|found| found.starts_with(warning)), "{text}: {warnings:?}");
    }
    let (_, warnings) = read(b"<r>\n <!-- -- --></r>").unwrap();
    assert!(warnings[0].ends_with(": a.xml:2:2"), "{warnings:?}");
}

#[test]
fn what_those_programs_refuse_is_refused_with_its_place() {
    for (text, error) in [
        ("<r>\n <s></t></r>", "2:5: is an end tag of <t>, but </s> must be here"),
        ("<r>\n <s></S></r>", "2:5: is an end tag of <S>, but </s> must be here"),
        ("<r>\n <s>", "2:2: begins an element that does not end: the file may be truncated"),
        ("<r>\n <s a='1", "2:5: the value of the attribute a of <s> must end"),
        ("<r>\n <s ", "2:2: begins a tag that has no end"),
        ("<r><!-- ", "1:4: begins a comment that has no -->"),
        ("<r><![CDATA[ ", "1:4: begins a CDATA section that has no ]]>"),
        ("<r><!a ", "1:4: begins a <! that has no >"),
        ("<?xml ", "1:1: begins an instruction that has no ?>"),
        ("<r a='1' a='2'/>", "1:10: <r> has the attribute a twice"),
        ("<r a/>", "1:4: the attribute a of <r> has no value"),
        ("<r a='1';b='2'/>", "1:9: found ';' in the tag <r>"),
        ("<r>1 < 2</r>", "1:6: is a \"<\" without the name of an element"),
        ("<r></r/>", "1:4: is an end tag of <r>, but </r> must be here"),
        (
            "<r>\0</r>",
            "1:1: begins an element that does not end: the file may be truncated; a NUL character ends the text at 1:4",
        ),
        (
            "<r>\n<s a='\0'/></r>",
            "2:4: the value of the attribute a of <s> must end in a quotation mark; a NUL character ends the text at 2:7",
        ),
        ("</r><s/>", "1:1: has no XML element"),
        (" ", "1:1: has no XML element"),
    ] {
        let found = read(text.as_bytes()).unwrap_err();
        assert!(found.starts_with(&format!("a.xml:{error}")), "{text}: {found}");
    }
}

#[test]
fn texts_of_other_encodings_are_decoded() {
    let units = |unit: fn(u16) -> [u8; 2]| {
        "\u{feff}<r a='é😀'/>".encode_utf16().flat_map(unit).collect::<Vec<u8>>()
    };
    for bytes in [units(u16::to_le_bytes), units(u16::to_be_bytes)] {
        assert_eq!(read(&bytes), Ok(("r a=é😀".to_owned(), Vec::new())));
    }
    for name in ["ISO-8859-1", "latin1", "latin-1", "windows-1252"] {
        let head = format!("<?xml version='1.0' encoding=\"{name}\"?>");
        let bytes = [head.as_bytes(), b"<r a='caf\xe9 \x80'/>"].concat();
        assert_eq!(read(&bytes), Ok(("r a=café €".to_owned(), Vec::new())), "{name}");
        let saved_anew = [&head, "<r a='é'/>"].concat();
        assert_eq!(read(saved_anew.as_bytes()).unwrap().0, "r a=é", "{name}");
    }
    let (tree, warnings) = read(b"<!-- \xe9 --><r\xe9 a='\xe9'/>").unwrap();
    assert_eq!(tree, "ré a=é");
    assert!(warnings[0].starts_with("1 files are neither UTF-8"), "{warnings:?}");
}

#[test]
fn no_text_takes_long_or_overflows_the_stack() {
    const MANY: usize = 1_000_000;
    let attributes: String = (0..1001).map(|at| format!(" a{at}=''")).collect();
    let entities: String = (1..40)
        .map(|at| format!("<!ENTITY a{at} '{}'>", format!("&a{};", at - 1).repeat(10)))
        .collect();
    for (text, error) in [
        (format!("<r>{}{}</r>", "<a>".repeat(MANY), "</a>".repeat(MANY)), ""),
        ("<a>".repeat(MANY), "a.xml:1:2999998: begins an element that does not end"),
        (format!("<r a='{}'>{}</r>", "&".repeat(MANY), "&a".repeat(MANY)), ""),
        (format!("<r>{}</r>", "<![>".repeat(MANY)), ""),
        (format!("<r>a{}</r>", "<!-- -- -->b".repeat(MANY)), ""),
        (format!("<r {}", "<".repeat(MANY)), "a.xml:1:4: found '<'"),
        ("<r/>a".repeat(MANY), ""),
        (format!("<!DOCTYPE r [{entities}]><r>&a39;</r>"), ""),
        (format!("<r{attributes}/>"), "a.xml:1:1: has more than 1000 attributes"),
    ] {
        let start = Instant::now();
        let found = read_by(text.as_bytes(), |_| String::new()).err().unwrap_or_default();
        let shown: String = text.chars().take(20).collect();
        assert!(
            found.starts_with(error) && found.is_empty() == error.is_empty(),
            "{shown}: {found}"
        );
        assert!(start.elapsed() < Duration::from_secs(5), "{shown}");
    }
}

#[test]
fn memory_is_asked_for_before_elements_take_it() {
    let text = format!("<r>{}</r>", "<a/>".repeat(1000));
    let store = FileStore::in_memory([("a.xml", text.as_bytes())]).with_max_memory(5000);
    let refused = read_text(&store, Path::new("a.xml"), &mut Lapses::default()).unwrap_err();
    assert!(refused.to_string().contains("a.xml: its elements need"), "{refused}");
}

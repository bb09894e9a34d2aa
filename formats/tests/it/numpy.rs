//! Makes NumPy's files byte by byte.

/// Makes an `.npy` of the given header fields and bytes.
pub fn npy(dtype: &str, order: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let mut header =
        format!("{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(bytes);
    file
}

/// Makes an uncompressed archive of these entries.
pub fn zipped(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    use std::io::Write;
    let options =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        archive.start_file(*name, options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

pub fn float32(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

//! Builds small zip archives.

/// Packs data, as a member of an archive holds it.
pub type Pack = fn(&[u8]) -> Vec<u8>;

/// Returns an archive with these members by name, deflated by `deflate` or else stored.
pub fn archive(members: &[(&str, &[u8])], deflate: Option<Pack>) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, data) in members {
        let packed = deflate.map_or_else(|| data.to_vec(), |deflate| deflate(data));
        let local = out.len() as u32;
        let mut fields = Vec::new();
        let method: u16 = if deflate.is_some() { 8 } else { 0 };
        // Version, flags, method, time, date.
        [20, 0, method, 0, 0].iter().for_each(|field| fields.extend(field.to_le_bytes()));
        let sizes = [crc32(data), packed.len() as u32, data.len() as u32];
        sizes.iter().for_each(|field| fields.extend(field.to_le_bytes()));
        fields.extend((name.len() as u16).to_le_bytes());
        fields.extend(0_u16.to_le_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&fields);
        out.extend(name.as_bytes());
        out.extend(packed);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&fields);
        // Comment, disk, attributes.
        directory.extend([0; 10]);
        directory.extend(local.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (count, offset, size) = (members.len() as u16, out.len() as u32, directory.len() as u32);
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(offset.to_le_bytes());
    out.extend(0_u16.to_le_bytes());
    out
}

/// Returns the checksum of an archive's member.
fn crc32(data: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !data.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

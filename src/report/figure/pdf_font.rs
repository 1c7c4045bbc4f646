//! The part of the bundled font that a PDF embeds.

use super::font::{self, Placed};
use crate::ReportError;
use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Filter, Finish, Name, Pdf, Rect, Ref, Str};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use subsetter::GlyphRemapper;
use ttf_parser::{RawFace, Tag};

/// The name of the whole font.
const POSTSCRIPT: &str = "SlipstickSerif-Regular";
const COMPRESSION: u8 = 9;
/// Thickness of upright stems, in thousandths of an em.
const STEM: f32 = 84.0;

const IDENTITY: SystemInfo<'_> = SystemInfo {
    registry: Str(b"Adobe"),
    ordering: Str(b"Identity"),
    supplement: 0,
};

/// The glyphs that texts need.
#[derive(Default)]
pub(super) struct Cut {
    glyphs: GlyphRemapper,
    /// What somebody types who looks for a glyph, by its number in the cut font.
    typed: BTreeMap<u16, char>,
}

impl Cut {
    /// The number of a letter's glyph in the cut font.
    pub(super) fn take(&mut self, placed: &Placed) -> u16 {
        let number = self.glyphs.remap(placed.glyph);
        self.typed.entry(number).or_insert_with(|| font::typed(placed.letter));
        number
    }

    /// Whether no letter was taken.
    pub(super) fn is_empty(&self) -> bool {
        self.typed.is_empty()
    }
}

/// Write the objects of the font.
///
/// # Errors
/// [`ReportError::Drawing`].
pub(super) fn write(pdf: &mut Pdf, id: Ref, next: &mut Ref, cut: &Cut) -> Result<(), ReportError> {
    let [descendant, descriptor, map, data] = [(); 4].map(|()| next.bump());
    let outlines = outlines(cut)?;
    let name = format!("{}+{POSTSCRIPT}", tag(&outlines));
    let whole = format!("{name}-Identity-H");
    pdf.type0_font(id)
        .base_font(Name(whole.as_bytes()))
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(descendant)
        .to_unicode(map);

    let mut font = pdf.cid_font(descendant);
    font.subtype(CidFontType::Type0);
    font.base_font(Name(name.as_bytes()));
    font.system_info(IDENTITY);
    font.font_descriptor(descriptor);
    let widths = cut
        .glyphs
        .remapped_gids()
        .map(|glyph| thousandths(font::glyph_width(glyph)));
    font.widths().consecutive(0, widths);
    font.finish();

    let mut written = pdf.font_descriptor(descriptor);
    written.name(Name(name.as_bytes()));
    written.flags(FontFlags::SERIF | FontFlags::SYMBOLIC);
    if let Some(face) = font::face() {
        let of_em = |units: i16| thousandths(f64::from(units) / f64::from(face.units_per_em()));
        let bounds = face.global_bounding_box();
        written.bbox(Rect::new(
            of_em(bounds.x_min),
            of_em(bounds.y_min),
            of_em(bounds.x_max),
            of_em(bounds.y_max),
        ));
        written.ascent(of_em(face.ascender())).descent(of_em(face.descender()));
        written.cap_height(of_em(face.capital_height().unwrap_or(face.ascender())));
    }
    written.italic_angle(0.0).stem_v(STEM).font_file3(data);
    written.finish();

    let mut unicode = UnicodeCmap::new(Name(b"Slipstick"), IDENTITY);
    for (&number, &letter) in &cut.typed {
        unicode.pair(number, letter);
    }
    pdf.cmap(map, &unicode.finish());
    let compressed = compress_to_vec_zlib(&outlines, COMPRESSION);
    let mut stream = pdf.stream(data, &compressed);
    stream.filter(Filter::FlateDecode);
    stream.pair(Name(b"Subtype"), Name(b"CIDFontType0C"));
    stream.finish();
    Ok(())
}

/// The outlines of the glyphs alone, as Adobe's compact font format.
fn outlines(cut: &Cut) -> Result<Vec<u8>, ReportError> {
    let refused = |message: String| ReportError::Drawing { message };
    let cut = subsetter::subset(font::BYTES, 0, &cut.glyphs).map_err(|error| refused(error.to_string()))?;
    let face = RawFace::parse(&cut, 0).map_err(|error| refused(error.to_string()))?;
    let outlines = face.table(Tag::from_bytes(b"CFF "));
    outlines
        .map(<[u8]>::to_vec)
        .ok_or_else(|| refused("the font has no outlines".into()))
}

/// Six letters that tell cuts of one font apart.
fn tag(outlines: &[u8]) -> String {
    let digest = Sha256::digest(outlines);
    digest.iter().take(6).map(|byte| char::from(b'A' + byte % 26)).collect()
}

fn thousandths(ems: f64) -> f32 {
    (ems * 1000.0).round() as f32
}

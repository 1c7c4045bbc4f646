"""Make the font of this folder from STIX 1.1.1 (Debian package fonts-stix; needs fonttools).

    python3 subset.py /usr/share/fonts/opentype/stix

The Open Font License asks modified versions to carry another name, hence "Slipstick Serif". Variables are set in its
mathematical italic letters, so that one file is enough. Kerning and substitution
tables are left out so that the width of a text is the sum of the widths of its letters in every viewer.
"""

import sys
from fontTools import subset
from fontTools.ttLib import TTFont

CHARACTERS = (
    list(range(0x20, 0x7F)) + list(range(0xA0, 0x180))  # Latin with accents
    + list(range(0x384, 0x3F7))  # Greek
    + [0x2C6, 0x2C7, 0x2D8, 0x2D9, 0x2DA, 0x2DC]  # accents on their own
    + list(range(0x2010, 0x2028)) + list(range(0x2030, 0x2039)) + [0x2070, 0x2071]  # dashes, quotes, primes
    + list(range(0x2074, 0x209D)) + list(range(0x2190, 0x219A))  # super- and subscripts, arrows
    + [0x210E] + list(range(0x1D434, 0x1D468)) + list(range(0x1D6E2, 0x1D71C))  # mathematical italic
    + [0x2102, 0x2113, 0x211D, 0x2115, 0x2124, 0x21A6, 0x21D2, 0x21D4]
    + list(range(0x2200, 0x2270)) + [0x2272, 0x2273, 0x2282, 0x2286, 0x2295, 0x2297, 0x22A5, 0x22C5, 0x22EF]
    + [0x2308, 0x2309, 0x230A, 0x230B, 0x25A0, 0x25A1, 0x25B2, 0x25B3, 0x25CB, 0x25CF, 0x27E8, 0x27E9]
)


def make(source, style):
    font = TTFont(f"{source}/STIXGeneral-{style}.otf", recalcTimestamp=False)
    options = subset.Options(
        layout_features=[], name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14], hinting=False, notdef_outline=True,
        drop_tables=["GSUB", "GPOS", "GDEF", "kern", "MATH", "FFTM", "DSIG", "BASE"],
    )
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=CHARACTERS)
    subsetter.subset(font)
    names = {
        1: "Slipstick Serif", 2: style, 3: f"Slipstick Serif {style}; subset of STIXGeneral 1.1.1",
        4: f"Slipstick Serif {style}", 6: f"SlipstickSerif-{style}",
        13: "SIL Open Font License, Version 1.1", 14: "https://openfontlicense.org",
    }
    for record in list(font["name"].names):
        if record.nameID in names:
            font["name"].setName(names[record.nameID], record.nameID, record.platformID, record.platEncID, record.langID)
    for name_id, text in names.items():
        font["name"].setName(text, name_id, 3, 1, 0x409)
    cff = font["CFF "].cff
    cff.fontNames[0] = names[6]
    cff[0].FullName, cff[0].FamilyName = names[4], names[1]
    font.save(f"SlipstickSerif-{style}.otf")


make(sys.argv[1], "Regular")

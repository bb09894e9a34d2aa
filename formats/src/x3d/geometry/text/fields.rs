//! The fields of a Text and of its FontStyle.

/// The fields of a Text.
pub(in crate::x3d) struct Text {
    /// The lines, or the columns of vertical text.
    pub strings: Vec<String>,
    /// The length to which each line is stretched; 0, or none, leaves it as it is.
    pub lengths: Vec<f64>,
    /// The length to which the longest line is compressed, and the others with it; 0 is no limit.
    pub max_extent: f64,
    /// How the lines are set.
    pub font: FontStyle,
}

/// The fields of a FontStyle. Family and style are not among them, because there is one font.
pub(in crate::x3d) struct FontStyle {
    /// The height of a line.
    pub size: f64,
    /// The distance between lines, in heights of a line.
    pub spacing: f64,
    /// The alignment along the lines, and then across them: FIRST, BEGIN, MIDDLE or END.
    pub justify: Vec<String>,
    /// True if the text runs in lines and not in columns.
    pub horizontal: bool,
    /// The direction of lines, or the order of columns.
    pub left_to_right: bool,
    /// The order of lines, or the direction of columns.
    pub top_to_bottom: bool,
}

//! The heading of a report.

/// What a report states in addition to the outcome.
#[derive(Clone, Debug, Default)]
pub struct ReportHeading<'a> {
    /// The scene.
    pub scene: &'a str,
    /// The device, or the file of answers.
    pub device: &'a str,
    /// The device's own arithmetic, in lines of text.
    pub arithmetic: Vec<String>,
    /// The command that made the report.
    pub command: String,
    /// The fault that was planted on purpose.
    pub fault: Option<&'a str>,
    /// Other facts about the answers, each with its name.
    pub facts: Vec<(&'static str, String)>,
    /// The names of the arrays and the questions that were not judged.
    pub not_judged: &'a [String],
}

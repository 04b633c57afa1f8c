import JSON
/// The report for people.
enum HTMLReport {
    static func page(_ report: Report) -> String { "" }
}

import JSON

/// The report for people: one page that needs nothing else, for a team's ticket.
///
/// Every text from a case or an answer is escaped; the page has no script and loads nothing.
enum HTMLReport {
    private static let valueMax = 2000

    static func page(_ report: Report) -> String {
        let parts = [head(report), summary(report), endpoints(report), cases(report), leftOut(report), foot(report)]
        return parts.joined() + "</main></body></html>\n"
    }

    // MARK: Texts

    /// A text as it may stand in HTML, also inside an attribute; control characters become visible.
    static func escaped(_ text: String) -> String {
        var out = ""
        for scalar in TextReport.visible(text).unicodeScalars {
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "'": out += "&#39;"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    /// The cells of what was expected and what came.
    private static func cells(_ expected: JSONValue?, _ got: JSONValue?) -> String {
        func cell(_ value: JSONValue?, _ text: String) -> String {
            value == nil ? #"<td><span class="none">nothing</span></td>"# : "<td><code>\(escaped(text))</code></td>"
        }
        let pair = Difference.shortPair(expected, got, lengthMax: valueMax)
        return cell(expected, pair.expected) + cell(got, pair.got)
    }

    private static func name(_ path: String) -> String {
        "<code>\(escaped(path.isEmpty ? "answer" : path))</code>"
    }

    private static func badge(_ kind: String, _ text: String) -> String {
        #"<span class="badge \#(kind)">\#(escaped(text))</span>"#
    }

    private static func kind(_ mark: Report.Field.Mark) -> String {
        switch mark {
        case .differs: "bad"
        case .known: "known"
        case .tolerated, .noise: "quiet"
        }
    }

    // MARK: Parts

    private static func head(_ report: Report) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>Conformance of \(escaped(report.target))</title><style>\(style)</style></head><body><main>

        """
    }

    private static func summary(_ report: Report) -> String {
        let counts: [(CaseResult.Verdict, String, String)] = [
            (.passed, "good", "passed"), (.differs, "bad", "differ"), (.notRun, "open", "not run"),
        ]
        let total = max(1, report.results.count)
        let bar = counts.map { verdict, kind, _ in
            #"<i class="\#(kind)" style="flex-grow:\#(report.count(verdict) * 1000 / total)"></i>"#
        }.joined()
        var cards = counts.map { verdict, kind, word in card(kind, report.count(verdict), word) }
        cards.append(card("quiet", report.leftOut.count, "left out"))
        let known = report.results.reduce(0) { $0 + $1.knownCount },
            noise = report.results.reduce(0) { $0 + $1.noiseCount }
        if known > 0 { cards.append(card("known", known, "known deviations")) }
        if noise > 0 { cards.append(card("quiet", noise, "fields of noise")) }
        let verdict: String
        switch report.outcome {
        case .passed: verdict = "Every answer is as expected."
        case .differs: verdict = "Some answers are not as expected."
        case .unable: verdict = "Nothing differs, but not every case could be run."
        }
        let against =
            report.reference.map { "compared live with <code>\(escaped($0))</code>" } ?? "against recorded answers"
        let prefix = report.prefix.isEmpty ? "" : " under <code>\(escaped(report.prefix))</code>"
        return """
            <header><p class="over">Conformance report</p><h1>\(verdict)</h1>
            <p><code>\(escaped(report.target))</code>\(prefix), \(against), \(escaped(report.madeAt)).</p>
            <div class="bar" aria-hidden="true">\(bar)</div><ul class="cards">\(cards.joined())</ul></header>

            """
    }

    private static func card(_ kind: String, _ count: Int, _ word: String) -> String {
        #"<li class="\#(kind)"><b>\#(count)</b> \#(escaped(word))</li>"#
    }

    private static func endpoints(_ report: Report) -> String {
        let shown = report.endpoints.filter { !$0.fields.isEmpty }
        guard !shown.isEmpty else { return "" }
        let sections = shown.map { endpoint -> String in
            let bad = endpoint.count(.differs)
            let rows = endpoint.fields.map(field).joined()
            let note = bad > 0 ? badge("bad", "\(bad) differ") : badge("quiet", "nothing that counts")
            return """
                <details\(bad > 0 ? " open" : "")><summary><b>\(escaped(endpoint.name))</b> \(note)
                <span class="dim">\(TextReport.plural(endpoint.answers, "answer")) compared</span></summary>
                <table><thead><tr><th>field</th><th>times</th><th>expected</th><th>got</th><th>seen in</th></tr></thead>
                <tbody>\(rows)</tbody></table></details>

                """
        }
        return "<section><h2>By endpoint and field</h2>\(sections.joined())</section>\n"
    }

    private static func field(_ field: Report.Field) -> String {
        let first = field.examples.first
        let names = field.ids.prefix(4).map { "<a href=\"#case-\(escaped($0))\">\(escaped($0))</a>" }
        let more = field.ids.count > names.count ? "<br>and more" : ""
        let mark = field.mark == .differs ? "" : " " + badge(kind(field.mark), field.mark.rawValue)
        let why = field.why.isEmpty ? "" : "<small>\(escaped(field.why))</small>"
        return """
            <tr class="\(kind(field.mark))"><td>\(name(field.path))\(mark)\(why)</td>
            <td>\(field.count)</td>\(cells(first?.expected, first?.got))
            <td>\(names.joined(separator: "<br>"))\(more)</td></tr>

            """
    }

    private static func cases(_ report: Report) -> String {
        let loud = report.results.filter { $0.verdict != .passed }
        let quiet = report.results.filter { $0.verdict == .passed }
        var out = "<section><h2>Cases</h2>"
        out += loud.map { one in
            """
            <details id="case-\(escaped(one.id))">
            <summary>\(badge(one.verdict == .differs ? "bad" : "open", one.verdict.rawValue))
            <b>\(escaped(one.id))</b> <span class="dim">\(escaped(one.title))</span></summary>\(details(one))</details>

            """
        }.joined()
        if !quiet.isEmpty {
            let items = quiet.map { one in
                let known = one.knownCount > 0 ? " " + badge("known", "\(one.knownCount) known") : ""
                return "<li id=\"case-\(escaped(one.id))\"><b>\(escaped(one.id))</b>\(known) "
                    + "<span class=\"dim\">\(escaped(one.title))</span></li>"
            }
            out +=
                "<details><summary>\(badge("good", "passed")) \(quiet.count) cases</summary>"
                + "<ul>\(items.joined())</ul></details>"
        }
        return out + "</section>\n"
    }

    private static func details(_ one: CaseResult) -> String {
        var out = ""
        for finding in one.findings {
            let rows = finding.differences.map { difference -> String in
                let (mark, why) = marks(difference.standing)
                let name = name(difference.path)
                let note =
                    mark == .differs ? "" : " " + badge(kind(mark), mark.rawValue) + "<small>\(escaped(why))</small>"
                return "<tr class=\"\(kind(mark))\"><td>\(name)\(note)</td>"
                    + cells(difference.expected, difference.got) + "</tr>"
            }
            out +=
                "<h3>Step \(finding.step) · \(escaped(finding.endpoint))</h3><table><thead><tr><th>field</th>"
                + "<th>expected</th><th>got</th></tr></thead><tbody>\(rows.joined())</tbody></table>\n"
        }
        if let stop = one.stop {
            let place = one.stopLabel.map { "at \($0)" } ?? "before its first step"
            out += "<p class=\"stop\">Ended \(escaped(place)): \(escaped(stop))</p>\n"
        }
        return out + "<p class=\"dim\">\(escaped(one.file))</p>"
    }

    private static func marks(_ standing: Difference.Standing) -> (Report.Field.Mark, String) {
        switch standing {
        case .counts: (.differs, "")
        case .known(let why): (.known, why)
        case .tolerated(let why): (.tolerated, why)
        case .noise: (.noise, "the reference differs from itself here")
        }
    }

    private static func leftOut(_ report: Report) -> String {
        guard !report.leftOut.isEmpty else { return "" }
        let items = report.leftOut.map {
            "<li><b>\(escaped($0.id))</b> <span class=\"dim\">\(escaped($0.why))</span></li>"
        }
        return "<section><details><summary>\(badge("quiet", "left out")) \(items.count) cases that need what this run "
            + "was not given</summary><ul>\(items.joined())</ul></details></section>\n"
    }

    private static func foot(_ report: Report) -> String {
        """
        <footer><p>Made by drawbridge \(escaped(report.version)). Placeholders such as <code>&lt;uuid:1&gt;</code> stand
        for values that differ from run to run and are numbered by their first appearance in a case.</p></footer>
        """
    }

    private static let style = """
        :root{--bg:#fff;--fg:#1c1f24;--dim:#667080;--line:#e3e6eb;--soft:#f6f7f9;--good:#1a7f4b;--bad:#c0342b;\
        --open:#a15c00;--known:#5b4bc4;color-scheme:light dark}
        @media(prefers-color-scheme:dark){:root{--bg:#14161a;--fg:#e6e8ec;--dim:#98a1b0;--line:#2b2f37;--soft:#1c1f25;\
        --good:#4cc38a;--bad:#ff7369;--open:#f0a84a;--known:#a99bff}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}
        main{max-width:1080px;margin:0 auto;padding:40px 24px 64px}
        h1{font-size:1.9rem;line-height:1.2;margin:.1em 0 .4em;letter-spacing:-.01em}
        h2{font-size:1.15rem;margin:2.2em 0 .7em} h3{font-size:.95rem;margin:1.2em 0 .4em}
        .over{margin:0;color:var(--dim);text-transform:uppercase;letter-spacing:.08em;font-size:.75rem}
        code{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace;overflow-wrap:anywhere}
        .bar{display:flex;gap:2px;height:10px;border-radius:5px;overflow:hidden;margin:20px 0 14px;\
        background:var(--soft)}
        .bar i{flex-basis:0} .bar .good{background:var(--good)} .bar .bad{background:var(--bad)}
        .bar .open{background:var(--open)}
        .cards{list-style:none;display:flex;flex-wrap:wrap;gap:10px 28px;padding:0;margin:0;color:var(--dim)}
        .cards b{font-size:1.35rem;color:var(--fg);font-weight:600}
        .cards .good b{color:var(--good)} .cards .bad b{color:var(--bad)} .cards .open b{color:var(--open)}
        .cards .known b{color:var(--known)}
        details{border:1px solid var(--line);border-radius:8px;margin:8px 0;padding:0 14px;overflow:hidden}
        summary{cursor:pointer;padding:9px 0}
        details[open]>summary{border-bottom:1px solid var(--line);margin-bottom:10px}
        table{width:100%;border-collapse:collapse;margin:4px 0 12px;table-layout:fixed}
        th{text-align:left;font-weight:500;font-size:.8rem;color:var(--dim)}
        th,td{padding:6px 10px 6px 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
        tr:last-child td{border-bottom:0} th:nth-child(2):nth-last-child(4){width:4.5em}
        tr.quiet{color:var(--dim)} tr.bad td:first-child code{color:var(--bad)}
        tr.known td:first-child code{color:var(--known)}
        .badge{display:inline-block;border:1px solid currentColor;border-radius:99px;padding:0 8px;font-size:.74rem;\
        line-height:1.6;white-space:nowrap;color:var(--dim)}
        .badge.good{color:var(--good)} .badge.bad{color:var(--bad)} .badge.open{color:var(--open)}
        .badge.known{color:var(--known)}
        .dim,.none,small{color:var(--dim)} small{display:block} .none{font-style:italic} .stop{color:var(--open)}
        a{color:inherit} footer{margin-top:48px;color:var(--dim);font-size:.85rem}
        """
}

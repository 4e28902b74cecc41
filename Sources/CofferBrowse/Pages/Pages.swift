import Coffer
import CofferDrawing

/// The pages of a database or of an archive, and what all pages consist of.
protocol Pages: Sendable {
  var site: Site { get }
  var request: HTTPRequest { get }
  /// Where they are, with slashes at both ends.
  var base: String { get }
  /// What is shown.
  var name: String { get }
  /// The address of the commits since the page was asked for; nil if they don't follow them.
  var events: String? { get }
  /// The main pages with their addresses.
  var sections: [(title: String, address: String)] { get }

  /// The page of a path below the base; nil if there is none.
  func response(_ path: String) throws -> HTTPResponse?
}

extension Pages {
  // MARK: Addresses

  /// The address of a page.
  ///
  /// - Parameter fields: What follows the question mark, without those that are nil.
  func address(_ path: String, _ fields: KeyValuePairs<String, String?> = [:]) -> String {
    HTML.address(base + path, fields.compactMap { name, value in value.map { (name, $0) } })
  }

  /// The address of this page with other fields, and without some.
  func here(_ changes: KeyValuePairs<String, String?>, without: [String] = []) -> String {
    var fields = request.query.filter { !$0.value.isEmpty && !without.contains($0.key) }
    for (name, value) in changes { fields[name] = value }
    return HTML.address(request.path, fields.sorted { $0.key < $1.key })
  }

  /// The values that a field of the address names; none without it.
  func remembered(_ field: String) throws -> [DatabaseValue] {
    try request[field].map { try site.remembered.values($0) } ?? []
  }

  // MARK: The frame

  /// A page. The classes are those of the style sheet; `Docs/Internals/Browse.md` has them.
  ///
  /// - Parameter section: The name of the main page to which it belongs.
  func page(
    _ title: String, _ section: String? = nil, status: Int = 200,
    @HTMLBuilder _ content: () throws -> HTML
  ) rethrows -> HTTPResponse {
    .page(try document(title, section, content), status: status)
  }

  func document(
    _ title: String, _ section: String?, @HTMLBuilder _ content: () throws -> HTML
  ) rethrows -> HTML {
    let main = try HTML.element("main", ["id": "main", "tabindex": "-1"]) {
      HTML.element("h1") { title }
      try content()
    }
    return .document(
      HTML.element("html", ["lang": "en"]) {
        HTML.element("head") {
          HTML.element("meta", ["charset": "utf-8"])
          HTML.element("title") { "\(title) – \(name)" }
          HTML.element(
            "meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
          HTML.element("meta", ["name": "color-scheme", "content": "light dark"])
          HTML.element("link", ["rel": "icon", "href": "data:,"])
          HTML.element("link", ["rel": "stylesheet", "href": site.gate.base + "style.css"])
          HTML.element("script", ["src": site.gate.base + "script.js", "defer": ""])
        }
        HTML.element("body", ["data-events": events]) {
          HTML.element("a", ["class": "skip", "href": "#main"]) { "Skip to the content" }
          HTML.element("header") {
            HTML.element("p", ["class": "file"]) { name }
            HTML.element("nav", ["aria-label": "Main"]) {
              for (target, address) in sections {
                HTML.element(
                  "a", ["href": address, "aria-current": target == section ? "page" : nil]
                ) { target }
              }
            }
          }
          main
          HTML.element("footer") {
            HTML.element("p") { "Read-only. \(site.services.engine)." }
          }
        }
      })
  }

  // MARK: Parts

  func link(_ text: String, _ address: String, label: String? = nil) -> HTML {
    HTML.element("a", ["href": address, "aria-label": label]) { text }
  }

  func notice(_ text: String) -> HTML { HTML.element("p", ["class": "notice"]) { text } }

  func errorText(_ text: String) -> HTML {
    HTML.element("p", ["class": "error", "role": "alert"]) { text }
  }

  func section(_ title: String, @HTMLBuilder _ content: () throws -> HTML) rethrows -> HTML {
    let id = title.lowercased().replacing(" ", with: "-")
    return try HTML.element("section", ["aria-labelledby": id]) {
      HTML.element("h2", ["id": id]) { title }
      try content()
    }
  }

  /// A form that sends values in its body, with what shows that it is of this session.
  func form(
    _ address: String, class name: String? = nil, isStop: Bool = false,
    @HTMLBuilder _ content: () -> HTML
  ) -> HTML {
    HTML.element(
      "form",
      ["method": "post", "action": address, "class": name, "data-stop": isStop ? "" : nil]
    ) {
      HTML.element("input", ["type": "hidden", "name": "csrf", "value": site.gate.formToken])
      content()
    }
  }

  /// A form's choice of one of some texts.
  func choice(
    _ name: String, label: String, _ options: [(value: String, text: String)], selected: String?
  ) -> HTML {
    HTML.element("select", ["name": name, "aria-label": label]) {
      for option in options {
        HTML.element(
          "option",
          [
            "value": option.value,
            "selected": selected?.isSame(as: option.value) == true ? "" : nil,
          ]
        ) { option.text }
      }
    }
  }

  /// A table with its columns' names.
  func table(
    _ caption: String, _ columns: [HTML], live: String? = nil,
    @HTMLBuilder _ rows: () throws -> HTML
  ) rethrows -> HTML {
    try HTML.element(
      "div", ["class": "scroll", "tabindex": "0", "role": "region", "aria-label": caption]
    ) {
      try HTML.element("table", ["class": "rows"]) {
        HTML.element("caption") { caption }
        HTML.element("thead") {
          HTML.element("tr") {
            for column in columns { HTML.element("th", ["scope": "col"]) { column } }
          }
        }
        try HTML.element("tbody", ["data-live": live]) { try rows() }
      }
    }
  }

  /// A table of names with their values.
  func facts(
    _ caption: String? = nil, live: String? = nil, @HTMLBuilder _ rows: () throws -> HTML
  ) rethrows -> HTML {
    try HTML.element("table", ["class": "facts"]) {
      if let caption { HTML.element("caption") { caption } }
      try HTML.element("tbody", ["data-live": live]) { try rows() }
    }
  }

  /// A row of a table.
  ///
  /// - Parameter key: What it is known by, after a commit.
  func row(
    _ head: HTML? = nil, key: String? = nil, @HTMLBuilder _ cells: () throws -> HTML
  ) rethrows -> HTML {
    try HTML.element("tr", ["data-key": key]) {
      if let head { HTML.element("th", ["scope": "row"]) { head } }
      try cells()
    }
  }

  func cell(_ text: String, class name: String? = nil) -> HTML { cell(.text(text), class: name) }

  func cell(_ content: HTML, class name: String? = nil) -> HTML {
    HTML.element("td", ["class": name]) { content }
  }

  /// Links to other pages of the same thing; nil for what isn't there.
  func pages(
    _ links: [(text: String, address: String?)], label: String = "Pages"
  ) -> HTML {
    HTML.element("nav", ["class": "pages", "aria-label": label]) {
      for (text, address) in links {
        if let address {
          let relation = ["previous": "prev", "next": "next"][text]
          HTML.element("a", ["href": address, "rel": relation]) { text }
        } else {
          HTML.element("span") { text }
        }
      }
    }
  }

  /// Links to the parts of something that has too many of them for one page.
  ///
  /// - Parameter start: The first one that is shown.
  func parts(
    _ noun: String, of total: Int, from start: Int, by count: Int, _ address: (Int) -> String
  ) -> HTML? {
    guard total > count else { return nil }
    let end = min(start + count, total)
    return pages(
      [
        ("earlier \(noun)", start > 0 ? address(max(0, start - count)) : nil),
        ("\(noun) \(start + 1) to \(end) of \(total)", nil),
        ("later \(noun)", end < total ? address(end) : nil),
      ], label: noun.capitalized)
  }

  // MARK: Errors

  /// What a person reads instead of a page.
  func explanation(_ error: any Error) -> (title: String, text: String, status: Int) {
    switch error {
    case BrowseError.missing(let text): ("Not found", text, 404)
    case BrowseError.refused(let text): ("Not possible", text, 400)
    case BrowseError.tooLong(let time):
      (
        "Too long",
        "It took longer than \(Int(time / .seconds(1))) s, and was ended. Narrow it down.", 503
      )
    case BrowseError.stopped: ("Stopped", "The query was stopped.", 503)
    case let error as DatabaseError where error.message != nil:
      ("Failed", [error.message, error.hint].compactMap(\.self).joined(separator: ". "), 500)
    default: ("Failed", String("\(error)".prefix(2_000)), 500)
    }
  }

  func failure(_ error: any Error) -> HTTPResponse {
    let (title, text, status) = explanation(error)
    return failure(title, text, status)
  }

  func failure(_ title: String, _ text: String, _ status: Int) -> HTTPResponse {
    page(title, status: status) { errorText(text) }
  }
}

extension String {
  /// What follows the last slash.
  var lastPathPart: String { split(separator: "/").last.map(String.init) ?? self }
}

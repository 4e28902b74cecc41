import Coffer
import CofferDrawing

/// Makes the pages of one database. Its extensions have a kind of page each.
struct PageMaker: Sendable {
  let site: Site
  let place: Place
  let request: HTTPRequest

  var store: Store { place.store }

  func response(_ path: String) throws -> HTTPResponse? {
    switch path {
    case "": try overview()
    case "schema": try schemaPage()
    case "object": try objectPage()
    case "table": request.method == "POST" ? try rememberConditions() : try rowsPage()
    case "row": try rowPage()
    case "cell": try cellPage()
    case "picture": try picture()
    case "query": request.method == "POST" ? rememberQuery() : try queryPage()
    case "stop": stopQueries()
    case "check": try checkPage()
    default: nil
    }
  }

  // MARK: The frame

  enum Section: String, CaseIterable {
    case overview = "Overview"
    case schema = "Schema"
    case query = "Query"
    case archive = "Archive"
  }

  func page(_ title: String, _ section: Section?, @HTMLBuilder _ content: () throws -> HTML)
    rethrows -> HTTPResponse
  {
    .page(try document(title, section, content))
  }

  func document(_ title: String, _ section: Section?, @HTMLBuilder _ content: () throws -> HTML)
    rethrows -> HTML
  {
    var links: [(Section, String)] = [
      (.overview, place.address("")), (.schema, place.address("schema")),
      (.query, place.address("query")),
    ]
    if site.hasArchive { links.append((.archive, site.base + "archive")) }
    return try site.document(
      title, name: site.archive?.name ?? store.path.lastPathPart, commit: place.commit,
      links: links, section: section,
      isLive: place.commit == nil && site.isLive, content)
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
      HTML.element("input", ["type": "hidden", "name": "csrf", "value": site.formToken])
      content()
    }
  }

  func link(_ text: String, _ address: String, rel: String? = nil) -> HTML {
    HTML.element("a", ["href": address, "rel": rel]) { text }
  }

  func facts(_ facts: [(name: String, text: String)]) -> HTML {
    HTML.element("table", ["class": "facts"]) {
      HTML.element("tbody") {
        for fact in facts {
          HTML.element("tr") {
            HTML.element("th", ["scope": "row"]) { fact.name }
            HTML.element("td") { fact.text }
          }
        }
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

  /// Links to other pages of the same thing; nil for the one that is shown.
  func pages(_ links: [(text: String, address: String?, rel: String?)], _ label: String = "Pages")
    -> HTML
  {
    HTML.element("nav", ["class": "pages", "aria-label": label]) {
      for link in links {
        if let address = link.address {
          self.link(link.text, address, rel: link.rel)
        } else {
          HTML.element("span") { link.text }
        }
      }
    }
  }

  func tableAddress(_ name: String) -> String { place.address("table", ["name": name]) }

  func objectAddress(_ name: String) -> String { place.address("object", ["name": name]) }
}

extension String {
  /// What follows the last slash.
  var lastPathPart: String { split(separator: "/").last.map(String.init) ?? self }
}

import CofferDrawing

extension Site {
  /// A whole page. The classes are those of the style sheet; `Docs/Internals/Browse.md` has them.
  func document(
    _ title: String, name: String, commit: UInt64?, links: [(PageMaker.Section, String)],
    section: PageMaker.Section?, isLive: Bool, @HTMLBuilder _ content: () throws -> HTML
  ) rethrows -> HTML {
    let whole = commit.map { "\(name), commit \($0)" } ?? name
    let main = try HTML.element("main", ["id": "main", "tabindex": "-1"]) {
      HTML.element("h1") { title }
      try content()
    }
    return .document(
      HTML.element("html", ["lang": "en"]) {
        HTML.element("head") {
          HTML.element("meta", ["charset": "utf-8"])
          HTML.element("title") { "\(title) – \(whole)" }
          HTML.element(
            "meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
          HTML.element("meta", ["name": "color-scheme", "content": "light dark"])
          HTML.element("link", ["rel": "icon", "href": "data:,"])
          HTML.element("link", ["rel": "stylesheet", "href": base + "style.css"])
          HTML.element("script", ["src": base + "script.js", "defer": ""])
        }
        HTML.element("body", ["data-events": isLive ? base + "events" : nil]) {
          HTML.element("a", ["class": "skip", "href": "#main"]) { "Skip to the content" }
          HTML.element("header") {
            HTML.element("p", ["class": "file"]) { whole }
            HTML.element("nav", ["aria-label": "Main"]) {
              for (target, address) in links {
                HTML.element(
                  "a", ["href": address, "aria-current": target == section ? "page" : nil]
                ) { target.rawValue }
              }
            }
          }
          main
          HTML.element("footer") {
            HTML.element("p") { "Read-only. \(services.engine)." }
          }
        }
      })
  }
}

import Coffer
import CofferDrawing

/// The pages of one database. The extensions have a kind of page each.
struct DatabasePages: Pages {
  let site: Site
  let request: HTTPRequest
  let store: Store
  let base: String
  let name: String
  /// Whether it is a commit of an archive.
  var isCommit = false
  var events: String?

  var sections: [(title: String, address: String)] {
    let own = [("Overview", base), ("Schema", address("schema")), ("Query", address("query"))]
    return isCommit ? own + [("Archive", site.gate.base)] : own
  }

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

  func tableAddress(_ name: String) -> String { address("table", ["name": name]) }

  func objectAddress(_ name: String) -> String { address("object", ["name": name]) }
}

// Merges the symbol graphs of Coffer's modules into those of one module, `Coffer`, since that is
// the module which programs import.
//
//   merge-symbol-graphs GRAPHS OUTPUT CATALOG
//
// GRAPHS is a folder of symbol graphs with extension blocks. OUTPUT gets Coffer.symbols.json, and
// Coffer@M.symbols.json with the extensions of M's types, where M isn't one of Coffer's modules.
// Fails, and lists them, where the topics of CATALOG's pages leave out public symbols.

import Foundation

typealias Object = [String: Any]

let umbrella = "Coffer"
let ownModules: Set = [
  "CofferSQLite", "CofferVault", "CofferCore", "CofferQuery", "CofferRecords", "CofferObservation",
  "CofferDocuments", umbrella, "CofferSecretService", "CofferArchive",
]

/// The module under which a reader looks for a module's symbols.
func shownModule(_ module: String) -> String {
  if ownModules.contains(module) { return umbrella }
  return module == "FoundationEssentials" ? "Foundation" : module
}

/// The symbols and relationships of a merged graph.
struct Graph {
  var symbols: [String: Object] = [:]
  var relationships: [Object] = []
}

struct Merger {
  private var frame: Object = [:]
  private var graphs: [String: Graph] = [umbrella: Graph()]
  /// Extension blocks of Coffer's types, with the type that each extends.
  private var extendedTypes: [String: String] = [:]

  /// Adds a graph; its name is that of the extending module, or two with `@` between.
  mutating func add(_ graph: Object, named name: String) {
    frame = graph
    let extended = name.split(separator: "@").last.map(String.init) ?? name
    let isOwn = ownModules.contains(extended)
    let key = shownModule(extended)
    for symbol in graph["symbols"] as? [Object] ?? [] {
      guard let identifier = symbol["identifier"] as? Object,
        let precise = identifier["precise"] as? String
      else { continue }
      let kind = (symbol["kind"] as? Object)?["identifier"] as? String
      if isOwn, kind == "swift.extension" {
        extendedTypes[precise] = ""
      } else {
        graphs[key, default: Graph()].symbols[precise] = renamed(symbol)
      }
    }
    for relationship in graph["relationships"] as? [Object] ?? [] {
      if isOwn, relationship["kind"] as? String == "extensionTo",
        let source = relationship["source"] as? String
      {
        extendedTypes[source] = relationship["target"] as? String
      } else {
        graphs[key, default: Graph()].relationships.append(renamed(relationship))
      }
    }
  }

  /// A symbol or relationship with the umbrella's name wherever one of Coffer's modules had its own.
  private func renamed(_ object: Object) -> Object {
    var object = object
    for (key, field) in [("docComment", "module"), ("swiftExtension", "extendedModule")] {
      guard var part = object[key] as? Object, let module = part[field] as? String else { continue }
      part[field] = shownModule(module)
      object[key] = part
    }
    if let fallback = object["targetFallback"] as? String, let dot = fallback.firstIndex(of: ".") {
      object["targetFallback"] = shownModule(String(fallback[..<dot])) + fallback[dot...]
    }
    return object
  }

  func write(to folder: URL) throws {
    for (name, graph) in graphs {
      var merged = frame
      var module = merged["module"] as? Object ?? [:]
      module["name"] = umbrella
      merged["module"] = module
      merged["symbols"] = graph.symbols.keys.sorted().compactMap { graph.symbols[$0] }
      merged["relationships"] = graph.relationships.map { relationship in
        var relationship = relationship
        for end in ["source", "target"] {
          if let block = relationship[end] as? String, let type = extendedTypes[block] {
            relationship[end] = type
          }
        }
        return relationship
      }
      let file = name == umbrella ? umbrella : "\(umbrella)@\(name)"
      try JSONSerialization.data(withJSONObject: merged)
        .write(to: folder.appendingPathComponent(file + ".symbols.json"))
    }
  }

  /// The symbols that no other one contains; overloads share a name.
  func topLevelSymbols() -> Set<String> {
    let paths = graphs[umbrella]?.symbols.values.map { $0["pathComponents"] as? [String] ?? [] }
    return Set((paths ?? []).filter { $0.count == 1 }.map { $0[0] })
  }
}

/// The symbols in the lists of a catalogue's pages, such as ``- ``Row`` ``.
func curatedSymbols(in catalog: URL) throws -> Set<String> {
  let pages = try FileManager.default.contentsOfDirectory(
    at: catalog, includingPropertiesForKeys: nil)
  var symbols: Set<String> = []
  for page in pages where page.pathExtension == "md" {
    let text = try String(contentsOf: page, encoding: .utf8)
    symbols.formUnion(text.matches(of: /(?m)^- ``([^`]+)``$/).map { String($0.output.1) })
  }
  return symbols
}

let folders = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
var merger = Merger()
let files = try FileManager.default.contentsOfDirectory(
  at: folders[0], includingPropertiesForKeys: nil)
for file in files.sorted(by: { $0.path < $1.path }) where file.pathExtension == "json" {
  let graph = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
  merger.add(
    graph as? Object ?? [:], named: file.lastPathComponent.replacing(".symbols.json", with: ""))
}
try merger.write(to: folders[1])

let forgotten = try merger.topLevelSymbols().subtracting(curatedSymbols(in: folders[2]))
if !forgotten.isEmpty {
  let names = forgotten.sorted().joined(separator: ", ")
  let catalog = folders[2].lastPathComponent
  let text = "No page of \(catalog) lists these symbols under a topic: \(names)\n"
  FileHandle.standardError.write(Data(text.utf8))
  exit(1)
}

import CofferCore

/// The form of an imported file.
enum ImportFormat: String, CaseIterable {
  case csv, tsv, json, ndjson

  init(_ invocation: Invocation, source: String) throws {
    if let name = invocation.value("format") {
      guard let format = ImportFormat(rawValue: name) else {
        throw ToolError(
          .usage, "there is no format \"\(name.printable)\": csv, tsv, json, ndjson")
      }
      self = format
    } else {
      self = ImportFormat(path: source) ?? .csv
    }
  }

  init?(path: String) {
    switch path.split(separator: ".").last?.lowercased() {
    case "csv": self = .csv
    case "tsv", "tab": self = .tsv
    case "json": self = .json
    case "ndjson", "jsonl": self = .ndjson
    default: return nil
    }
  }
}

extension ImportType {
  /// Parses `NAME:TYPE,…`. A comma in parentheses is the type's own.
  static func parse(_ text: String?) throws -> [SQLName: String] {
    var types: [SQLName: String] = [:]
    var depth = 0
    let parts = (text ?? "").split {
      if $0 == "(" { depth += 1 } else if $0 == ")" { depth -= 1 }
      return $0 == "," && depth == 0
    }
    for part in parts {
      guard let colon = part.lastIndex(of: ":"), colon != part.startIndex else {
        throw ToolError(.usage, "--types takes NAME:TYPE,…")
      }
      let type = part[part.index(after: colon)...].uppercased()
      guard !type.isEmpty,
        type.allSatisfy({ $0.isLetter || $0.isNumber || " (),_".contains($0) })
      else {
        throw ToolError(
          .usage, "--types: \"\(String(part).printable)\" has no type: INTEGER, REAL, TEXT, BLOB, …"
        )
      }
      types[SQLName(String(part[..<colon]))] = type
    }
    return types
  }
}

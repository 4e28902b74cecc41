extension Row: CustomStringConvertible {
  /// The columns and values: `[id:1 name:"Arthur" photo:Data(512 bytes)]`.
  public var description: String {
    "[" + map { name, value in "\(name):\(value)" }.joined(separator: " ") + "]"
  }
}

extension Row: CustomDebugStringConvertible {
  /// The columns and values, with the unadapted row, the scopes and the prefetched rows, if any.
  ///
  /// ```
  /// ▿ [id:1 name:"Arthur"]
  ///   unadapted: [id:1 name:"Arthur" id:2 name:"Reds"]
  ///   - team: [id:2 name:"Reds"]
  ///   + awards: 2 rows
  /// ```
  public var debugDescription: String {
    var lines: [String] = []
    let unadapted = unadapted
    if unadapted != unscoped { lines.append("  unadapted: \(unadapted)") }
    appendBranches(to: &lines, indentation: "  ")
    guard !lines.isEmpty else { return description }
    return "▿ \(description)\n" + lines.joined(separator: "\n")
  }

  private func appendBranches(to lines: inout [String], indentation: String) {
    for (name, row) in scopes {
      lines.append("\(indentation)- \(name): \(row)")
      row.appendBranches(to: &lines, indentation: indentation + "  ")
    }
    let prefetched = prefetchedRows
    for key in prefetched.keys.sorted() {
      let count = prefetched[key]?.count ?? 0
      lines.append("\(indentation)+ \(key): \(count) \(count > 1 ? "rows" : "row")")
    }
  }
}

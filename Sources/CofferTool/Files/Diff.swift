import Coffer

/// Compares two databases.
struct DatabaseDiff {
  let first: Database
  let second: Database
  let line: (String) -> Void
  private(set) var count = 0

  init(_ first: Database, _ second: Database, line: @escaping (String) -> Void) {
    self.first = first
    self.second = second
    self.line = line
  }

  private mutating func report(_ text: String) throws {
    try Interrupts.check()
    count += 1
    line(text)
  }

  mutating func run() throws {
    let (old, new) = (try SchemaObject.made(first), try SchemaObject.made(second))
    var common: [String] = []
    for object in old {
      guard let other = new.first(where: { $0.name == object.name && $0.kind == object.kind })
      else {
        try report("- \(object.kind) \(object.name)")
        continue
      }
      if object.sql != other.sql {
        try report("- \(object.sql ?? object.name);")
        try report("+ \(other.sql ?? other.name);")
      }
      if object.kind == "table" { common.append(object.name) }
    }
    for object in new {
      if !old.contains(where: { $0.name == object.name && $0.kind == object.kind }) {
        try report("+ \(object.kind) \(object.name)")
      }
    }
    for pragma in ["user_version", "application_id"] {
      let values = try [first, second].map { try Int.fetchOne($0, sql: "PRAGMA \(pragma)") ?? 0 }
      if values[0] != values[1] { try report("~ \(pragma) \(values[0]) -> \(values[1])") }
    }
    for table in common { try compareRows(table) }
  }

  // MARK: Rows

  private mutating func compareRows(_ table: String) throws {
    let columns = try first.columns(in: table).map(\.name)
    let others = try second.columns(in: table).map(\.name)
    // Another set of columns is a difference of the schema, which is told already.
    guard columns == others else { return }
    let key = try first.primaryKey(table)
    let keyCount = key.columns.count
    let keys = key.columns.map(\.quotedDatabaseIdentifier)
    let order = keys.map { "\($0) COLLATE BINARY" }.joined(separator: ", ")
    let list = (keys + columns.map(\.quotedDatabaseIdentifier)).joined(separator: ", ")
    let sql = "SELECT \(list) FROM \(table.quotedDatabaseIdentifier) ORDER BY \(order)"
    let (left, right) = (
      try Row.fetchCursor(first, sql: sql), try Row.fetchCursor(second, sql: sql)
    )
    func values(_ row: Row?) -> [DatabaseValue]? { row.map { Array($0.databaseValues) } }
    var (a, b) = (values(try left.next()), values(try right.next()))
    while a != nil || b != nil {
      switch Self.order(a?.prefix(keyCount), b?.prefix(keyCount)) {
      case 0:
        if let a, let b, !zip(a, b).allSatisfy(Self.isSame) {
          try report("- \(table) " + text(columns, a.dropFirst(keyCount)))
          try report("+ \(table) " + text(columns, b.dropFirst(keyCount)))
        }
        (a, b) = (values(try left.next()), values(try right.next()))
      case ..<0:
        try report("- \(table) " + text(columns, a?.dropFirst(keyCount) ?? []))
        a = values(try left.next())
      default:
        try report("+ \(table) " + text(columns, b?.dropFirst(keyCount) ?? []))
        b = values(try right.next())
      }
    }
  }

  private func text(_ columns: [String], _ values: ArraySlice<DatabaseValue>) -> String {
    zip(columns, values).map { "\($0)=\(ValueText.sql($1))" }.joined(separator: " ")
  }

  private static func isSame(_ a: DatabaseValue, _ b: DatabaseValue) -> Bool {
    rank(a) == rank(b) && a == b
  }

  /// Compares keys in SQLite's binary order; a missing row comes last.
  private static func order(
    _ a: ArraySlice<DatabaseValue>?, _ b: ArraySlice<DatabaseValue>?
  ) -> Int {
    guard let a else { return b == nil ? 0 : 1 }
    guard let b else { return -1 }
    for (left, right) in zip(a, b) {
      let result = order(left, right)
      if result != 0 { return result }
    }
    return 0
  }

  private static func rank(_ value: DatabaseValue) -> Int {
    switch value.storage {
    case .null: 0
    case .int64: 1
    case .double: 2
    case .string: 3
    case .blob: 4
    }
  }

  private static func order(_ a: DatabaseValue, _ b: DatabaseValue) -> Int {
    func sign<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a == b ? 0 : 1 }
    switch (a.storage, b.storage) {
    case (.int64(let a), .int64(let b)): return sign(a, b)
    case (.double(let a), .double(let b)): return sign(a, b)
    case (.int64(let a), .double(let b)): return sign(Double(a), b)
    case (.double(let a), .int64(let b)): return sign(a, Double(b))
    case (.string(let a), .string(let b)):
      return a.utf8.elementsEqual(b.utf8) ? 0 : a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1
    case (.blob(let a), .blob(let b)):
      return a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    default: return sign(rank(a), rank(b))
    }
  }
}

extension Tool {
  /// `coffer diff`
  static func diff(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let paths = invocation.arguments
    let opening = try Opening(invocation, path: paths[0])
    var second = try Opening(invocation, path: paths[1], prefix: "new-")
    try second.requireDatabase()
    let queue = try opening.open(readonly: true)
    if second.source == nil, let key = queue.configuration.key {
      second = Opening(path: paths[1], source: nil, cipher: second.cipher ?? opening.cipher)
      let isEncrypted = try second.requireDatabase()
      return try compare(
        queue, try open(paths[1], isEncrypted ? key : nil, second.cipher), paths, console)
    }
    return try compare(queue, try second.open(readonly: true), paths, console)
  }

  private static func open(
    _ path: String, _ key: DatabaseKey?, _ cipher: CipherSettings?
  ) throws -> DatabaseQueue {
    do {
      var configuration = Configuration()
      configuration.key = key
      configuration.cipher = cipher ?? .default
      configuration.readonly = true
      return try Opening.connect(path, configuration)
    } catch {
      throw ToolError(error, path: path)
    }
  }

  private static func compare(
    _ first: DatabaseQueue, _ second: DatabaseQueue, _ paths: [String], _ console: Console
  ) throws -> CInt {
    let output = ByteOutput(console)
    let count = try Interrupts.handled(by: {
      first.interrupt()
      second.interrupt()
    }) {
      try first.read { old in
        try second.read { new in
          var diff = DatabaseDiff(old, new) { output.line($0) }
          try diff.run()
          return diff.count
        }
      }
    }
    try output.flush()
    return count == 0 ? 0 : ToolError.Code.found.rawValue
  }
}

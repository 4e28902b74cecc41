import Coffer

/// Compares two databases.
struct DatabaseDiff {
  let first: Database
  let second: Database
  /// Called with `-` for what only the first has, `+` for the second or `~`, the table of a row,
  /// and the object or the values.
  let found: (_ mark: Character, _ table: String?, _ text: String) throws -> Void
  private(set) var count = 0

  private mutating func report(_ mark: Character, _ table: String?, _ text: String) throws {
    try Interrupts.check()
    count += 1
    try found(mark, table, text)
  }

  mutating func run() throws {
    let (old, new) = (try SchemaObject.made(first), try SchemaObject.made(second))
    var common: [String] = []
    for object in old {
      guard let other = new.first(where: { $0.isNamed(as: object) }) else {
        try report("-", nil, "\(object.kind) \(object.name)")
        continue
      }
      if !(object.sql ?? "").utf8.elementsEqual((other.sql ?? "").utf8) {
        try report("-", nil, "\(object.sql ?? object.name);")
        try report("+", nil, "\(other.sql ?? other.name);")
      }
      guard object.kind == "table" else { continue }
      if object.isVirtual, !isReadable(object.name) {
        // Its module or tokenizer isn't here: what it keeps can be compared nevertheless.
        let stored = try SchemaObject.all(first).map(\.name).filter { name in
          name.hasPrefix(object.name + "_") && !old.contains { $0.name == name }
        }
        common += try stored.filter { try second.tableExists($0) }
      } else {
        common.append(object.name)
      }
    }
    for object in new {
      if !old.contains(where: { $0.isNamed(as: object) }) {
        try report("+", nil, "\(object.kind) \(object.name)")
      }
    }
    for pragma in ["user_version", "application_id"] {
      let values = try [first, second].map { try Int.fetchOne($0, sql: "PRAGMA \(pragma)") ?? 0 }
      if values[0] != values[1] { try report("~", nil, "\(pragma) \(values[0]) -> \(values[1])") }
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
    func values(_ row: Row?) -> [ExactValue]? {
      row.map { row in (0..<row.count).map { ExactValue(row, $0) } }
    }
    var (a, b) = (values(try left.next()), values(try right.next()))
    while a != nil || b != nil {
      switch Self.order(a?.prefix(keyCount), b?.prefix(keyCount)) {
      case 0:
        if let a, let b, a != b {
          try report("-", table, text(columns, a.dropFirst(keyCount)))
          try report("+", table, text(columns, b.dropFirst(keyCount)))
        }
        (a, b) = (values(try left.next()), values(try right.next()))
      case ..<0:
        try report("-", table, text(columns, a?.dropFirst(keyCount) ?? []))
        a = values(try left.next())
      default:
        try report("+", table, text(columns, b?.dropFirst(keyCount) ?? []))
        b = values(try right.next())
      }
    }
  }

  private func isReadable(_ table: String) -> Bool {
    [first, second].allSatisfy { db in
      (try? db.makeStatement(sql: "SELECT 1 FROM \(table.quotedDatabaseIdentifier)")) != nil
    }
  }

  private func text(_ columns: [String], _ values: ArraySlice<ExactValue>) -> String {
    zip(columns, values).map { "\($0)=\($1.sql)" }.joined(separator: " ")
  }

  /// Compares keys in SQLite's binary order; a missing row comes last.
  private static func order(
    _ a: ArraySlice<ExactValue>?, _ b: ArraySlice<ExactValue>?
  ) -> Int {
    guard let a else { return b == nil ? 0 : 1 }
    guard let b else { return -1 }
    for (left, right) in zip(a, b) {
      let result = left.order(before: right)
      if result != 0 { return result }
    }
    return 0
  }
}

extension SchemaObject {
  /// Whether another one has its kind, and exactly its name.
  fileprivate func isNamed(as other: SchemaObject) -> Bool {
    kind == other.kind && name.utf8.elementsEqual(other.name.utf8)
  }
}

/// A value with the bytes of its text: two texts can be one for Swift, and differ.
private enum ExactValue: Equatable {
  case text([UInt8])
  case other(DatabaseValue)

  init(_ row: Row, _ index: Int) {
    let text = row.withUTF8(at: index) { $0.map { Array($0) } }
    self = text.map { .text($0) } ?? .other(row[index])
  }

  static func == (a: ExactValue, b: ExactValue) -> Bool {
    switch (a, b) {
    case (.text(let a), .text(let b)): a == b
    case (.other(let left), .other(let right)): a.rank == b.rank && left == right
    default: false
    }
  }

  var sql: String {
    switch self {
    case .text(let bytes): bytes.withUnsafeBufferPointer { ValueText.quoted($0) }
    case .other(let value): ValueText.sql(value)
    }
  }

  private var rank: Int {
    guard case .other(let value) = self else { return 3 }
    return switch value.storage {
    case .null: 0
    case .int64: 1
    case .double: 2
    case .string: 3
    case .blob: 4
    }
  }

  /// Less than 0 if this comes before the other in SQLite's binary order.
  func order(before other: ExactValue) -> Int {
    func sign<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a == b ? 0 : 1 }
    func sign(_ a: some Sequence<UInt8>, _ b: some Sequence<UInt8>) -> Int {
      a.elementsEqual(b) ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }
    switch (self, other) {
    case (.text(let a), .text(let b)): return sign(a, b)
    case (.other(let left), .other(let right)):
      switch (left.storage, right.storage) {
      case (.int64(let a), .int64(let b)): return sign(a, b)
      case (.double(let a), .double(let b)): return sign(a, b)
      case (.int64(let a), .double(let b)): return sign(Double(a), b)
      case (.double(let a), .int64(let b)): return sign(a, Double(b))
      case (.blob(let a), .blob(let b)): return sign(a, b)
      default: return sign(rank, other.rank)
      }
    default: return sign(rank, other.rank)
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
    try ToolError.naming(path) {
      var configuration = Configuration()
      configuration.key = key
      configuration.cipher = cipher ?? .default
      configuration.readonly = true
      return try Opening.connect(path, configuration)
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
          var diff = DatabaseDiff(first: old, second: new) { mark, table, text in
            output.line("\(mark) \(table.map { $0 + " " } ?? "")\(text)")
          }
          try diff.run()
          return diff.count
        }
      }
    }
    try output.flush()
    return count == 0 ? 0 : ToolError.Code.found.rawValue
  }
}

import CofferSQLite

/// A row of the schema.
struct SchemaEntry {
  enum Kind: String, CaseIterable {
    case table, index, view, trigger
  }

  let kind: Kind
  let name: String
  /// The table that an index or a trigger belongs to.
  let tableName: String
  /// 0 for what has no storage.
  let root: Int
  /// Nil for the indexes of constraints, and if the end of the row is lost.
  var sql: String?

  /// - Parameter record: A row of the schema, or the beginning of it.
  init?(_ record: SalvagedRecord, _ encoding: TextEncoding) {
    let fields = record.fields
    guard fields.count >= 4, fields.count <= 5,
      let kind = record.text(fields[0], encoding).flatMap(Kind.init),
      let name = record.text(fields[1], encoding),
      let tableName = record.text(fields[2], encoding)
    else { return nil }
    // Virtual tables of old versions have no number.
    let root = fields[3].isNull ? 0 : record.integer(fields[3])
    guard let root, root >= 0, root <= 0xFFFF_FFFE else { return nil }
    self.kind = kind
    self.name = name
    self.tableName = tableName
    self.root = Int(root)
    sql = fields.count == 5 ? record.text(fields[4], encoding) : nil
  }

  /// Whether the entry has a b-tree.
  var hasStorage: Bool { root > 0 && (kind == .table || kind == .index) }

  /// Whether the table keeps its rows in other tables, or elsewhere.
  var isVirtual: Bool { kind == .table && root == 0 }

  /// Whether an index belongs to a constraint, and is created with its table.
  var isAutomatic: Bool { kind == .index && name.utf8.starts(with: "sqlite_autoindex_".utf8) }

  /// Returns the encoding in which the first row of a page is a row of a schema; nil if it is none.
  static func encoding(of page: BTreePage) -> TextEncoding? {
    guard let cell = page.cells.first else { return nil }
    var record = SalvagedRecord()
    guard record.load(page.bytes, cell.local, isPartial: cell.overflow > 0) else { return nil }
    return TextEncoding.allCases.first { SchemaEntry(record, $0) != nil }
  }

  /// Whether all rows of a page look like rows of a schema.
  static func canBeSchema(_ page: BTreePage) -> Bool {
    guard let encoding = encoding(of: page) else { return false }
    var record = SalvagedRecord()
    return page.cells.allSatisfy { cell in
      record.load(page.bytes, cell.local, isPartial: cell.overflow > 0)
        && SchemaEntry(record, encoding).map { $0.isPlausible(isPartial: cell.overflow > 0) }
          == true
    }
  }

  private func isPlausible(isPartial: Bool) -> Bool {
    if isPartial { return true }
    return sql?.uppercased().hasPrefix("CREATE ") ?? isAutomatic
  }
}

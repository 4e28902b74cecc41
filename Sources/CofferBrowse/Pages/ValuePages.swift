import Coffer
import CofferDrawing
import Foundation

/// One row, and one value.
extension DatabasePages {
  /// The largest text that is shown, and the bytes of a hexadecimal part and of a picture.
  private static let limit = (text: 256 << 10, hex: 4 << 10, picture: 8 << 20, columns: 100)

  private func key(_ table: TableFacts) throws -> [DatabaseValue] {
    let key = try remembered("key")
    guard !key.isEmpty, key.count == table.key.count else {
      throw BrowseError.missing("The address names no row of this table.")
    }
    return key
  }

  private static let goneRow = BrowseError.missing(
    "There is no such row. It may have been deleted.")

  func rowPage() throws -> HTTPResponse {
    try store.read { db, reader in
      let table = try TableFacts(request["name"], db)
      let key = try self.key(table)
      let first = request.number("columns")
      let columns = table.columns.dropFirst(first).prefix(Self.limit.columns)
      let query = RowsQuery(table: table, columns: columns, conditions: [table.row(key)], count: 1)
      guard let values = try query.fetch(db).rows.first?.values else { throw Self.goneRow }
      let referring = try self.referring(table, key, db, reader)
      return page("\(table.name) \(keyText(key))", "Overview") {
        HTML.element("p") { link("All rows of \(table.name)", tableAddress(table.name)) }
        facts("Values", live: "row") {
          for (column, value) in zip(columns, values) {
            row(link(column.name, cellAddress(table, key, column)), key: column.name) {
              cell(shown(value, of: column, in: table, key: key), class: value.cellClass)
            }
          }
        }
        columnPages(table, from: first, by: Self.limit.columns)
        if !table.references.isEmpty || !referring.isEmpty {
          HTML.element("h2") { "Related rows" }
          HTML.element("ul", ["data-live": "related"]) {
            for reference in table.references {
              if let values = exactValues(reference.originColumns, table, key, db) {
                HTML.element("li") {
                  "Refers to "
                  related(reference.destination, reference, reference.destinationColumns, values)
                }
              }
            }
            for (reference, values, count) in referring {
              HTML.element("li") {
                related(reference.origin, reference, reference.originColumns, values)
                ": \(count?.words ?? "not counted")"
              }
            }
          }
        }
      }
    }
  }

  private func related(
    _ table: String, _ reference: TableFacts.Reference, _ columns: [String],
    _ values: [DatabaseValue]
  ) -> HTML {
    link(
      "\(table) by \(reference.originColumns.joined(separator: ", "))",
      address(of: table, columns, values))
  }

  /// The exact values of columns of a row, or nil if one is NULL or large.
  private func exactValues(
    _ columns: [String], _ table: TableFacts, _ key: [DatabaseValue], _ db: Database
  ) -> [DatabaseValue]? {
    let list = columns.map { ShownValue.bounded($0) }.joined(separator: ", ")
    let request = SQLRequest<Row>(
      literal: "SELECT \(list) FROM \(identifier: table.name) WHERE \(table.row(key))")
    guard let row = try? request.fetchOne(db) else { return nil }
    let values = columns.indices.map { row[$0] as DatabaseValue }
    return values.contains { $0.isNull || $0 == ShownValue.tooLarge } ? nil : values
  }

  /// The foreign keys that lead to a row, with its values, and how many rows have them.
  private func referring(
    _ table: TableFacts, _ key: [DatabaseValue], _ db: Database, _ reader: Reader
  ) throws -> [(reference: TableFacts.Reference, values: [DatabaseValue], count: RowCount?)] {
    let end = ContinuousClock.now + .milliseconds(200)
    return try incomingReferences(table, db).prefix(100).compactMap { reference in
      guard let values = exactValues(reference.destinationColumns, table, key, db) else {
        return nil
      }
      // Without an index on them, the columns are looked for in the whole table.
      let same = SQL(reference.originColumns, equal: values)
      let count = try RowCount(
        of: "\(identifier: reference.origin) WHERE \(same)", limit: 10_000, within: end - .now, db,
        reader)
      return (reference, values, count)
    }
  }

  // MARK: One value

  /// Bytes of a text or blob, and its size; of other values neither.
  private struct Part {
    var value: ShownValue
    var data = Data()
    var size = 0
  }

  /// Reads a part of a text or blob; of a large one only that part, where the table has rowids.
  private func part(
    _ range: Range<Int>, _ table: TableFacts, _ key: [DatabaseValue], _ column: ColumnInfo,
    _ db: Database
  ) throws -> Part {
    func read(_ selection: SQL) throws -> Row {
      let request = SQLRequest<Row>(
        literal: "SELECT \(selection) FROM \(identifier: table.name) WHERE \(table.row(key))")
      guard let row = try request.fetchOne(db) else { throw Self.goneRow }
      return row
    }
    let value = ShownValue(try read(ShownValue.selection(column.name)), at: 0)
    guard value.type == "text" || value.type == "blob" else { return Part(value: value) }
    // A text in UTF-16 is read by SQLite, which converts it.
    if table.isRowID, let rowID = Int64.fromDatabaseValue(key[0]),
      try value.type == "blob" || String.fetchOne(db, sql: "PRAGMA encoding") == "UTF-8",
      let (data, size) = try? db.partOfValue(
        in: table.name, column: column.name, rowID: rowID, range: range)
    {
      return Part(value: value, data: data, size: size)
    }
    guard value.size ?? 0 <= 8 << 20 else {
      throw BrowseError.refused(
        "The value is too large to be shown: its table has no rowids. Use coffer query for it.")
    }
    let blob: SQL = "CAST(\(identifier: column.name) AS BLOB)"
    let row = try read(
      "substr(\(blob), \(range.lowerBound + 1), \(range.count)), length(\(blob))")
    return Part(value: value, data: row[0] as Data? ?? Data(), size: row[1])
  }

  private func target(
    _ db: Database
  ) throws -> (table: TableFacts, key: [DatabaseValue], column: ColumnInfo) {
    let table = try TableFacts(request["name"], db)
    guard let column = table.column(request["column"]) else {
      throw BrowseError.missing("The table has no such column.")
    }
    return (table, try key(table), column)
  }

  func cellPage() throws -> HTTPResponse {
    try store.read { db, _ in
      let (table, key, column) = try target(db)
      let offset = request.number("offset") / 16 * 16
      let isText = request["offset"] == nil
      let length = isText ? Self.limit.text : Self.limit.hex
      let part = try self.part(offset..<offset + length, table, key, column, db)
      let type = part.value.type
      let text = type == "text" && isText ? String(decoding: part.data, as: UTF8.self) : nil
      let isHex = type == "blob" || type == "text" && !isText
      func bytes(at offset: Int) -> String { here(["offset": "\(offset)"]) }
      return page("\(table.name).\(column.name)", "Overview") {
        HTML.element("p") {
          link("Row \(keyText(key))", rowAddress(table, key))
          ": \(type)"
          if part.size > 0 { ", \(Numbers.size(part.size))" }
        }
        HTML.element("div", ["data-live": "value"]) {
          if type == "blob", offset == 0, Bytes.pictureType(part.data) != nil {
            if part.size <= Self.limit.picture {
              let address = address(
                "picture", ["name": table.name, "key": request["key"], "column": column.name])
              HTML.element("img", ["src": address, "alt": "The picture in \(column.name)"])
            } else {
              notice("The picture is too large to be shown.")
            }
          }
          if let text {
            if part.size <= Self.limit.text { JSONTree.draw(text, db) }
            HTML.element("pre") { text }
            if part.size > Self.limit.text {
              HTML.element("p", ["class": "notice"]) {
                "This is the first \(Numbers.size(Self.limit.text)). "
                link("Its bytes", bytes(at: 0))
              }
            }
          } else if isHex {
            HTML.element("pre", ["class": "hex", "tabindex": "0"]) {
              Bytes.hexadecimal(part.data.prefix(Self.limit.hex), from: offset)
            }
          } else {
            HTML.element("p", ["class": part.value.cellClass]) { part.value.text.text }
          }
        }
        if isHex, part.size > Self.limit.hex {
          let last = (part.size - 1) / Self.limit.hex * Self.limit.hex
          pages([
            ("first", offset > 0 ? bytes(at: 0) : nil),
            ("previous", offset > 0 ? bytes(at: max(0, offset - Self.limit.hex)) : nil),
            ("next", offset < last ? bytes(at: offset + Self.limit.hex) : nil),
            ("last", offset < last ? bytes(at: last) : nil),
          ])
        }
      }
    }
  }

  func picture() throws -> HTTPResponse {
    try store.read { db, _ in
      let (table, key, column) = try target(db)
      let part = try self.part(0..<Self.limit.picture, table, key, column, db)
      guard part.value.type == "blob", part.size <= Self.limit.picture,
        let type = Bytes.pictureType(part.data)
      else { throw BrowseError.missing("The value is no picture.") }
      return .bytes(Array(part.data), type)
    }
  }
}

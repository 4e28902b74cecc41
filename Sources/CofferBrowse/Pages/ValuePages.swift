import Coffer
import CofferDrawing
import Foundation

/// One row, and one value.
extension PageMaker {
  /// The largest text that is shown, and the bytes of a hexadecimal part and of a picture.
  private static let limit = (text: 256 << 10, hex: 4 << 10, picture: 8 << 20, columns: 100)

  private func key(_ table: TableFacts) throws -> [DatabaseValue] {
    let key = try request["key"].map { try site.remembered.values($0) } ?? []
    guard !key.isEmpty, key.count == table.key.count else {
      throw BrowseError.missing("The address names no row of this table.")
    }
    return key
  }

  private static let goneRow = BrowseError.missing(
    "There is no such row. It may have been deleted.")

  func rowPage() throws -> HTTPResponse {
    try store.read { db, reader in
      let table = try store.schema.table(request["name"], db)
      let key = try self.key(table)
      let start = request.number("columns") ?? 0
      let columns = table.columns.dropFirst(start).prefix(Self.limit.columns)
      var query = RowsQuery(
        table: table, columns: columns, conditions: [(table.keyCondition, key)], count: 1,
        knowsTextSizes: ShownValue.knowsTextSizes(db))
      query.sort = nil
      guard let row = try query.fetch(.first, db).rows.first else { throw Self.goneRow }
      let referring = try self.referring(table, key, db, reader)
      return page("\(table.name) \(keyText(key))", .overview) {
        HTML.element("p") { link("All rows of \(table.name)", tableAddress(table.name)) }
        HTML.element("table", ["class": "facts"]) {
          HTML.element("caption") { "Values" }
          HTML.element("tbody", ["data-live": "row"]) {
            for (column, value) in zip(columns, row.values) {
              HTML.element("tr", ["data-key": column.name]) {
                HTML.element("th", ["scope": "row"]) {
                  link(column.name, cellAddress(table, key, column))
                }
                HTML.element("td", ["class": value.cellClass]) {
                  shown(value, of: column, in: table, key: key)
                }
              }
            }
          }
        }
        if start + columns.count < table.columns.count || start > 0 {
          pages(
            [
              (
                "earlier columns",
                start > 0 ? columnsAddress(table, start - Self.limit.columns) : nil,
                nil
              ),
              (
                "later columns",
                start + columns.count < table.columns.count
                  ? columnsAddress(table, start + columns.count) : nil, nil
              ),
            ], "Columns")
        }
        if !table.references.isEmpty || !referring.isEmpty {
          HTML.element("h2") { "Related rows" }
          HTML.element("ul", ["data-live": "related"]) {
            for target in referredTo(table, key, db) {
              HTML.element("li") {
                "Refers to "
                link("\(target.table) by \(target.columns)", target.address)
              }
            }
            for origin in referring {
              HTML.element("li") {
                link("\(origin.table) by \(origin.columns)", origin.address)
                ": \(origin.count)"
              }
            }
          }
        }
      }
    }
  }

  private func columnsAddress(_ table: TableFacts, _ start: Int) -> String {
    place.address(
      "row", ["name": table.name, "key": request["key"], "columns": "\(max(0, start))"])
  }

  private typealias RelatedRows = (table: String, columns: String, address: String, count: String)

  /// The exact values of columns of a row, or nil if one is NULL.
  private func values(
    _ columns: [String], _ table: TableFacts, _ key: [DatabaseValue], _ db: Database
  ) -> [DatabaseValue]? {
    let knowsTextSizes = ShownValue.knowsTextSizes(db)
    let list = columns.map { ShownValue.bounded($0, knowsTextSizes) }.joined(separator: ", ")
    let row = try? Row.fetchOne(
      db, sql: "SELECT \(list) FROM \(table.quoted) WHERE \(table.keyCondition)",
      arguments: StatementArguments(key))
    guard let row else { return nil }
    let values = columns.indices.map { row[$0] as DatabaseValue }
    return values.contains { $0.isNull || $0 == ShownValue.tooLarge } ? nil : values
  }

  private func referredTo(
    _ table: TableFacts, _ key: [DatabaseValue], _ db: Database
  ) -> [RelatedRows] {
    table.references.compactMap { reference in
      guard let values = values(reference.originColumns, table, key, db) else { return nil }
      return (
        reference.destination, reference.originColumns.joined(separator: ", "),
        address(of: reference.destination, reference.destinationColumns, values), ""
      )
    }
  }

  /// The rows of other tables that refer to this one.
  private func referring(
    _ table: TableFacts, _ key: [DatabaseValue], _ db: Database, _ reader: Reader
  ) throws -> [RelatedRows] {
    let end = ContinuousClock.now + .milliseconds(200)
    return try incomingReferences(table, db).prefix(100).compactMap { reference in
      guard let values = values(reference.destinationColumns, table, key, db) else { return nil }
      let conditions = zip(reference.originColumns, values).map {
        Condition(column: $0, comparison: .equal, value: $1).sql
      }
      let rest = end - ContinuousClock.now
      let filter = conditions.map(\.sql).joined(separator: " AND ")
      // Without an index on them, the columns are looked for in the whole table.
      let count =
        rest > .zero
        ? try db.count(
          "\(reference.origin.quotedDatabaseIdentifier) WHERE \(filter)",
          StatementArguments(conditions.flatMap(\.arguments)), limit: 10_000, within: rest, reader)
        : nil
      return (
        reference.origin, reference.originColumns.joined(separator: ", "),
        address(of: reference.origin, reference.originColumns, values),
        count.map { "\($0.text) \($0.number == 1 ? "row" : "rows")" } ?? "not counted"
      )
    }
  }

  // MARK: One value

  /// Bytes of a value, and its size.
  private struct Part {
    var type: String
    var size: Int
    var data: Data
    /// The value of a number, or NULL.
    var value: DatabaseValue
  }

  /// Reads a part of a text or blob; of a large one only that part, where the table has rowids.
  private func part(
    _ range: Range<Int>, _ table: TableFacts, _ key: [DatabaseValue], _ column: ColumnInfo,
    _ db: Database
  ) throws -> Part {
    let name = column.name.quotedDatabaseIdentifier
    let knowsTextSizes = ShownValue.knowsTextSizes(db)
    let shown = ShownValue.selection(column.name, knowsTextSizes)
    let filter = " FROM \(table.quoted) WHERE \(table.keyCondition)"
    guard
      let row = try Row.fetchOne(
        db, sql: "SELECT \(shown.joined(separator: ", "))" + filter,
        arguments: StatementArguments(key))
    else { throw Self.goneRow }
    let value = ShownValue(row, at: 0)
    guard value.type == "text" || value.type == "blob" else {
      return Part(type: value.type, size: 0, data: Data(), value: value.value)
    }
    // A text in UTF-16 is read by SQLite, which converts it.
    if table.hasParts, let rowID = Int64.fromDatabaseValue(key[0]),
      try value.type == "blob" || String.fetchOne(db, sql: "PRAGMA encoding") == "UTF-8",
      let (data, size) = try? db.partOfValue(
        in: table.name, column: column.name, rowID: rowID, range: range)
    {
      return Part(type: value.type, size: size, data: data, value: .null)
    }
    guard value.size.map({ $0 <= 32 << 20 }) ?? true else {
      throw BrowseError.refused("The value is too large to be shown: its table has no rowids.")
    }
    let whole = try Row.fetchOne(
      db,
      sql: "SELECT substr(CAST(\(name) AS BLOB), ?, ?), length(CAST(\(name) AS BLOB))" + filter,
      arguments: StatementArguments(
        [(range.lowerBound + 1).databaseValue, range.count.databaseValue] + key))
    return Part(
      type: value.type, size: whole?[1] ?? 0, data: whole?[0] as Data? ?? Data(), value: .null)
  }

  private func target(
    _ db: Database
  ) throws -> (table: TableFacts, key: [DatabaseValue], column: ColumnInfo) {
    let table = try store.schema.table(request["name"], db)
    guard let column = table.column(request["column"]) else {
      throw BrowseError.missing("The table has no such column.")
    }
    return (table, try key(table), column)
  }

  func cellPage() throws -> HTTPResponse {
    try store.read { db, _ in
      let (table, key, column) = try target(db)
      let offset = (request.number("offset") ?? 0) / 16 * 16
      let isText = request["offset"] == nil
      let part = try self.part(
        offset..<(offset + (isText ? Self.limit.text : Self.limit.hex)), table, key, column, db)
      let text = part.type == "text" && isText ? String(decoding: part.data, as: UTF8.self) : nil
      let tree = text.flatMap { text in
        part.size <= Self.limit.text && ["{", "["].contains(text.first { !$0.isWhitespace })
          ? JSONTree.draw(text, db) : nil
      }
      let pictureType = part.type == "blob" && offset == 0 ? Self.pictureType(part.data) : nil
      func address(_ path: String, _ offset: Int? = nil) -> String {
        place.address(
          path,
          [
            "name": table.name, "key": request["key"], "column": column.name,
            "offset": offset.map { "\($0)" },
          ])
      }
      return page("\(table.name).\(column.name)", .overview) {
        HTML.element("p") {
          link("Row \(keyText(key))", rowAddress(table, key))
          ": \(part.type)"
          if part.size > 0 { ", \(Numbers.size(part.size))" }
        }
        HTML.element("div", ["data-live": "value"]) {
          if part.type == "null" {
            HTML.element("p", ["class": "null"]) { "NULL" }
          } else if part.type == "integer" || part.type == "real" {
            HTML.element("p", ["class": "number"]) { ShownValue(part.value).text.text }
          }
          if pictureType != nil {
            if part.size <= Self.limit.picture {
              HTML.element(
                "img", ["src": address("picture"), "alt": "The picture in \(column.name)"])
            } else {
              HTML.element("p", ["class": "notice"]) { "The picture is too large to be shown." }
            }
          }
          if let tree { tree }
          if let text { HTML.element("pre") { text } }
          if text != nil, part.size > Self.limit.text {
            HTML.element("p", ["class": "notice"]) {
              "This is the first \(Numbers.size(Self.limit.text)). "
              link("Its bytes", address("cell", 0))
            }
          }
          if part.type == "blob" || part.type == "text" && !isText {
            HTML.element("pre", ["class": "hex", "tabindex": "0"]) {
              Self.hexadecimal(part.data.prefix(Self.limit.hex), from: offset)
            }
          }
        }
        if part.type == "blob" || part.type == "text" && !isText, part.size > Self.limit.hex {
          let last = (part.size - 1) / Self.limit.hex * Self.limit.hex
          pages([
            ("first", offset > 0 ? address("cell", 0) : nil, nil),
            (
              "previous", offset > 0 ? address("cell", max(0, offset - Self.limit.hex)) : nil,
              "prev"
            ),
            ("next", offset < last ? address("cell", offset + Self.limit.hex) : nil, "next"),
            ("last", offset < last ? address("cell", last) : nil, nil),
          ])
        }
      }
    }
  }

  /// Addresses, bytes and letters, sixteen bytes a line.
  private static func hexadecimal(_ data: Data, from offset: Int) -> String {
    let bytes = Array(data)
    func digits(_ number: Int, _ count: Int) -> String {
      let text = String(number, radix: 16)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    return stride(from: 0, to: bytes.count, by: 16).map { start in
      let line = bytes[start..<min(start + 16, bytes.count)]
      let hex = line.map { digits(Int($0), 2) }.joined(separator: " ")
      let letters = line.map { (32..<127).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
      let gap = String(repeating: " ", count: max(0, 47 - hex.utf8.count))
      return "\(digits(offset + start, 8))  \(hex)\(gap)  \(letters)"
    }.joined(separator: "\n")
  }

  /// The type of a picture by its first bytes. SVG isn't one: it can have scripts.
  private static func pictureType(_ data: Data) -> String? {
    let bytes = Array(data.prefix(12))
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if bytes.starts(with: Array("GIF8".utf8)) { return "image/gif" }
    if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).elementsEqual("WEBP".utf8) {
      return "image/webp"
    }
    return nil
  }

  func picture() throws -> HTTPResponse {
    try store.read { db, _ in
      let (table, key, column) = try target(db)
      let part = try self.part(0..<Self.limit.picture, table, key, column, db)
      guard part.type == "blob", part.size <= Self.limit.picture,
        let type = Self.pictureType(part.data)
      else { throw BrowseError.missing("The value is no picture.") }
      return HTTPResponse(
        headers: [("Content-Type", type)], body: .bytes(Array(part.data)))
    }
  }
}

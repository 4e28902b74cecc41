import CofferVault
import FoundationEssentials

/// A human-readable format with a line per row and unquoted values.
///
/// Blobs are written as text if they are valid UTF-8, as a UUID if they have 16 bytes, and
/// otherwise as `X'0A0B'`.
///
/// The format can change: don't parse it.
public struct DebugDumpFormat: DumpFormat, Sendable {
  /// Whether the column names come first.
  ///
  /// They are omitted if there are no rows.
  public var header: Bool
  /// The separator between two values.
  public var separator: String
  /// The text for NULL.
  public var nullValue: String

  private var hasRows = false

  /// Creates a human-readable format.
  public init(header: Bool = false, separator: String = "|", nullValue: String = "") {
    self.header = header
    self.separator = separator
    self.nullValue = nullValue
  }

  /// Writes a row as a line.
  public mutating func writeRow(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    if header, !hasRows { stream.writeLine(statement.columnNames, separator: separator) }
    hasRows = true
    stream.writeLine(statement.currentValues.map(text), separator: separator)
  }

  /// Prepares for the next statement.
  public mutating func finalize(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    hasRows = false
  }

  private func text(_ value: DatabaseValue) -> String {
    guard case .blob(let data) = value.storage else { return value.dumpedText(null: nullValue) }
    if let text = String(validating: data, as: UTF8.self) { return text }
    if data.count == 16, let uuid = UUID.fromDatabaseValue(value) { return uuid.uuidString }
    return data.hexadecimalLiteral
  }
}

extension DumpFormat where Self == DebugDumpFormat {
  /// A human-readable format with a line per row.
  ///
  /// See ``DebugDumpFormat``.
  public static func debug(
    header: Bool = false, separator: String = "|", nullValue: String = ""
  ) -> Self {
    DebugDumpFormat(header: header, separator: separator, nullValue: nullValue)
  }
}

extension DatabaseValue {
  /// Returns the value as text; invalid UTF-8 in a blob becomes U+FFFD.
  func dumpedText(null: String) -> String {
    switch storage {
    case .null: null
    case .int64(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): value
    case .blob(let data): String(decoding: data, as: UTF8.self)
    }
  }
}

extension Data {
  /// The bytes as an SQL literal: `X'0A0B'`.
  var hexadecimalLiteral: String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(count * 2)
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return "X'\(String(decoding: text, as: UTF8.self))'"
  }
}

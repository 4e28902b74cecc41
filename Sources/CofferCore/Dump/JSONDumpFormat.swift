import FoundationEssentials

/// An array of objects per statement, with the columns in their order; blobs
/// as base64.
///
/// Two columns of one name make two members of one name.
public struct JSONDumpFormat: DumpFormat, Sendable {
  /// A new encoder, as this format uses it where none is given: infinities are
  /// the strings "inf" and "-inf", slashes stay as they are.
  public static var defaultEncoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }

  /// What encodes the values. Of its output formatting, `.prettyPrinted` puts
  /// each column on its own line, and `.sortedKeys` means nothing.
  public var encoder: JSONEncoder

  private var hasRows = false

  /// An array of objects per statement.
  /// - Parameter encoder: What encodes the values; nil for ``defaultEncoder``.
  public init(encoder: JSONEncoder? = nil) { self.encoder = encoder ?? Self.defaultEncoder }

  /// Writes an object.
  ///
  /// - Throws: What the encoder throws.
  public mutating func writeRow(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) throws {
    let isPretty = encoder.outputFormatting.contains(.prettyPrinted)
    stream.write(hasRows ? ",\n" : isPretty ? "[\n" : "[")
    hasRows = true
    let members = try zip(statement.columnNames, statement.currentValues).map { name, value in
      "\(try json(name)):\(try json(value))"
    }
    if isPretty {
      stream.write("  {\n" + members.map { "    \($0)" }.joined(separator: ",\n") + "\n  }")
    } else {
      stream.write("{" + members.joined(separator: ",") + "}")
    }
  }

  /// Ends the array; an empty one where a statement that has columns gave no row.
  public mutating func finalize(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    if hasRows {
      stream.write(encoder.outputFormatting.contains(.prettyPrinted) ? "\n]\n" : "]\n")
    } else if statement.columnCount > 0 {
      stream.write("[]\n")
    }
    hasRows = false
  }

  private func json(_ value: some Encodable) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func json(_ value: DatabaseValue) throws -> String {
    switch value.storage {
    case .null: "null"
    case .int64(let value): try json(value)
    case .double(let value): try json(value)
    case .string(let value): try json(value)
    case .blob(let data): try json(data)
    }
  }
}

extension DumpFormat where Self == JSONDumpFormat {
  /// An array of objects per statement; see ``JSONDumpFormat``.
  public static func json(encoder: JSONEncoder? = nil) -> Self {
    JSONDumpFormat(encoder: encoder)
  }
}

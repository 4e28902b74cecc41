import CofferVault
import FoundationEssentials

/// A format with one JSON array of objects per statement.
///
/// The members of an object are in column order. Blobs are written as base64.
///
/// Two columns of the same name become two members of the same name.
public struct JSONDumpFormat: DumpFormat, Sendable {
  /// A new encoder with the default settings of this format.
  ///
  /// Infinities become the strings "inf" and "-inf", and slashes are not escaped.
  public static var defaultEncoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }

  /// The encoder of the values.
  ///
  /// With `.prettyPrinted` in its output formatting, each column has a line; `.sortedKeys` has no
  /// effect.
  public var encoder: JSONEncoder

  private var hasRows = false

  /// Creates a JSON format.
  /// - Parameter encoder: The encoder of the values; nil for ``defaultEncoder``.
  public init(encoder: JSONEncoder? = nil) { self.encoder = encoder ?? Self.defaultEncoder }

  /// Writes a row as an object.
  ///
  /// - Throws: The encoder's error.
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

  /// Ends the array.
  ///
  /// Writes an empty array if a statement with columns returned no rows.
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
  /// A format with one JSON array of objects per statement.
  ///
  /// See ``JSONDumpFormat``.
  public static func json(encoder: JSONEncoder? = nil) -> Self {
    JSONDumpFormat(encoder: encoder)
  }
}

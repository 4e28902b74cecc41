import CofferCore

/// A path, label or index in JSON, written as a literal.
///
/// SQLite uses an index on an expression only if the query contains the same text; a `?` doesn't
/// match, whatever its value.
struct JSONPath: SQLNode {
  private let literal: String

  /// Creates a literal path; nil if it doesn't look like a name in a program.
  ///
  /// It could be data then, which must not appear in logged SQL.
  private init?(_ value: DatabaseValue) {
    switch value.storage {
    case .int64: break
    case .string(let text):
      guard text.utf8.count <= 100, text.utf8.allSatisfy(JSONPath.isPlain) else { return nil }
    default: return nil
    }
    literal = value.sqlLiteral
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: "$"), UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: "#"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  func render(into renderer: inout SQLRenderer) { renderer.append(literal) }

  func describe(in shape: inout QueryShape) {
    shape.append(.path)
    shape.append(literal)
  }

  /// Returns the path as a literal if possible, or else the expression.
  static func expression(_ path: some SQLExpressible) -> SQLExpression {
    let expression = path.sqlExpression
    guard let value = expression.value, let path = JSONPath(value) else { return expression }
    return SQLExpression(node: path)
  }
}

import CofferCore

/// A path, label or index in JSON that is written out.
///
/// SQLite finds an index of an expression only where the query repeats the expression word for word:
/// `?` is no such word, whatever its value is.
struct JSONPath: SQLNode {
  private let literal: String

  /// - Returns: Nil for what isn't the name of something in a program: it may be data, which SQL
  ///   that reaches logs must not show.
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

  /// The path written out where it can be; otherwise the expression.
  static func expression(_ path: some SQLExpressible) -> SQLExpression {
    let expression = path.sqlExpression
    guard let value = expression.value, let path = JSONPath(value) else { return expression }
    return SQLExpression(node: path)
  }
}

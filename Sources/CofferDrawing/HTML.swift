import Foundation

/// Markup in which every value is text.
///
/// Values of attributes and texts are escaped where they enter, and names of elements and of
/// attributes are literals of this program, so that nothing from a database can become markup.
/// Elements of SVG are made in the same way.
///
/// ```swift
/// HTML.element("a", ["href": link, "title": nil]) {
///   name
///   HTML.element("br")
/// }
/// ```
package struct HTML: Sendable {
  /// UTF-8.
  package private(set) var bytes: [UInt8] = []

  /// Nothing.
  init() {}

  /// A text as it is shown.
  package static func text(_ value: String) -> HTML {
    var html = HTML()
    html.escape(value)
    return html
  }

  /// An element with its content.
  ///
  /// - Parameter attributes: one that is nil is left out, and an empty text is one without a value.
  package static func element(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:],
    @HTMLBuilder _ content: () throws -> HTML
  ) rethrows -> HTML {
    var html = HTML()
    html.begin(name, attributes)
    if voidElements.contains(name.description) { return html }
    html.bytes += try content().bytes
    html.bytes += "</".utf8
    html.bytes += name.description.utf8
    html.bytes.append(UInt8(ascii: ">"))
    return html
  }

  /// An element without content.
  package static func element(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:]
  ) -> HTML {
    element(name, attributes) { HTML() }
  }

  /// The address of a page, with fields behind a question mark.
  package static func address(_ path: String, _ fields: [(String, String)]) -> String {
    func escaped(_ text: String) -> String {
      let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
      let allowed = CharacterSet(charactersIn: letters)
      return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }
    let pairs = fields.map { escaped($0) + "=" + escaped($1) }
    return path + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
  }

  /// A whole page: the document type, then `root`.
  package static func document(_ root: HTML) -> HTML {
    var html = HTML()
    html.bytes = Array("<!doctype html>\n".utf8) + root.bytes
    return html
  }

  /// The markup as text.
  func render() -> String { String(decoding: bytes, as: UTF8.self) }

  mutating func append(_ other: HTML) { bytes += other.bytes }

  private mutating func begin(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?>
  ) {
    bytes.append(UInt8(ascii: "<"))
    bytes += name.description.utf8
    for (attribute, value) in attributes {
      guard let value else { continue }
      bytes.append(UInt8(ascii: " "))
      bytes += attribute.description.utf8
      if value.isEmpty { continue }
      bytes += "=\"".utf8
      escape(value)
      bytes.append(UInt8(ascii: "\""))
    }
    bytes.append(UInt8(ascii: ">"))
  }

  private mutating func escape(_ value: String) {
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      // A parser of HTML replaces these or drops them, and XML has none of them.
      case 0..<9, 11, 12, 14..<32, 127: bytes += "\u{FFFD}".utf8
      default: bytes.append(byte)
      }
    }
  }

  private static let voidElements: Set<String> = [
    "br", "col", "hr", "img", "input", "link", "meta", "wbr",
  ]
}

extension HTML: ExpressibleByStringLiteral {
  /// A text as it is shown.
  package init(stringLiteral value: String) { self = .text(value) }
}

/// Builds `HTML` from elements, texts, conditions and loops.
@resultBuilder
package enum HTMLBuilder {
  package static func buildExpression(_ html: HTML) -> HTML { html }
  /// A text is escaped.
  package static func buildExpression(_ text: String) -> HTML { .text(text) }
  package static func buildExpression(_ html: HTML?) -> HTML { html ?? HTML() }
  package static func buildBlock(_ parts: HTML...) -> HTML { joined(parts) }
  package static func buildArray(_ parts: [HTML]) -> HTML { joined(parts) }
  package static func buildOptional(_ part: HTML?) -> HTML { part ?? HTML() }
  package static func buildEither(first part: HTML) -> HTML { part }
  package static func buildEither(second part: HTML) -> HTML { part }

  private static func joined(_ parts: [HTML]) -> HTML {
    parts.reduce(into: HTML()) { $0.append($1) }
  }
}

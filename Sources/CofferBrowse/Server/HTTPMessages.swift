import CofferDrawing
import Foundation

/// What a browser asks for.
struct HTTPRequest: Sendable {
  var method: String
  /// Without its escapes, and without what follows the question mark.
  var path: String
  /// What follows the question mark; of a name that is there twice, the last.
  var query: [String: String] = [:]
  /// By names in lower case.
  var headers: [String: String] = [:]
  var cookies: [String: String] = [:]
  /// The fields of a form.
  var form: [String: String] = [:]

  /// A field of the form, or else of the address; an empty one counts as missing.
  subscript(_ name: String) -> String? {
    (form[name] ?? query[name]).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A number of a field, from 0 on, so small that one can calculate with it; 0 if there is none.
  func number(_ name: String) -> Int { min(max(0, self[name].flatMap { Int($0) } ?? 0), 1 << 40) }

  /// The fields of `application/x-www-form-urlencoded`.
  static func fields(of body: [UInt8]) -> [String: String] {
    let pairs = String(decoding: body, as: UTF8.self).split(separator: "&").map { pair in
      pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.replacing("+", with: " ").removingPercentEncoding ?? "" }
    }
    return Dictionary(pairs.map { ($0[0], $0.count == 2 ? $0[1] : "") }) { $1 }
  }
}

/// What a browser gets.
struct HTTPResponse: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    case stream(BodyStream)
  }

  var status = 200
  var headers: [(name: String, value: String)] = []
  var body = Body.bytes([])

  /// Markup and texts are in UTF-8.
  static func bytes(_ bytes: [UInt8], _ type: String, status: Int = 200) -> HTTPResponse {
    let charset = type.hasPrefix("text/") ? "; charset=utf-8" : ""
    return HTTPResponse(
      status: status, headers: [("Content-Type", type + charset)], body: .bytes(bytes))
  }

  static func page(_ page: HTML, status: Int = 200) -> HTTPResponse {
    .bytes(page.bytes, "text/html", status: status)
  }

  static func text(_ text: String, status: Int) -> HTTPResponse {
    .bytes(Array(text.utf8), "text/plain", status: status)
  }

  /// Sends the browser to another page.
  static func redirect(to address: String) -> HTTPResponse {
    HTTPResponse(status: 303, headers: [("Location", address)])
  }

  /// What every response has: nothing is kept, and a page loads nothing but its own parts.
  static let commonHeaders: [(name: String, value: String)] = [
    ("Cache-Control", "no-store"),
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    // One request each, so that the time for it is that of its connection.
    ("Connection", "close"),
  ]
}

/// A body that is made while it is sent.
final class BodyStream: Sendable {
  /// The next bytes, at most as many as asked for, on the connection's thread; none at the end.
  ///
  /// An error ends the connection: the browser sees that something is missing.
  let next: @Sendable (Int) throws -> [UInt8]
  /// Called once: at the end, or after the browser has gone.
  let close: @Sendable () -> Void

  init(next: @escaping @Sendable (Int) throws -> [UInt8], close: @escaping @Sendable () -> Void) {
    (self.next, self.close) = (next, close)
  }
}

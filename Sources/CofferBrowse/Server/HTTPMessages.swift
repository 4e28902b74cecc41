import CofferDrawing

/// What a browser asks for.
struct HTTPRequest: Sendable {
  var method: String
  /// Without its escapes, and without what follows the question mark.
  var path: String
  /// What follows the question mark; of a name that is there twice, the last.
  var query: [String: String] = [:]
  /// By names in lower case.
  var headers: [String: String] = [:]
  /// The fields of a form.
  var form: [String: String] = [:]

  /// A field of the form, or else of the address; an empty one counts as missing.
  subscript(_ name: String) -> String? {
    (form[name] ?? query[name]).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A number of a field, from 0 on, and so small that one can calculate with it.
  func number(_ name: String) -> Int? {
    self[name].flatMap { Int($0) }.map { min(max(0, $0), 1 << 40) }
  }

  /// The fields of `application/x-www-form-urlencoded`.
  static func fields(of body: [UInt8]) -> [String: String] {
    func decoded(_ text: Substring) -> String {
      var bytes: [UInt8] = []
      var rest = text.utf8[...]
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%"), let value = UInt8(hex: rest.prefix(2)) {
          bytes.append(value)
          rest = rest.dropFirst(2)
        } else {
          bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    }
    var fields: [String: String] = [:]
    for pair in String(decoding: body, as: UTF8.self).split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      fields[decoded(parts[0])] = parts.count == 2 ? decoded(parts[1]) : ""
    }
    return fields
  }
}

extension UInt8 {
  /// The value of two hexadecimal digits.
  fileprivate init?(hex digits: Substring.UTF8View) {
    guard digits.count == 2, digits.allSatisfy({ $0 != UInt8(ascii: "+") }),
      let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    else { return nil }
    self = value
  }
}

/// What a browser gets.
struct HTTPResponse: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    case stream(any BodyStream)
  }

  var status = 200
  var headers: [(name: String, value: String)] = []
  var body = Body.bytes([])

  static func page(_ page: HTML, status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: [("Content-Type", "text/html; charset=utf-8")],
      body: .bytes(page.bytes))
  }

  static func text(_ text: String, status: Int = 200) -> HTTPResponse {
    self.text(Array(text.utf8), type: "text/plain", status: status)
  }

  /// A text in UTF-8.
  static func text(_ bytes: [UInt8], type: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: [("Content-Type", type + "; charset=utf-8")], body: .bytes(bytes))
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
protocol BodyStream: AnyObject, Sendable {
  /// The next bytes, at most `count` and at least one, on the connection's thread; nil at the end.
  ///
  /// - Throws: An error that ends the connection: the browser sees that something is missing.
  func next(_ count: Int) throws -> [UInt8]?
  /// Called once: at the end, or after the browser has gone.
  func close()
}

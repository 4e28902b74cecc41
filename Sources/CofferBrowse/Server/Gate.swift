import Synchronization

/// Decides who gets a page: the person who has the address that was printed, in one browser.
final class Gate: Sendable {
  /// In the printed address; worth nothing once it was used.
  let token = Gate.secret()
  /// The cookie's value.
  private let cookie = Gate.secret()
  /// A field of all forms.
  let formToken = Gate.secret()
  /// Where all pages are, with slashes at both ends.
  ///
  /// A browser sends the cookies of a host to all its ports, and with them to servers of others,
  /// but only for the cookie's path.
  let base = "/" + Gate.secret(byteCount: 16) + "/"
  private let wasTokenUsed = Mutex(false)

  /// 256 random bits in hexadecimal digits, of the system's generator.
  private static func secret(byteCount: Int = 32) -> String {
    var generator = SystemRandomNumberGenerator()
    let digits = (0..<byteCount * 2).map { _ in
      String(Int.random(in: 0..<16, using: &generator), radix: 16)
    }
    return digits.joined()
  }

  enum Verdict {
    /// The path below ``base``.
    case page(String)
    case reply(HTTPResponse)
  }

  func check(_ request: HTTPRequest, port: UInt16) -> Verdict {
    guard ["GET", "HEAD", "POST"].contains(request.method) else {
      var response = HTTPResponse.text("Only pages and their forms.", status: 405)
      response.headers.append(("Allow", "GET, HEAD, POST"))
      return .reply(response)
    }
    // Another name that leads here belongs to a page that tries to read this one.
    let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
    guard let host = request.headers["host"], hosts.contains(host) else {
      return .reply(.text("Unknown host.", status: 403))
    }
    if request.path == "/" { return .reply(enter(request, port: port)) }
    let own = "http://" + host
    if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none" {
      return .reply(.text("Another page has asked for this one.", status: 403))
    }
    if let origin = request.headers["origin"], origin != own {
      // A form has it without a referrer, and is known by its token.
      guard origin == "null", request.method == "POST" else {
        return .reply(.text("Another page has asked for this one.", status: 403))
      }
    }
    guard request.path.hasPrefix(base), hasCookie(request, port: port) else {
      return .reply(strange())
    }
    if request.method == "POST" {
      guard let token = request.form["csrf"], Self.areEqual(token, formToken) else {
        return .reply(.text("The form is of an earlier run.", status: 403))
      }
    }
    return .page(String(request.path.dropFirst(base.count)))
  }

  /// The first page: gives the cookie for the token, once.
  private func enter(_ request: HTTPRequest, port: UInt16) -> HTTPResponse {
    guard request.method == "GET", let given = request.query["token"] else { return strange() }
    let isRight = Self.areEqual(given, token)
    let isFirst = wasTokenUsed.withLock { wasUsed in
      defer { if isRight { wasUsed = true } }
      return !wasUsed
    }
    guard isRight, isFirst else { return strange() }
    var response = HTTPResponse.redirect(to: base)
    response.headers.append(
      (
        "Set-Cookie",
        "\(cookieName(port))=\(cookie); Path=\(base); HttpOnly; SameSite=Strict"
      ))
    return response
  }

  private func cookieName(_ port: UInt16) -> String { "coffer-\(port)" }

  private func hasCookie(_ request: HTTPRequest, port: UInt16) -> Bool {
    let values = (request.headers["cookie"] ?? "").split(separator: ";").compactMap { pair in
      let parts = pair.drop { $0 == " " }.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 && parts[0] == cookieName(port) ? String(parts[1]) : nil
    }
    return values.count == 1 && Self.areEqual(values[0], cookie)
  }

  /// What everybody else gets; nothing in it says whether there is such a page.
  private func strange() -> HTTPResponse {
    .text(
      "This page needs the address that coffer browse has printed, which opens one browser once. "
        + "For another one, start coffer browse again.\n", status: 403)
  }

  /// Compares in a time that doesn't depend on where the texts differ.
  static func areEqual(_ a: String, _ b: String) -> Bool {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

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
  private let wasTokenUsed = Atomic(false)

  /// 256 random bits in hexadecimal digits, of the system's generator.
  private static func secret(byteCount: Int = 32) -> String {
    var generator = SystemRandomNumberGenerator()
    let digits = (0..<byteCount * 2).map { _ in
      String(Int.random(in: 0..<16, using: &generator), radix: 16)
    }
    return digits.joined()
  }

  /// The answer to a request that gets no page; nil for one of a path below ``base``.
  func refusal(_ request: HTTPRequest, port: UInt16) -> HTTPResponse? {
    guard ["GET", "HEAD", "POST"].contains(request.method) else {
      var response = HTTPResponse.text("Only pages and their forms.", status: 405)
      response.headers.append(("Allow", "GET, HEAD, POST"))
      return response
    }
    // Another name that leads here belongs to a page that tries to read this one.
    let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
    guard let host = request.headers["host"], hosts.contains(host) else {
      return .text("Unknown host.", status: 403)
    }
    let cookieName = "coffer-\(port)"
    if request.path == "/" { return enter(request, cookieName) }
    let site = request.headers["sec-fetch-site"] ?? "none"
    let origin = request.headers["origin"] ?? "http://" + host
    // A form has no origin without a referrer, and is known by its token.
    guard site == "same-origin" || site == "none",
      origin == "http://" + host || origin == "null" && request.method == "POST"
    else { return .text("Another page has asked for this one.", status: 403) }
    guard request.path.hasPrefix(base), let given = request.cookies[cookieName],
      Self.areEqual(given, cookie)
    else { return strange }
    guard request.method != "POST" || Self.areEqual(request.form["csrf"] ?? "", formToken) else {
      return .text("The form is of an earlier run.", status: 403)
    }
    return nil
  }

  /// The first page: gives the cookie for the token, once.
  private func enter(_ request: HTTPRequest, _ cookieName: String) -> HTTPResponse {
    guard request.method == "GET", let given = request.query["token"],
      Self.areEqual(given, token), !wasTokenUsed.exchange(true, ordering: .relaxed)
    else { return strange }
    var response = HTTPResponse.redirect(to: base)
    response.headers.append(
      ("Set-Cookie", "\(cookieName)=\(cookie); Path=\(base); HttpOnly; SameSite=Strict"))
    return response
  }

  /// What everybody else gets; nothing in it says whether there is such a page.
  private var strange: HTTPResponse {
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

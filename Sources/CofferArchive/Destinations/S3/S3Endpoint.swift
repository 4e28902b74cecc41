#if S3
  /// The server of an object store.
  struct S3Endpoint: Hashable, Sendable {
    /// `http` or `https`.
    let scheme: String
    /// The host and, if it has one, the port.
    let host: String
    /// Empty, or with a `/` at its beginning.
    let path: String
    let region: String
    let usesPathStyle: Bool

    init(_ options: S3Options, bucket: String, environment: [String: String]) throws(S3Error) {
      func variable(_ names: String...) -> String? {
        names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
      }
      let region = options.region ?? variable("AWS_REGION", "AWS_DEFAULT_REGION") ?? "us-east-1"
      guard (1...64).contains(region.utf8.count), region.utf8.allSatisfy(S3Location.isNameSign)
      else {
        throw .invalidAddress("a region has letters, digits and \"-\"")
      }
      self.region = region
      let text = options.endpoint ?? variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
      if let text {
        (scheme, host, path) = try S3Endpoint.parts(text)
      } else {
        scheme = "https"
        host = "s3.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
        path = ""
      }
      // A certificate for *.host fits no bucket with a dot.
      usesPathStyle = options.usesPathStyle ?? (text != nil || bucket.contains("."))
    }

    private static func parts(_ text: String) throws(S3Error) -> (String, String, String) {
      let scheme: String
      if text.hasPrefix("https://") {
        scheme = "https"
      } else if text.hasPrefix("http://") {
        scheme = "http"
      } else {
        throw .invalidAddress("the endpoint doesn't begin with https:// or http://")
      }
      let rest = text.dropFirst(scheme.count + 3)
      let slash = rest.firstIndex(of: "/") ?? rest.endIndex
      let host = rest[..<slash]
      guard !host.isEmpty,
        host.utf8.allSatisfy({ S3Location.isNameSign($0) || "_:[]".utf8.contains($0) })
      else { throw .invalidAddress("the endpoint has no host, or more than a host and a port") }
      var path = rest[slash...]
      if path.hasSuffix("/") { path = path.dropLast() }
      guard path.isEmpty || S3Location.isPath(path.dropFirst(), extraSigns: "_~") else {
        throw .invalidAddress("the endpoint's path has signs that aren't supported")
      }
      return (scheme, String(host), String(path))
    }

    /// For messages.
    var text: String { "\(scheme)://\(host)\(path)" }

    /// Returns the URL of an object, or of a bucket if the key is empty.
    ///
    /// - Parameter query: Names and values, which are sorted and encoded as the signature needs
    ///   them.
    func url(bucket: String, key: String, query: [(String, String)] = []) -> String {
      var url =
        usesPathStyle
        ? "\(scheme)://\(host)\(path)/\(bucket)/\(key)"
        : "\(scheme)://\(bucket).\(host)\(path)/\(key)"
      let pairs = query.map { (S3Endpoint.encoded($0.0), S3Endpoint.encoded($0.1)) }.sorted {
        $0 < $1
      }
      if !pairs.isEmpty { url += "?" + pairs.map { "\($0)=\($1)" }.joined(separator: "&") }
      return url
    }

    /// Encodes all but letters, digits, `-`, `.`, `_` and `~`.
    static func encoded(_ text: String) -> String {
      let digits = Array("0123456789ABCDEF")
      var result = ""
      for byte in text.utf8 {
        if S3Location.isNameSign(byte) || "_~".utf8.contains(byte) {
          result.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
          result.append("%")
          result.append(digits[Int(byte >> 4)])
          result.append(digits[Int(byte & 15)])
        }
      }
      return result
    }
  }
#endif

#if S3
  import FoundationEssentials

  /// An object store's reply.
  struct S3Reply {
    /// The names of the headers that are kept.
    static let headerNames = [
      "content-length", "date", "etag", "location", "retry-after", "x-amz-bucket-region",
      S3Reply.markName,
    ]

    /// The header with the mark by which a writer knows its own object.
    static let markName = "x-amz-meta-coffer-put"

    let status: Int
    let headers: [String: String]
    let body: Data
    /// Whether the store may have got the request before: in an earlier attempt, or over a
    /// connection that broke, after which libcurl has sent it over another.
    var mayBeRepeated: Bool

    var isSuccess: Bool { (200...299).contains(status) }

    /// The store's code of an error; empty if there is none.
    var errorCode: String {
      let code = (S3XML(body).text("Code") ?? "").utf8.filter(S3Location.isNameSign).prefix(64)
      return String(decoding: code, as: UTF8.self)
    }

    /// The store's own words, without what could change a terminal or a log.
    var errorMessage: String {
      let text = (S3XML(body).text("Message") ?? "").utf8.filter { (0x20...0x7E).contains($0) }
      return String(decoding: text.prefix(200), as: UTF8.self)
    }

    /// The whole object's length; nil if the reply has none.
    var contentLength: Int? { headers["content-length"].flatMap { Int($0) } }
  }
#endif

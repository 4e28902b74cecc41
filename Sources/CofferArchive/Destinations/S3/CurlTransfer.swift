#if S3
  import FoundationEssentials

  /// All that a handle needs for one attempt of a request.
  struct CurlTransfer {
    let method: S3Request.Method
    /// `http` or `https`; the URL's own.
    let scheme: String
    let url: String
    let headers: [String]
    let body: Data?
    let replyLimit: Int
    let region: String
    /// What signs the request; nil for one that isn't signed.
    let credentials: S3Credentials?
    /// The path of a file of certificates; nil for the system's.
    let authorities: String?
    let connectionMilliseconds: Int
    let totalMilliseconds: Int
    let stallSeconds: Int
    /// Whether the variables for proxies count.
    var usesProxy = true
  }
#endif

#if S3
  import FoundationEssentials

  /// A request to an object store, before it is signed.
  struct S3Request {
    enum Method: String {
      case get = "GET"
      case head = "HEAD"
      case put = "PUT"
      case post = "POST"
      case delete = "DELETE"
    }

    let method: Method
    /// What it does, for errors: "read objects".
    let operation: String
    /// The object's key; empty for the bucket.
    var key = ""
    var query: [(String, String)] = []
    /// Without the names that signing adds.
    var headers: [(name: String, value: String)] = []
    /// Of `PUT` and `POST` only.
    var body: Data?
    /// The most bytes of the reply.
    var replyLimit = 16 << 20
    /// Whether a conflict (409) is a reason for a further attempt.
    var retriesConflicts = false
    /// Tells what is wrong with a reply of status 2xx; a further attempt follows.
    var problem: (S3Reply) -> String? = { _ in nil }

    init(_ method: Method, _ operation: String, key: String = "") {
      self.method = method
      self.operation = operation
      self.key = key
    }
  }
#endif

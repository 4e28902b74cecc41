#if S3
  import CCurl
  import FoundationEssentials

  /// One of libcurl's easy handles, which keeps its connections for further transfers.
  ///
  /// It is used by one thread at a time.
  @safe final class CurlHandle {
    private static let isInitialized = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    // SAFETY: made in `init`, freed in `deinit`, and never given out.
    private let curl: UnsafeMutableRawPointer
    private var wasUsed = false

    init() throws(S3Error) {
      guard CurlHandle.isInitialized, let curl = unsafe curl_easy_init() else {
        throw .libraryFailed("libcurl can't be initialized")
      }
      unsafe self.curl = unsafe curl
    }

    deinit { unsafe coffer_curl_cleanup(curl) }

    /// Sends a request and waits for the reply.
    func send(_ transfer: CurlTransfer) throws(CurlFailure) -> S3Reply {
      // Also forgets the credentials.
      defer { unsafe curl_easy_reset(curl) }
      let receiver = CurlReceiver(limit: transfer.replyLimit)
      var list: UnsafeMutablePointer<curl_slist>?
      defer { unsafe curl_slist_free_all(list) }
      for header in transfer.headers {
        guard let longer = unsafe curl_slist_append(list, header) else {
          throw CurlFailure(code: CURLE_OUT_OF_MEMORY, reason: "there is no memory")
        }
        unsafe list = unsafe longer
      }
      try configure(transfer)
      var message = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
      // SAFETY: the headers, the message, the body and the receiver outlive the transfer.
      let code = unsafe message.withUnsafeMutableBufferPointer { message in
        withExtendedLifetime(receiver) {
          let target = unsafe Unmanaged.passUnretained(receiver).toOpaque()
          return unsafe perform(transfer.body, list, message.baseAddress, target)
        }
      }
      let newConnections = unsafe coffer_curl_new_connections(curl)
      let wasFresh = !wasUsed
      wasUsed = true
      guard code == CURLE_OK else {
        throw CurlFailure(code: code, reason: CurlHandle.text(message, or: code))
      }
      return S3Reply(
        status: unsafe Int(coffer_curl_status(curl)), headers: replyHeaders(),
        body: receiver.bytes, mayBeRepeated: !wasFresh && newConnections != 0)
    }

    private func perform(
      _ body: Data?, _ headers: UnsafeMutablePointer<curl_slist>?,
      _ message: UnsafeMutablePointer<CChar>?, _ receiver: UnsafeMutableRawPointer
    ) -> CURLcode {
      let codes = unsafe [
        coffer_curl_set_headers(curl, headers), coffer_curl_set_error_buffer(curl, message),
        coffer_curl_set_receiver(curl, CurlReceiver.receive, receiver),
      ]
      if let failure = codes.first(where: { $0 != CURLE_OK }) { return failure }
      guard let body else { return unsafe coffer_curl_perform(curl) }
      return unsafe body.withUnsafeBytes { bytes in
        let code = unsafe coffer_curl_set_body(curl, bytes.baseAddress, curl_off_t(bytes.count))
        return code == CURLE_OK ? unsafe coffer_curl_perform(curl) : code
      }
    }

    private func configure(_ transfer: CurlTransfer) throws(CurlFailure) {
      func set(_ option: CURLoption, _ value: Int) throws(CurlFailure) {
        try check(unsafe coffer_curl_set_long(curl, option, value))
      }
      func set(_ option: CURLoption, _ value: String) throws(CurlFailure) {
        try check(unsafe coffer_curl_set_text(curl, option, value))
      }
      try set(CURLOPT_URL, transfer.url)
      try set(CURLOPT_PROTOCOLS_STR, transfer.scheme)
      try set(CURLOPT_FOLLOWLOCATION, 0)
      try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
      try set(CURLOPT_NOSIGNAL, 1)
      try set(CURLOPT_SSL_VERIFYPEER, 1)
      try set(CURLOPT_SSL_VERIFYHOST, 2)
      if let authorities = transfer.authorities { try set(CURLOPT_CAINFO, authorities) }
      try check(unsafe coffer_curl_set_private_sockets(curl))

      if transfer.method == .head {
        try set(CURLOPT_NOBODY, 1)
      } else if transfer.method != .get {
        try set(CURLOPT_CUSTOMREQUEST, transfer.method.rawValue)
      }
      if let credentials = transfer.credentials {
        try set(CURLOPT_AWS_SIGV4, "aws:amz:\(transfer.region):s3")
        try set(CURLOPT_USERNAME, credentials.accessKeyID)
        try set(CURLOPT_PASSWORD, credentials.secretAccessKey)
      }
      if !transfer.usesProxy { try set(CURLOPT_NOPROXY, "*") }

      try set(CURLOPT_CONNECTTIMEOUT_MS, transfer.connectionMilliseconds)
      try set(CURLOPT_TIMEOUT_MS, transfer.totalMilliseconds)
      try set(CURLOPT_LOW_SPEED_LIMIT, 1)
      try set(CURLOPT_LOW_SPEED_TIME, transfer.stallSeconds)
    }

    private func check(_ code: CURLcode) throws(CurlFailure) {
      guard code == CURLE_OK else {
        throw CurlFailure(code: code, reason: CurlHandle.text([], or: code))
      }
    }

    private func replyHeaders() -> [String: String] {
      var headers: [String: String] = [:]
      for name in S3Reply.headerNames {
        // SAFETY: libcurl's text ends with NUL, and is valid until the handle's next use.
        if let value = unsafe coffer_curl_header(curl, name) {
          headers[name] = unsafe String(cString: value)
        }
      }
      return headers
    }

    private static func text(_ message: [CChar], or code: CURLcode) -> String {
      let bytes = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      if !bytes.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      // SAFETY: libcurl's texts of codes are constants that end with NUL.
      return unsafe curl_easy_strerror(code).map { unsafe String(cString: $0) }
        ?? "\(code.rawValue)"
    }
  }
#endif

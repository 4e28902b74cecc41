#if S3
  import CCurl

  /// A transfer without a reply.
  struct CurlFailure: Error {
    let code: CURLcode
    let reason: String

    /// Whether a further attempt could succeed.
    var isTransient: Bool {
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT,
        CURLE_PARTIAL_FILE, CURLE_OPERATION_TIMEDOUT, CURLE_SSL_CONNECT_ERROR, CURLE_GOT_NOTHING,
        CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_WEIRD_SERVER_REPLY, CURLE_AGAIN:
        true
      default: false
      }
    }

    /// Whether the store can have got none of the request.
    var isBeforeRequest: Bool {
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT,
        CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION:
        true
      default: false
      }
    }

    func error(_ endpoint: String) -> S3Error {
      switch code {
      case CURLE_OPERATION_TIMEDOUT: .timedOut(endpoint: endpoint, reason: reason)
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
        .untrusted(endpoint: endpoint, reason: reason)
      case CURLE_PARTIAL_FILE: .invalidReply("it is incomplete: \(reason)")
      case CURLE_WRITE_ERROR: .invalidReply("it is longer than expected")
      case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: .invalidReply(reason)
      case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN,
        CURLE_BAD_FUNCTION_ARGUMENT, CURLE_SSL_CACERT_BADFILE:
        .libraryFailed("libcurl: \(reason)")
      default: .unreachable(endpoint: endpoint, reason: reason)
      }
    }
  }
#endif

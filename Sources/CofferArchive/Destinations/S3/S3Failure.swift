#if S3
  /// What follows from an attempt.
  enum S3Failure {
    /// The reply is for the caller.
    case none
    case final(S3Error)
    /// A further attempt with other credentials may succeed.
    case credentials(S3Error)
    /// A further attempt may succeed, after `delay` seconds. `wasSent`: this one may have had its
    /// effect.
    case transient(S3Error, delay: Double, wasSent: Bool)

    private static let longestDelay = 60.0

    init(_ failure: CurlFailure, _ endpoint: String) {
      let error = failure.error(endpoint)
      self =
        failure.isTransient
        ? .transient(error, delay: 0, wasSent: !failure.isBeforeRequest) : .final(error)
    }

    init(_ reply: S3Reply, _ request: S3Request, _ client: S3Client, _ credentials: S3Credentials) {
      let delay = reply.headers["retry-after"].flatMap { Double($0) } ?? 0
      func again(_ error: S3Error, wasSent: Bool) -> S3Failure {
        .transient(
          error, delay: max(0, min(delay, S3Failure.longestDelay)), wasSent: wasSent)
      }

      switch reply.status {
      case 200...299:
        guard let problem = request.problem(reply) else {
          self = .none
          return
        }
        self = again(.invalidReply(problem), wasSent: true)
      case 404:
        self =
          reply.errorCode == "NoSuchBucket" ? .final(.bucketMissing(client.location.bucket)) : .none
      case 412: self = .none
      case 409 where request.retriesConflicts:
        self = again(.unavailable(status: 409, code: reply.errorCode), wasSent: false)
      case 501: self = .final(S3Failure.refusal(reply, credentials))
      case 408, 429, 500...599:
        self = again(
          .unavailable(status: reply.status, code: reply.errorCode), wasSent: reply.status != 429)
      case 300...399:
        self = .final(.wrongRegion(expected: S3Failure.region(reply)))
      default:
        self =
          S3Failure.refused(reply, request, client, credentials)
          ?? again(
            .unavailable(status: reply.status, code: reply.errorCode), wasSent: true)
      }
    }

    /// - Returns: nil for a reason to try again.
    private static func refused(
      _ reply: S3Reply, _ request: S3Request, _ client: S3Client, _ credentials: S3Credentials
    ) -> S3Failure? {
      let code = reply.errorCode
      switch code {
      // The store has waited for the request's body, with status 400.
      case "RequestTimeout": return nil
      case "RequestTimeTooSkewed": return .final(.clockSkew(storeTime: reply.headers["date"]))
      case "AuthorizationHeaderMalformed", "IllegalLocationConstraintException",
        "PermanentRedirect":
        return .final(.wrongRegion(expected: region(reply)))
      case "ExpiredToken", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId",
        "SignatureDoesNotMatch", "ExpiredTokenException", "UnrecognizedClientException":
        return .credentials(.credentialsRefused(code: code))
      default:
        if reply.status == 401 {
          return .credentials(.credentialsRefused(code: code.isEmpty ? "401" : code))
        }
        if reply.status == 403 {
          return .credentials(
            .accessDenied(operation: request.operation, bucket: client.location.bucket))
        }
        return .final(refusal(reply, credentials))
      }
    }

    /// The store's own words, unless they repeat a secret.
    static func refusal(_ reply: S3Reply, _ credentials: S3Credentials) -> S3Error {
      let message = reply.errorMessage
      let secrets = [
        credentials.secretAccessKey, credentials.sessionToken, credentials.accessKeyID,
      ]
      let isClean = secrets.allSatisfy { $0.map { !message.contains($0) } ?? true }
      return .refused(
        status: reply.status, code: reply.errorCode, message: isClean ? message : "")
    }

    private static func region(_ reply: S3Reply) -> String? {
      let name = reply.headers["x-amz-bucket-region"] ?? S3XML(reply.body).text("Region")
      return name.flatMap { name in
        name.utf8.count <= 64 && !name.isEmpty && name.utf8.allSatisfy(S3Location.isNameSign)
          ? name : nil
      }
    }
  }
#endif

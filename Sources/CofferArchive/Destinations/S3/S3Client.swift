#if S3
  import FoundationEssentials

  /// Sends requests to an object store, in several attempts.
  final class S3Client: Sendable {
    let location: S3Location
    let endpoint: S3Endpoint
    private let options: S3Options
    private let authorities: String?
    private let credentials: S3CredentialStore
    private let hash: S3BodyHash
    private let pool: CurlPool

    init(
      _ location: S3Location, _ options: S3Options, _ connections: S3Connections,
      environment: @escaping @Sendable () -> [String: String]
    ) throws(S3Error) {
      guard options.connectionTimeLimit > 0, options.requestTimeLimit > 0,
        options.connectionTimeLimit < 1e6, options.requestTimeLimit < 1e6,
        (1...1_000_000).contains(options.stallTimeLimit), (1...100).contains(options.attempts)
      else { throw .invalidAddress("a limit of time or the number of attempts is out of range") }
      guard let hash = S3BodyHash.shared else {
        throw .libraryFailed("the functions of libcrypto aren't found")
      }
      self.location = location
      self.options = options
      pool = connections.pool
      self.hash = hash
      authorities =
        options.certificateAuthorities
        ?? environment()["AWS_CA_BUNDLE"].flatMap { $0.isEmpty ? nil : $0 }
      endpoint = try S3Endpoint(options, bucket: location.bucket, environment: environment())
      credentials = connections.credentials(options.credentials, environment: environment)
    }

    /// Sends a request until there is a reply of status 2xx, 404 or 412, which is returned.
    ///
    /// - Throws: The error of the last attempt.
    func send(_ request: S3Request) throws(S3Error) -> S3Reply {
      var retry = S3Retry(options)
      var credentials = try self.credentials.credentials()
      var hasNewCredentials = false
      var mayBeRepeated = false
      while true {
        let failure: S3Failure
        switch try attempt(request, credentials, retry.remaining) {
        case .success(var reply):
          failure = S3Failure(reply, request, self, credentials)
          if case .none = failure {
            reply.mayBeRepeated = reply.mayBeRepeated || mayBeRepeated
            return reply
          }
        case .failure(let curl):
          failure = S3Failure(curl, endpoint.text)
        }
        switch failure {
        case .none: continue
        case .final(let error): throw error
        case .credentials(let error):
          // Another process may have renewed them.
          guard !hasNewCredentials else { throw error }
          hasNewCredentials = true
          let renewed = try? self.credentials.credentials(insteadOf: credentials)
          guard let renewed, renewed != credentials else { throw error }
          credentials = renewed
        case .transient(let error, let delay, let wasSent):
          mayBeRepeated = mayBeRepeated || wasSent
          guard retry.wait(atLeast: delay) else { throw error }
          credentials = try self.credentials.credentials()
        }
      }
    }

    private func attempt(
      _ request: S3Request, _ credentials: S3Credentials, _ seconds: Double
    ) throws(S3Error) -> Result<S3Reply, CurlFailure> {
      guard let digest = hash.hex(request.body ?? Data()) else {
        throw .libraryFailed("libcrypto's SHA-256 has failed")
      }
      var headers = request.headers
      if request.body != nil { headers.append(("content-type", "application/octet-stream")) }
      headers.append(("x-amz-content-sha256", digest))
      if let token = credentials.sessionToken { headers.append(("x-amz-security-token", token)) }
      // In the order in which they are signed.
      headers.sort { $0.name < $1.name }
      let transfer = CurlTransfer(
        method: request.method, scheme: endpoint.scheme,
        url: endpoint.url(bucket: location.bucket, key: request.key, query: request.query),
        headers: headers.map { "\($0.name): \($0.value)" }, body: request.body,
        replyLimit: request.replyLimit, region: endpoint.region, credentials: credentials,
        authorities: authorities,
        connectionMilliseconds: S3Client.milliseconds(options.connectionTimeLimit),
        totalMilliseconds: S3Client.milliseconds(seconds), stallSeconds: options.stallTimeLimit)
      do {
        return .success(try pool.send(transfer))
      } catch let failure as CurlFailure {
        return .failure(failure)
      } catch let error as S3Error {
        throw error
      } catch {
        throw .libraryFailed("\(error)")
      }
    }

    private static func milliseconds(_ seconds: Double) -> Int { max(1, Int(seconds * 1000)) }
  }
#endif

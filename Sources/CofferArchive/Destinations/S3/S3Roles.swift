#if S3
  import FoundationEssentials

  /// The services that give credentials to a role, by the variables of the AWS tools.
  struct S3Roles: Sendable {
    private let pool: CurlPool
    private let environment: @Sendable () -> [String: String]

    private static let replyLimit = 1 << 16
    /// A service on the machine's own link answers soon, or isn't there.
    private static let localMilliseconds = 1_000

    init(_ pool: CurlPool, _ environment: @escaping @Sendable () -> [String: String]) {
      (self.pool, self.environment) = (pool, environment)
    }

    private func variable(_ name: String) -> String? {
      environment()[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    // MARK: The roles

    /// The role of a web identity; nil if the environment has none.
    func webIdentity() throws(S3Error) -> S3CredentialStore.Kept? {
      guard let file = variable("AWS_WEB_IDENTITY_TOKEN_FILE"), let role = variable("AWS_ROLE_ARN")
      else { return nil }
      let token = try Self.token(file)
      let region = variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") ?? "us-east-1"
      guard region.utf8.allSatisfy(S3Location.isNameSign) else {
        throw .invalidAddress("a region has letters, digits and \"-\"")
      }
      let endpoint =
        variable("AWS_ENDPOINT_URL_STS") ?? variable("AWS_ENDPOINT_URL")
        ?? "https://sts.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
      let fields = [
        ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
        ("RoleSessionName", variable("AWS_ROLE_SESSION_NAME") ?? "coffer"),
        ("WebIdentityToken", token),
      ]
      let body = fields.map { "\($0)=\(S3Endpoint.encoded($1))" }.joined(separator: "&")
      let place = "the role of the web identity"
      let reply = try send(
        .post, endpoint + "/", ["content-type: application/x-www-form-urlencoded"],
        body: Data(body.utf8), isLocal: false, place)
      let xml = S3XML(reply.body)
      return try S3TemporaryCredentials.kept(
        xml.text("AccessKeyId"), xml.text("SecretAccessKey"), xml.text("SessionToken"),
        xml.text("Expiration"), from: place)
    }

    /// The role of a container; nil if the environment names none.
    func container() throws(S3Error) -> S3CredentialStore.Kept? {
      let url: String
      if let path = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
        guard path.hasPrefix("/") else {
          throw .invalidAddress("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI doesn't begin with /")
        }
        url = "http://169.254.170.2" + path
      } else if let full = variable("AWS_CONTAINER_CREDENTIALS_FULL_URI") {
        guard Self.isTrusted(full) else {
          throw .invalidAddress(
            "AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor on this machine")
        }
        url = full
      } else {
        return nil
      }
      var headers: [String] = []
      if let file = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
        headers.append("authorization: \(try Self.token(file))")
      } else if let token = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN") {
        guard Self.isHeader(token) else {
          throw .noCredentials(searched: "AWS_CONTAINER_AUTHORIZATION_TOKEN, which has other signs")
        }
        headers.append("authorization: \(token)")
      }
      let place = "the container's role"
      let reply = try send(.get, url, headers, isLocal: url.hasPrefix("http:"), place)
      return try S3TemporaryCredentials.credentials(reply.body, from: place)
    }

    /// The role of the instance; nil if there is no such service, or the instance has no role.
    func instance() throws(S3Error) -> S3CredentialStore.Kept? {
      guard variable("AWS_EC2_METADATA_DISABLED")?.lowercased() != "true" else { return nil }
      var endpoint = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT") ?? "http://169.254.169.254"
      if endpoint.hasSuffix("/") { endpoint.removeLast() }
      guard endpoint.hasPrefix("http://") || endpoint.hasPrefix("https://") else {
        throw .invalidAddress("AWS_EC2_METADATA_SERVICE_ENDPOINT is no URL")
      }
      let place = "the instance's metadata"
      let token: S3Reply
      do throws(S3Error) {
        token = try send(
          .put, endpoint + "/latest/api/token", ["x-aws-ec2-metadata-token-ttl-seconds: 300"],
          body: Data(), isLocal: true, place, mayBeRefused: true)
      } catch {
        // Other machines have none.
        switch error {
        case .unreachable, .timedOut: return nil
        default: throw error
        }
      }
      // Other clouds have another service there, and it can be off.
      guard token.isSuccess else { return nil }
      let text = String(decoding: token.body, as: UTF8.self)
      guard Self.isHeader(text) else {
        throw .invalidCredentials(file: place, reason: "its token has other signs")
      }
      let headers = ["x-aws-ec2-metadata-token: \(text)"]
      let roles = endpoint + "/latest/meta-data/iam/security-credentials/"
      let names = try send(.get, roles, headers, isLocal: true, place, mayBeRefused: true)
      guard names.status == 200 else { return nil }
      let name = String(decoding: names.body, as: UTF8.self).split(whereSeparator: \.isNewline)
        .first
      guard let name, !name.isEmpty else { return nil }
      let reply = try send(
        .get, roles + S3Endpoint.encoded(String(name)), headers, isLocal: true, place)
      return try S3TemporaryCredentials.credentials(reply.body, from: place)
    }

    // MARK: Requests

    private func send(
      _ method: S3Request.Method, _ url: String, _ headers: [String], body: Data? = nil,
      isLocal: Bool, _ place: String, mayBeRefused: Bool = false
    ) throws(S3Error) -> S3Reply {
      let transfer = CurlTransfer(
        method: method, scheme: url.hasPrefix("https:") ? "https" : "http", url: url,
        headers: headers, body: body, replyLimit: Self.replyLimit, region: "", credentials: nil,
        authorities: variable("AWS_CA_BUNDLE"),
        connectionMilliseconds: isLocal ? Self.localMilliseconds : 10_000,
        totalMilliseconds: isLocal ? 5 * Self.localMilliseconds : 30_000, stallSeconds: 30,
        usesProxy: !isLocal)
      var failure = S3Error.libraryFailed("no attempt was made")
      for _ in 0..<2 {
        do {
          let reply = try pool.send(transfer)
          if reply.isSuccess || mayBeRefused && (400...499).contains(reply.status) {
            return reply
          }
          // The words of the reply may have more than an error's.
          let code = reply.errorCode
          throw S3Error.invalidCredentials(
            file: place,
            reason: "the reply has status \(reply.status)" + (code.isEmpty ? "" : ", \(code)"))
        } catch let error as CurlFailure {
          failure = error.error(Self.server(of: url))
          guard error.isTransient, !isLocal || !error.isBeforeRequest else { throw failure }
        } catch let error as S3Error {
          throw error
        } catch {
          throw .libraryFailed("\(error)")
        }
      }
      throw failure
    }

    /// The beginning of a URL, without what may be secret.
    private static func server(of url: String) -> String {
      url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
        .joined(separator: "/")
    }

    /// Whether a URL of credentials is https, or one of the addresses that containers have for
    /// them.
    private static func isTrusted(_ url: String) -> Bool {
      if url.hasPrefix("https://") { return true }
      guard url.hasPrefix("http://") else { return false }
      let rest = url.dropFirst(7)
      // A name before a sign "@" would hide the host.
      guard let host = rest.split(whereSeparator: { "/?#".contains($0) }).first,
        !host.contains("@"), !host.contains("\\")
      else { return false }
      let name: Substring
      if host.hasPrefix("[") {
        guard let end = host.firstIndex(of: "]") else { return false }
        name = host[...end]
      } else {
        name = host.prefix { $0 != ":" }
      }
      let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
      let isLoopback =
        numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
      return isLoopback
        || ["localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"]
          .contains(name)
    }

    /// Reads the token in a file.
    private static func token(_ path: String) throws(S3Error) -> String {
      guard let bytes = try? Data(contentsOf: URL(filePath: path)), bytes.count <= replyLimit else {
        throw .invalidCredentials(file: path, reason: "it can't be read")
      }
      var text = String(decoding: bytes, as: UTF8.self)
      while text.last?.isNewline == true { text.removeLast() }
      guard isHeader(text) else {
        throw .invalidCredentials(file: path, reason: "it is empty, or has blanks or other signs")
      }
      return text
    }

    private static func isHeader(_ text: String) -> Bool {
      !text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
  }
#endif

#if S3
  import FoundationEssentials

  /// Credentials as services and processes give them, in JSON.
  struct S3TemporaryCredentials: Decodable {
    private var version: Int?
    private var code: String?
    private var accessKeyID: String?
    private var secretAccessKey: String?
    private var token: String?
    private var sessionToken: String?
    private var expiration: String?

    private enum CodingKeys: String, CodingKey {
      case version = "Version"
      case code = "Code"
      case accessKeyID = "AccessKeyId"
      case secretAccessKey = "SecretAccessKey"
      case token = "Token"
      case sessionToken = "SessionToken"
      case expiration = "Expiration"
    }

    /// Returns what can be used.
    ///
    /// - Parameters:
    ///   - place: Where they are from, for errors, which have none of their text.
    ///   - needsVersion: Whether they have to be of version 1, as a process's are.
    static func credentials(
      _ bytes: Data, from place: String, needsVersion: Bool = false
    ) throws(S3Error) -> S3CredentialStore.Kept {
      func unusable(_ reason: String) -> S3Error {
        .invalidCredentials(file: place, reason: reason)
      }
      guard let found = try? JSONDecoder().decode(S3TemporaryCredentials.self, from: bytes) else {
        throw unusable("they are no JSON object with texts")
      }
      guard !needsVersion || found.version == 1 else { throw unusable("their Version isn't 1") }
      guard found.code == nil || found.code == "Success" else {
        throw unusable("their Code isn't Success")
      }
      return try kept(
        found.accessKeyID, found.secretAccessKey, found.token ?? found.sessionToken,
        found.expiration, from: place)
    }

    static func kept(
      _ identifier: String?, _ secret: String?, _ token: String?, _ expiration: String?,
      from place: String
    ) throws(S3Error) -> S3CredentialStore.Kept {
      func unusable(_ reason: String) -> S3Error {
        .invalidCredentials(file: place, reason: reason)
      }
      guard let identifier, let secret else {
        throw unusable("they lack AccessKeyId or SecretAccessKey")
      }
      let credentials = S3Credentials(
        accessKeyID: identifier, secretAccessKey: secret, sessionToken: token)
      guard credentials.areUsable else { throw unusable("a value has blanks or other signs") }
      var kept = S3CredentialStore.Kept(credentials: credentials)
      if let expiration {
        guard let date = date(expiration) else { throw unusable("their Expiration is no date") }
        kept.expiration = date
        guard kept.isGood else {
          throw unusable("they have expired, by this machine's clock")
        }
      }
      return kept
    }

    private static func date(_ text: String) -> Date? {
      (try? Date(text, strategy: .iso8601))
        ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
  }
#endif

#if S3
  import FoundationEssentials
  import Synchronization

  /// The credentials of a store, kept until their file changes, they expire or the store refuses
  /// them.
  final class S3CredentialStore: Sendable {
    /// Credentials, and until when they are good.
    struct Kept {
      var credentials: S3Credentials
      var file: String?
      var stamp: S3CredentialsFile.Stamp?
      /// Nil for those that don't expire.
      var expiration: Date?

      var isGood: Bool { expiration.map { $0.timeIntervalSinceNow > 0 } ?? true }
      /// Whether they are to be renewed.
      var isDue: Bool {
        if let file { return S3CredentialsFile.Stamp(path: file) != stamp }
        return expiration.map { $0.timeIntervalSinceNow < S3CredentialStore.margin } ?? false
      }
    }

    /// Temporary credentials are renewed so many seconds before they expire.
    static let margin = 300.0
    /// Where that fails, it is tried again after so many seconds.
    private static let pause = 10.0

    private let source: S3CredentialSource
    private let environment: @Sendable () -> [String: String]
    private let kept = Mutex<Kept?>(nil)
    private let roles: S3Roles
    /// Held while credentials are fetched, so that several threads don't fetch them at once; when
    /// the last attempt has failed.
    private let loading = Mutex<Date?>(nil)

    init(
      _ source: S3CredentialSource, _ pool: CurlPool = CurlPool(),
      environment: @escaping @Sendable () -> [String: String]
    ) {
      self.source = source
      self.environment = environment
      roles = S3Roles(pool, environment)
    }

    /// Returns the credentials for a request.
    ///
    /// - Parameter refused: Those that the store has just refused; their source is read anew.
    func credentials(insteadOf refused: S3Credentials? = nil) throws(S3Error) -> S3Credentials {
      func usable() -> Kept? {
        kept.withLock { $0 }.flatMap { refused != nil && $0.credentials == refused ? nil : $0 }
      }
      if let current = usable(), !current.isDue { return current.credentials }
      return try loading.withLock { (failure) throws(S3Error) in
        // Another thread may just have fetched them.
        let current = usable()
        if let current, !current.isDue { return current.credentials }
        let isPausing = failure.map { abs($0.timeIntervalSinceNow) < Self.pause } ?? false
        if let current, current.isGood, isPausing, current.file == nil {
          return current.credentials
        }
        do throws(S3Error) {
          let loaded = try load()
          kept.withLock { $0 = loaded }
          failure = nil
          return loaded.credentials
        } catch {
          failure = Date()
          // The file may just be written, the service away: the former credentials are good until
          // they expire or are refused.
          if let current, current.isGood { return current.credentials }
          throw error
        }
      }
    }

    // MARK: Sources

    private func load() throws(S3Error) -> Kept {
      switch source {
      case .fixed(let credentials):
        guard credentials.areUsable else {
          throw .noCredentials(searched: "the program's own, which are empty or have blanks")
        }
        return Kept(credentials: credentials)
      case .environment:
        if let found = try fromEnvironment() { return found }
        throw .noCredentials(searched: "the environment")
      case .systemd(let name):
        if let found = try fromSystemd(name) { return found }
        throw .noCredentials(searched: "the systemd credential \"\(name)\"")
      case .sharedFile(let path, let profile):
        if let found = try fromFiles(path, profile: profile) { return found }
        throw .noCredentials(searched: path ?? sharedPath)
      case .process(let command): return try S3CredentialProcess.credentials(command)
      case .webIdentity:
        if let found = try roles.webIdentity() { return found }
        throw .noCredentials(searched: "AWS_WEB_IDENTITY_TOKEN_FILE with AWS_ROLE_ARN")
      case .container:
        if let found = try roles.container() { return found }
        throw .noCredentials(searched: "AWS_CONTAINER_CREDENTIALS_FULL_URI and …_RELATIVE_URI")
      case .instance:
        if let found = try roles.instance() { return found }
        throw .noCredentials(searched: "the instance's metadata")
      case .automatic: return try loadAny()
      }
    }

    private func loadAny() throws(S3Error) -> Kept {
      if let found = try fromEnvironment() { return found }
      if let found = try fromSystemd("s3") { return found }
      if let found = try roles.webIdentity() { return found }
      if let found = try fromFiles(nil, profile: nil) { return found }
      if let found = try roles.container() { return found }
      if let found = try roles.instance() { return found }
      throw .noCredentials(
        searched:
          "the environment, the systemd credential \"s3\", \(sharedPath), the roles of a web identity, of a "
          + "container and of the instance")
    }

    private func fromEnvironment() throws(S3Error) -> Kept? {
      let environment = environment()
      guard let identifier = environment["AWS_ACCESS_KEY_ID"], !identifier.isEmpty,
        let secret = environment["AWS_SECRET_ACCESS_KEY"], !secret.isEmpty
      else { return nil }
      let token = environment["AWS_SESSION_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
      let credentials = S3Credentials(
        accessKeyID: identifier, secretAccessKey: secret, sessionToken: token)
      guard credentials.areUsable else {
        throw .noCredentials(searched: "the environment, whose values have blanks or other signs")
      }
      return Kept(credentials: credentials)
    }

    private func fromSystemd(_ name: String) throws(S3Error) -> Kept? {
      guard let folder = variable("CREDENTIALS_DIRECTORY"), !name.isEmpty,
        !name.utf8.contains(UInt8(ascii: "/"))
      else { return nil }
      return try fromFile("\(folder)/\(name)", profile(nil))
    }

    /// The shared file, and where it has no such profile, the process in the file of settings.
    private func fromFiles(_ path: String?, profile: String?) throws(S3Error) -> Kept? {
      let profile = self.profile(profile)
      var failure: S3Error?
      do throws(S3Error) {
        if let found = try fromFile(path ?? sharedPath, profile) { return found }
      } catch { failure = error }
      let config = variable("AWS_CONFIG_FILE") ?? home + "/.aws/config"
      let section = profile == "default" ? profile : "profile \(profile)"
      if path == nil, let stamp = S3CredentialsFile.Stamp(path: config),
        let values = try S3CredentialsFile.values(path: config, section: section),
        let found = try S3CredentialsFile.credentials(values, config, section)
      {
        return Self.kept(found, config, stamp)
      }
      if let failure { throw failure }
      return nil
    }

    private func fromFile(_ path: String, _ profile: String) throws(S3Error) -> Kept? {
      // The stamp is taken first, so that a change during the reading is seen at the next request.
      guard let stamp = S3CredentialsFile.Stamp(path: path) else { return nil }
      let found = try S3CredentialsFile.kept(path: path, profile: profile)
      return Self.kept(found, path, stamp)
    }

    private static func kept(
      _ found: Kept, _ path: String, _ stamp: S3CredentialsFile.Stamp
    ) -> Kept {
      var found = found
      // What a process has printed is renewed by its date.
      if found.expiration == nil { (found.file, found.stamp) = (path, stamp) }
      return found
    }

    private func profile(_ name: String?) -> String { name ?? variable("AWS_PROFILE") ?? "default" }

    private var sharedPath: String {
      variable("AWS_SHARED_CREDENTIALS_FILE") ?? home + "/.aws/credentials"
    }

    private var home: String { environment()["HOME"] ?? "/" }

    private func variable(_ name: String) -> String? {
      environment()[name].flatMap { $0.isEmpty ? nil : $0 }
    }
  }
#endif

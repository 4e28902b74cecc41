#if S3
  import FoundationEssentials
  import Synchronization

  /// The credentials of a store, kept until their file changes or the store refuses them.
  final class S3CredentialStore: Sendable {
    private struct Kept {
      var credentials: S3Credentials
      var file: String?
      var stamp: S3CredentialsFile.Stamp?
    }

    private let source: S3CredentialSource
    private let environment: @Sendable () -> [String: String]
    private let kept = Mutex<Kept?>(nil)

    init(_ source: S3CredentialSource, environment: @escaping @Sendable () -> [String: String]) {
      self.source = source
      self.environment = environment
    }

    /// Returns the credentials for a request.
    ///
    /// - Parameter refused: Those that the store has just refused; their source is read anew.
    func credentials(insteadOf refused: S3Credentials? = nil) throws(S3Error) -> S3Credentials {
      let current = kept.withLock { $0 }
      if let current, refused == nil || current.credentials != refused {
        guard let file = current.file else { return current.credentials }
        if let stamp = S3CredentialsFile.Stamp(path: file), stamp == current.stamp {
          return current.credentials
        }
      }
      do {
        let loaded = try load()
        kept.withLock { $0 = loaded }
        return loaded.credentials
      } catch {
        // The file may just be written: the former credentials are good until they are refused.
        if let current, refused == nil { return current.credentials }
        throw error
      }
    }

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
        let path = path ?? sharedPath
        if let found = try fromFile(path, profile: profile) { return found }
        throw .noCredentials(searched: path)
      case .automatic:
        if let found = try fromEnvironment() { return found }
        if let found = try fromSystemd("s3") { return found }
        if let found = try fromFile(sharedPath, profile: nil) { return found }
        throw .noCredentials(
          searched: "the environment, the systemd credential \"s3\", \(sharedPath)")
      }
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
      guard let folder = environment()["CREDENTIALS_DIRECTORY"], !folder.isEmpty,
        !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/"))
      else { return nil }
      return try fromFile("\(folder)/\(name)", profile: nil)
    }

    private func fromFile(_ path: String, profile: String?) throws(S3Error) -> Kept? {
      // The stamp is taken first, so that a change during the reading is seen at the next request.
      guard let stamp = S3CredentialsFile.Stamp(path: path) else { return nil }
      let profile = profile ?? environment()["AWS_PROFILE"].flatMap { $0.isEmpty ? nil : $0 }
      let credentials = try S3CredentialsFile.credentials(
        path: path, profile: profile ?? "default")
      return Kept(credentials: credentials, file: path, stamp: stamp)
    }

    private var sharedPath: String {
      let environment = environment()
      if let path = environment["AWS_SHARED_CREDENTIALS_FILE"], !path.isEmpty { return path }
      return "\(environment["HOME"] ?? "/")/.aws/credentials"
    }
  }
#endif

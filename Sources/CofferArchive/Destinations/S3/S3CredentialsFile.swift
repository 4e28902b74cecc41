#if S3
  import FoundationEssentials
  import Glibc

  /// A file of credentials in the format of the AWS tools.
  struct S3CredentialsFile {
    /// What changes with a file's content.
    struct Stamp: Hashable {
      private let numbers: [Int]

      /// - Returns: nil if there is no such file.
      init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        numbers = [
          Int(bitPattern: UInt(status.st_ino)), Int(status.st_size), Int(status.st_mtim.tv_sec),
          Int(status.st_mtim.tv_nsec), Int(status.st_ctim.tv_sec), Int(status.st_ctim.tv_nsec),
        ]
      }
    }

    private static let sizeLimit = 1 << 20

    /// Returns a profile's credentials, or those that its process prints.
    static func kept(path: String, profile: String) throws(S3Error) -> S3CredentialStore.Kept {
      guard let values = try values(path: path, section: profile) else {
        throw .invalidCredentials(file: path, reason: "it has no profile [\(profile)]")
      }
      guard let found = try credentials(values, path, profile) else {
        throw .invalidCredentials(
          file: path,
          reason: "the profile [\(profile)] lacks aws_access_key_id or aws_secret_access_key")
      }
      return found
    }

    /// Returns the credentials among the values of a section; nil if there are none.
    static func credentials(
      _ values: [String: String], _ path: String, _ section: String
    ) throws(S3Error) -> S3CredentialStore.Kept? {
      guard let identifier = values["aws_access_key_id"],
        let secret = values["aws_secret_access_key"]
      else {
        return try values["credential_process"].map { (command) throws(S3Error) in
          try S3CredentialProcess.credentials(command)
        }
      }
      let credentials = S3Credentials(
        accessKeyID: identifier, secretAccessKey: secret, sessionToken: values["aws_session_token"])
      guard credentials.areUsable else {
        throw .invalidCredentials(
          file: path, reason: "the profile [\(section)] has blanks or other signs in a value")
      }
      return S3CredentialStore.Kept(credentials: credentials)
    }

    /// Returns the values of a section in a file; nil if there is none.
    static func values(path: String, section: String) throws(S3Error) -> [String: String]? {
      let content: Data
      do {
        content = try Data(contentsOf: URL(filePath: path))
      } catch {
        throw .invalidCredentials(file: path, reason: "it can't be read")
      }
      guard content.count <= sizeLimit, let text = String(bytes: content, encoding: .utf8) else {
        throw .invalidCredentials(file: path, reason: "it is no text")
      }
      return self.section(section, of: text)
    }

    /// Returns the values of a section; nil if there is none. The last of the same name counts.
    static func section(_ name: String, of text: String) -> [String: String]? {
      var values: [String: String]?
      var isWanted = false
      for line in text.split(whereSeparator: \.isNewline) {
        let line = trimmed(line)
        if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
        if line.hasPrefix("[") {
          guard let end = line.firstIndex(of: "]") else { continue }
          isWanted = trimmed(line[line.index(after: line.startIndex)..<end]) == name
          if isWanted, values == nil { values = [:] }
        } else if isWanted, let equals = line.firstIndex(of: "=") {
          let key = trimmed(line[..<equals]).lowercased()
          let value = trimmed(line[line.index(after: equals)...])
          if !value.isEmpty { values?[key] = value }
        }
      }
      return values
    }

    private static func trimmed(_ text: Substring) -> String {
      let start = text.drop { $0.isWhitespace }
      let end = start.lastIndex { !$0.isWhitespace }
      return end.map { String(start[...$0]) } ?? ""
    }
  }
#endif

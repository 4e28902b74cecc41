/// An access key of an object store. Descriptions leave its secrets out.
public struct S3Credentials: Hashable, Sendable {
  /// The key's identifier.
  public let accessKeyID: String
  let secretAccessKey: String
  let sessionToken: String?

  /// Makes credentials from a key's identifier, its secret, and the token that a temporary one has.
  public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
    self.accessKeyID = accessKeyID
    self.secretAccessKey = secretAccessKey
    self.sessionToken = sessionToken
  }

  /// Whether a request can have them: printable ASCII without blanks, not empty.
  var areUsable: Bool {
    [accessKeyID, secretAccessKey, sessionToken ?? "-"].allSatisfy { text in
      !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
  }
}

extension S3Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Says that there are credentials, and nothing of them.
  public var description: String { "S3Credentials(redacted)" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

// What leads from a string to a key: none of it can be called.
import CofferVault

@available(
  *, unavailable,
  message: "a string is no key: write .passphrase(\"…\"), or .file(path) for a key file"
)
extension DatabaseKey: ExpressibleByStringLiteral {
  /// Can't be called: a string is no key.
  public init(stringLiteral value: String) { fatalError("unavailable") }
}

extension DatabaseQueue {
  /// Can't be called: a string is no key.
  @available(
    *, unavailable,
    message: "a string is no key: write .passphrase(\"…\"), or .file(path) for a key file"
  )
  public convenience init(
    path: String, key: String, configuration: Configuration = Configuration()
  ) throws { fatalError("unavailable") }
}

extension DatabasePool {
  /// Can't be called: a string is no key.
  @available(
    *, unavailable,
    message: "a string is no key: write .passphrase(\"…\"), or .file(path) for a key file"
  )
  public convenience init(
    path: String, key: String, configuration: Configuration = Configuration()
  ) throws { fatalError("unavailable") }
}

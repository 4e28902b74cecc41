import CofferSQLite

/// A source of keys of one's own: a keyring, a hardware token, a service.
///
/// ```swift
/// struct HardwareToken: KeyProvider {
///   func key(forDatabaseAt path: String) throws -> DatabaseKey {
///     try .raw(readToken())
///   }
/// }
/// let queue = try DatabaseQueue(path: "vault.db", key: .slots(unlocker: .provider(HardwareToken())))
/// ```
///
/// The provider is asked at each opening, and what it returns isn't kept.
public protocol KeyProvider: Sendable {
  /// Returns the key with which a slot of the database was made, or the database's own key with
  /// ``DatabaseKey/provider(_:)``.
  ///
  /// - Throws: Any error; the database isn't opened then.
  func key(forDatabaseAt path: String) throws -> DatabaseKey

  /// Returns the key for a new slot of the database.
  ///
  /// By default the same as ``key(forDatabaseAt:)``. A provider that makes its keys does so here,
  /// and never in the other method.
  func makeKey(forDatabaseAt path: String) throws -> DatabaseKey
}

extension KeyProvider {
  /// Returns the same as ``key(forDatabaseAt:)``.
  public func makeKey(forDatabaseAt path: String) throws -> DatabaseKey {
    try key(forDatabaseAt: path)
  }
}

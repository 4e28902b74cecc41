import CofferVault

extension Database {
  /// The cryptographic provider of this process's keyed connections.
  ///
  /// It begins with `coffer` if Coffer's provider is at work, which keeps libcrypto's contexts from
  /// page to page, and with `stock` if SQLCipher's is, with the reason at the end: a version of
  /// SQLCipher whose functions Coffer doesn't know, or `COFFER_STOCK_CIPHER=1` in the environment.
  /// Both read and write the same files.
  ///
  /// ```swift
  /// print(Database.cipherProviderDescription)  // coffer: contexts kept, OpenSSL 3.0.17 1 Jul 2025
  /// ```
  public static var cipherProviderDescription: String {
    CipherProvider.description
  }

  /// The cryptographic provider of this connection, as
  /// ``cipherProviderDescription-swift.type.property`` describes it; `none` without a key.
  public var cipherProviderDescription: String {
    isKeyed ? CipherProvider.description(keepsContexts: keying.keepsContexts) : "none: no key"
  }
}

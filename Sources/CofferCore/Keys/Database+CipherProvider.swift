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
    isKeyed
      ? CipherProvider.description(keepsContexts: keying.provision.keepsContexts) : "none: no key"
  }
}

extension Database {
  /// How many pages were decrypted and encrypted ahead for this connection so far.
  ///
  /// All are 0 with ``Configuration/readsAhead`` off, with SQLCipher's own provider, and without
  /// HMACs. The pages of attached files count, too, while they are attached.
  public var readAheadStatistics: ReadAheadStatistics {
    let files = keying.attachedReadAhead + [keying.provision.readAhead].compactMap(\.self)
    return files.reduce(into: ReadAheadStatistics()) { result, file in
      let counts = file.counts
      result.usedPages += counts.used
      result.encryptedPages += counts.encrypted
      result.unusedPages += counts.unused
    }
  }
}

/// What was done ahead for a connection, see ``Configuration/readsAhead``.
public struct ReadAheadStatistics: Sendable, Hashable {
  /// The pages that were decrypted, and that a scan has used.
  public var usedPages = 0
  /// The pages that were encrypted, and then written.
  public var encryptedPages = 0
  /// The pages of both kinds that were made for nothing: no scan or write came to them, or they had
  /// changed.
  public var unusedPages = 0
}

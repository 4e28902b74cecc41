import CofferSQLite

/// The two providers of a process, SQLCipher's and Coffer's, and the way to choose between them.
@safe struct ProviderSwitch: Sendable {
  private let layout: SQLCipherProvider.Layout
  private let stock: SQLCipherProvider
  private let kept: SQLCipherProvider
  /// The registered tables in ``SQLCipherProvider/Layout/listed``.
  ///
  // SAFETY: SQLCipher frees neither before it shuts down. Nothing reads them here.
  private nonisolated(unsafe) let tables:
    (stock: UnsafeMutableRawPointer, kept: UnsafeMutableRawPointer)?

  /// Registers Coffer's provider; nil if that fails.
  ///
  /// - Precondition: A connection has a key, and SQLCipher's provider is registered.
  init?(
    from stock: SQLCipherProvider, to kept: SQLCipherProvider, layout: SQLCipherProvider.Layout
  ) {
    unsafe (self.layout, self.stock, self.kept) = unsafe (layout, stock, kept)
    switch layout {
    case .copied, .tailed:
      guard unsafe ProviderSwitch.registerCopy(of: kept) else { return nil }
      unsafe tables = nil
    case .listed:
      guard let current = unsafe SQLCipherLibrary.current,
        let table = unsafe SQLCipherLibrary.makeTable(of: kept)
      else { return nil }
      guard unsafe SQLCipherLibrary.register(table) else { return nil }
      unsafe tables = unsafe (current, table)
    }
  }

  /// Chooses the provider of keys that are set from now on.
  ///
  /// - Returns: Whether it is chosen.
  func turn(toStock usesStock: Bool) -> Bool {
    guard let tables = unsafe tables else {
      return unsafe ProviderSwitch.registerCopy(of: usesStock ? stock : kept)
    }
    return unsafe isIntact && SQLCipherLibrary.register(usesStock ? tables.stock : tables.kept)
  }

  /// Whether the process still has these providers: SQLCipher's shutdown frees its tables, and a
  /// program can register one of its own.
  var isIntact: Bool {
    guard let tables = unsafe tables, let current = unsafe SQLCipherLibrary.current else {
      return layout != .listed
    }
    return unsafe current == tables.kept || current == tables.stock
  }

  private static func registerCopy(of provider: SQLCipherProvider) -> Bool {
    guard let table = unsafe SQLCipherLibrary.makeTable(of: provider) else { return false }
    return unsafe SQLCipherLibrary.register(table)
  }
}

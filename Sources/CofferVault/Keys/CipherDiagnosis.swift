import CofferSQLite

/// The reason why an encrypted database doesn't open.
///
/// SQLite itself only reports "file is not a database".
public enum CipherDiagnosis: Equatable, Sendable {
  /// The file is encrypted, but no key was given.
  case keyRequired
  /// The file is a plaintext database, but a key was given.
  case notEncrypted
  /// The key authenticates no page of the file.
  case wrongKey
  /// The raw key is right, but the salt given with it isn't the file's.
  case wrongSalt
  /// The key is right, but these pages, numbered from 1, are damaged.
  case damaged(pages: [Int])
  /// The end of the file is missing.
  case truncated
  /// The key is right, but the file has other cipher settings, usually those of an older SQLCipher.
  case olderFormat(CipherSettings)
  /// The key is right, but the database isn't the newest one, by its anchor.
  ///
  /// See ``Configuration/freshness``.
  case replaced(Replacement)
  /// The key is wrong, the file is damaged, or it isn't a database; the file doesn't show which.
  case wrongKeyOrDamaged
}

extension CipherDiagnosis {
  /// What took the place of the newest database.
  public enum Replacement: Hashable, Sendable, CaseIterable {
    /// An older version of the whole file.
    case olderFile
    /// Older versions of some pages.
    case olderPage
    /// The write-ahead log was cut, removed, or replaced: commits are missing.
    case cutLog
    /// Another database, also a new one in place of one that was deleted.
    case otherDatabase
  }
}

extension CipherDiagnosis {
  /// A description of the problem and its remedy.
  public var message: String {
    switch self {
    case .keyRequired:
      "The file is encrypted, and no key was given. Set configuration.key."
    case .notEncrypted:
      "The file is not encrypted, but a key was given. Encrypt it with DatabaseFile.encrypt, or "
        + "open it without a key."
    case .wrongKey:
      "The key is wrong: it matches no page of the file. Check the passphrase or the key. If "
        + "it is certainly right, the file's first 16 bytes, its salt, are damaged: restore a "
        + "backup."
    case .wrongSalt:
      "The raw key is right, but the salt given with it is not the file's. Give the key alone."
    case .damaged(let pages):
      "The key is right, but the file is damaged in \(Self.listing(pages)). Copy the file before "
        + "anything else, then restore a backup."
    case .truncated:
      "The file is truncated: its end is missing. Copy it again from its source, or restore "
        + "a backup."
    case .olderFormat(let settings):
      Self.olderFormatMessage(settings)
    case .replaced(let replacement):
      replacement.message
    case .wrongKeyOrDamaged:
      "Either the key is wrong, or the file is damaged, or it is no database: nothing in it can "
        + "tell. Check the path and the key, then try a backup."
    }
  }

  private static func olderFormatMessage(_ settings: CipherSettings) -> String {
    let name = settings.generationName ?? "other cipher settings (\(settings))"
    let start = "The key is right, but the file was written with \(name). "
    if (try? settings.pragmas()) == nil {
      return start + "This libsqlcipher can't read it: install version 4."
    }
    return start + "Open it with configuration.cipher = \(settings.expression), or convert it with "
      + "DatabaseFile.convert."
  }

  /// "page 3", "pages 3, 4 and 9", or the first ten and the number of the others.
  static func listing(_ pages: [Int]) -> String {
    let shown = pages.prefix(10).map(String.init)
    if pages.count > shown.count {
      return "pages \(shown.joined(separator: ", ")) and \(pages.count - shown.count) more"
    }
    guard let last = shown.last, shown.count > 1 else { return "page \(shown.first ?? "?")" }
    return "pages \(shown.dropLast().joined(separator: ", ")) and \(last)"
  }
}

extension CipherDiagnosis.Replacement {
  fileprivate var message: String {
    let found =
      switch self {
      case .olderFile: "The file is an older version of the database."
      case .olderPage: "Some pages of the database are older than the others."
      case .cutLog: "The write-ahead log was cut, removed or replaced: commits are missing."
      case .otherDatabase: "The file is another database than the one that belongs here."
      }
    return found
      + " Find out who replaced it, and copy all of its files before anything else. Then "
      + "bring the newest files back; or, if you replaced them yourself, accept them with "
      + "Freshness.accept."
  }
}

extension CipherDiagnosis: CustomStringConvertible {
  /// The same as ``message``.
  public var description: String { message }
}

extension DatabaseError {
  /// The reason why an encrypted file doesn't open.
  ///
  /// Nil for all other errors.
  ///
  /// ```swift
  /// do {
  ///   queue = try DatabaseQueue(path: path, key: .passphrase(passphrase))
  /// } catch let error as DatabaseError where error.cipherDiagnosis == .wrongKey {
  ///   askAgain()
  /// }
  /// ```
  public var cipherDiagnosis: CipherDiagnosis? { diagnosis as? CipherDiagnosis }

  /// Creates the error of a file that can't be opened, with the reason found in the file.
  package init(_ failure: DatabaseError, diagnosis: CipherDiagnosis) {
    self.init(failure, diagnosis: diagnosis, hint: diagnosis.message)
  }
}

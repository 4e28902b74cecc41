import CofferSQLite

/// Makes plaintext, and pages of b-trees, of the bytes that are stored. One thread at a time uses
/// it.
struct SalvageDecoder {
  /// How pages are encrypted.
  struct Cipher: Sendable {
    let key: DerivedKey
    let settings: CipherSettings
  }

  /// What the decoders of a file have in common.
  struct Format: Sendable {
    /// The bytes of a page that SQLite uses.
    var usableSize: Int
    /// Whether a page can be told to be what was written with the key.
    var isAuthenticated = false
    /// Nil for a plaintext file.
    var cipher: Cipher?
  }

  var format: Format
  /// Only decrypts what it is given.
  private let cipher: CipherFile?

  /// For a plaintext file.
  init(usableSize: Int) {
    format = Format(usableSize: usableSize)
    cipher = nil
  }

  /// Returns nil if there is no libcrypto.
  init?(_ format: Format) {
    self.format = format
    guard let given = format.cipher else {
      cipher = nil
      return
    }
    cipher = CipherFile(
      file: nil, key: given.key, settings: given.settings, newerPages: .nowhere)
    if cipher == nil { return nil }
  }

  /// The plaintext of a stored page; nil if it isn't authentic.
  func plaintext(of stored: [UInt8], number: Int) -> [UInt8]? {
    guard let cipher else { return stored }
    var page = stored
    let isDecrypted = unsafe page.withUnsafeMutableBytes {
      cipher.decrypt($0, number: number, isAuthenticated: format.isAuthenticated)
    }
    return isDecrypted ? page : nil
  }

  /// A stored page as a page of a b-tree; nil if it isn't a sound one.
  func treePage(_ number: Int, _ stored: [UInt8]) -> BTreePage? {
    plaintext(of: stored, number: number).flatMap { treePage(number, plaintext: $0) }
  }

  /// A page's plaintext as a page of a b-tree; nil if it isn't a sound one.
  func treePage(_ number: Int, plaintext: [UInt8]) -> BTreePage? {
    BTreePage(
      number: number, bytes: plaintext, usableSize: format.usableSize,
      isExact: !format.isAuthenticated)
  }
}

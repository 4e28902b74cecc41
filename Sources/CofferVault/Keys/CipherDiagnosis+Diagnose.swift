import CofferSQLite
import Glibc

extension CipherDiagnosis {
  /// Determines why a file can't be opened with a key.
  ///
  /// This derives the key for each generation of SQLCipher, up to four times, and reads the whole
  /// file if the key is right. It writes and locks nothing.
  /// - Parameters:
  ///   - derived: The key as already derived with `settings`, if it is.
  ///   - index: What the connection that can't read the file knows about its WAL.
  /// - Returns: Nil if nothing is wrong, or if the file system's error is explanation enough: the
  ///   file is missing, a directory, or unreadable.
  static func diagnose(
    path: String, key: DatabaseKey?, settings: CipherSettings, derived: DerivedKey? = nil,
    index: LogIndex? = nil
  ) -> CipherDiagnosis? {
    var found: [CipherDiagnosis] = []
    // What was read while another connection moved or overwrote pages proves nothing.
    while found.count < 4 {
      let moment = FilesMoment(path)
      guard let diagnosis = examine(path: path, key, settings, derived, index) else { return nil }
      if FilesMoment(path) == moment { return diagnosis }
      found.append(diagnosis)
    }
    // A wrong key opens nothing, however often it is tried.
    return found.allSatisfy { $0 == .wrongKey } ? .wrongKey : nil
  }

  private static func examine(
    path: String, _ key: DatabaseKey?, _ settings: CipherSettings, _ derived: DerivedKey?,
    _ index: LogIndex?
  ) -> CipherDiagnosis? {
    let inspection = DatabaseFile.inspect(at: path)
    switch inspection.kind {
    case .missing, .empty, .directory, .special, .unreadable:
      return nil
    case .tooShort:
      if inspection.size == 1 { return nil }  // SQLite treats one byte as empty
      return inspection.fileType == nil ? .truncated : .wrongKeyOrDamaged
    case .plaintext(let header):
      if key != nil { return .notEncrypted }
      return inspection.lacksPages(of: header) ? .truncated : nil
    case .encryptedOrUnknown, .plaintextHeader:
      if key == nil { return .keyRequired }
    case .notADatabase:
      if key == nil { return .wrongKeyOrDamaged }
    }
    guard let key, LibCrypto.shared != nil else { return .wrongKeyOrDamaged }
    do {
      let file = try ReadOnlyFile(path: path)
      let examination = CipherExamination(
        file: file, inspection: inspection, key: key, settings: settings, derived: derived,
        newerPages: .beside(path, index: index),
        fileSalt: (try? file.read(count: 16, at: 0)) ?? [])
      let found = try examination.run().map(examination.doubted)
      let isForeign = inspection.fileType != nil && (found == .wrongKey || found == .truncated)
      return isForeign ? .wrongKeyOrDamaged : found
    } catch {
      return nil
    }
  }
}

extension DatabaseError {
  /// Whether the key or damage of a file can be the reason.
  package var canBeDiagnosed: Bool {
    switch resultCode {
    case .SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_ERROR, .SQLITE_NOMEM: true
    default: false
    }
  }

  /// Adds the reason for the failure to open a file, as far as the file reveals it.
  package func diagnosed(
    path: String, key: DatabaseKey?, settings: CipherSettings, derived: DerivedKey?,
    index: LogIndex? = nil
  ) -> DatabaseError {
    guard
      let diagnosis = CipherDiagnosis.diagnose(
        path: path, key: key, settings: settings, derived: derived, index: index)
    else { return self }
    let fileType =
      diagnosis == .wrongKeyOrDamaged ? DatabaseFile.inspect(at: path).fileType : nil
    return DatabaseError(
      self, diagnosis: diagnosis,
      hint: fileType.map { "The file is \($0), not a database. Check the path." }
        ?? diagnosis.message)
  }

  package func diagnosed(path: String, _ key: FileKey?) -> DatabaseError {
    diagnosed(
      path: path, key: key?.key, settings: key?.settings ?? .default, derived: key?.derived)
  }
}

extension DatabaseFile.Inspection {
  /// Whether the main file has fewer pages than its header states, and neither a WAL nor a journal
  /// can hold the others.
  func lacksPages(of header: Header) -> Bool {
    header.pageCount.map { lacksPages($0, of: header.pageSize) } ?? false
  }

  func lacksPages(_ count: Int, of pageSize: Int) -> Bool {
    !hasWAL && !hasJournal && pageSize > 0 && size / pageSize < count
  }
}

/// What a commit, a checkpoint and a restart of the log change.
package struct FilesMoment: Equatable {
  private var times: [Int] = []
  private var logHeader: [UInt8] = []

  package init(_ path: String) {
    let path = PendingFile.resolved(path)
    for suffix in ["", "-wal", "-journal"] {
      var status = stat()
      guard CName.isWhole(path), unsafe stat(path + suffix, &status) == 0 else { continue }
      times += [Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }
    let log = try? RawFile.existing(path + "-wal")
    logHeader = (try? log?.read(count: LogLayout.headerSize, at: 0)) ?? []
  }
}

/// Tests one file and one key against all known SQLCipher formats.
private struct CipherExamination {
  let file: ReadOnlyFile
  let inspection: DatabaseFile.Inspection
  let key: DatabaseKey
  let settings: CipherSettings
  let derived: DerivedKey?
  let newerPages: PageVersions.Place
  let fileSalt: [UInt8]

  func run() throws -> CipherDiagnosis? {
    guard (try? settings.validate(with: key)) != nil else { return nil }
    let configured = try open(settings, derived: derived)
    if let configured, let found = try settingsThatOpen(configured) {
      return found == settings ? try findDamage(configured) : .olderFormat(found)
    }
    if let found = try findOtherSettings(configured) { return .olderFormat(found) }
    if key.salt != nil, let withFileSalt = try open(settings, key: rawKeyAlone),
      try settingsThatOpen(withFileSalt) != nil
    {
      return .wrongSalt
    }
    return try judgeUnopened(configured)
  }

  /// Damage isn't certain where SQLite takes pages that nobody has looked at.
  func doubted(_ diagnosis: CipherDiagnosis) -> CipherDiagnosis {
    switch diagnosis {
    case .damaged, .truncated:
      do throws(ReadOnlyFileError) {
        return try PageVersions.find(newerPages, pageSize: settings.pageSize)?.isForeign == true
          ? .wrongKeyOrDamaged : diagnosis
      } catch {
        return .wrongKeyOrDamaged
      }
    default: return diagnosis
    }
  }

  /// The raw key without the salt given with it.
  private var rawKeyAlone: DatabaseKey { DatabaseKey(form: .raw, bytes: key.bytes) }

  private func open(
    _ settings: CipherSettings, key other: DatabaseKey? = nil, derived: DerivedKey? = nil
  ) throws -> CipherFile? {
    let key =
      try derived
      ?? DerivedKey.derive(from: other ?? self.key, salt: fileSalt, settings: settings)
    return key.flatMap {
      CipherFile(file: file, key: $0, settings: settings, newerPages: newerPages)
    }
  }

  // MARK: Testing the key

  /// Returns the settings under which the key authenticates a page: those of `cipherFile`, or the
  /// same with another plaintext header. Tests the first 16 pages, and 16 spread over the rest.
  private func settingsThatOpen(
    _ cipherFile: CipherFile, pages limit: Int = 32
  ) throws -> CipherSettings? {
    let settings = cipherFile.settings
    let count = try cipherFile.wholePageCount()
    guard count > 0 else { return nil }
    guard settings.usesHMAC else { return try cipherFile.header() == nil ? nil : settings }
    if try cipherFile.verify(page: 1) { return settings }
    // Only page 1 depends on the plaintext header, which requires a key with a salt.
    for size in stride(from: 0, through: 96, by: 16) where key.salt != nil {
      var other = settings
      other.plaintextHeaderSize = size
      if try cipherFile.reinterpreted(as: other)?.verify(page: 1) == true { return other }
    }
    let first = min(count, limit, 16)
    let spread = min(count - first, limit - first)
    for page in 1..<max(2, first) where try cipherFile.verify(page: page + 1) { return settings }
    for step in 0..<spread {
      let page = first + (count - first) * (step + 1) / spread
      if try cipherFile.verify(page: page) { return settings }
    }
    return nil
  }

  /// Returns settings other than the configured ones with which the key opens the file.
  ///
  /// Once a key is derived, trying page sizes and HMACs costs next to nothing.
  private func findOtherSettings(_ configured: CipherFile?) throws -> CipherSettings? {
    if let configured, let found = try findOtherLayout(configured) { return found }
    // Version 1 differs from 2 only in its page layout, which the layouts tried for 2 include.
    for candidate in [.sqlcipher4, .sqlcipher3, .sqlcipher2] as [CipherSettings]
    where candidate != settings {
      guard let opened = try open(candidate) else { continue }
      if let found = try settingsThatOpen(opened) { return found }
      if let found = try findOtherLayout(opened) { return found }
    }
    return nil
  }

  private func findOtherLayout(_ opened: CipherFile) throws -> CipherSettings? {
    let base = opened.settings
    var hmacs: [CipherSettings.Hash?] = [base.hmacAlgorithm, nil]
    if base.kdfAlgorithm != .sha1 { hmacs += [.sha512, .sha256, .sha1] }
    for hmac in hmacs {
      for pageSize in [base.pageSize, 1024, 4096, 8192, 16384, 2048, 32768, 65536, 512] {
        var layout = base
        layout.usesHMAC = hmac != nil
        if let hmac { layout.hmacAlgorithm = hmac }
        layout.pageSize = pageSize
        // Without HMACs, only an encrypted header can confirm the layout.
        if !layout.usesHMAC && layout.plaintextHeaderSize > 16 { continue }
        guard layout != base, (try? layout.validate()) != nil,
          let other = opened.reinterpreted(as: layout)
        else { continue }
        if let found = try settingsThatOpen(other, pages: 2) { return found }
      }
    }
    return nil
  }

  // MARK: Finding the damage

  private func findDamage(_ opened: CipherFile) throws -> CipherDiagnosis? {
    let damaged = try opened.verifyAll()
    if !damaged.isEmpty { return .damaged(pages: damaged) }
    if let count = try opened.header()?.pageCount,
      inspection.lacksPages(count, of: opened.settings.pageSize)
    {
      return .truncated
    }
    return nil
  }

  /// Diagnoses a file of which the key authenticates no page.
  ///
  /// Its decryption can still make sense, since pages are encrypted and authenticated with
  /// different keys.
  private func judgeUnopened(_ configured: CipherFile?) throws -> CipherDiagnosis {
    guard let configured else { return .wrongKeyOrDamaged }
    let header = try configured.decryptedHeader()
    let start = settings.firstCiphertextOffset
    let hasFixedFields =
      start == 16 && header?.hasFixedFields(pageSize: settings.pageSize) == true
    let hasExpansion = header?.hasZeroExpansion(from: max(32, start)) == true
    let pageCount = try configured.wholePageCount()
    switch pageCount {
    case 0:
      return hasExpansion || inspection.size % 1024 != 0 ? .truncated : .wrongKeyOrDamaged
    case 1:
      return hasFixedFields || hasExpansion ? .damaged(pages: [1]) : .wrongKeyOrDamaged
    default:
      break
    }
    if hasFixedFields {
      // With a raw key, a changed salt invalidates every HMAC and nothing else.
      return .damaged(pages: key.isPassphrase ? try configured.verifyAll() : [1])
    }
    if !settings.usesHMAC { return hasExpansion ? .damaged(pages: [1]) : .wrongKeyOrDamaged }
    return try hasRandomPage(pageCount) ? .wrongKey : .wrongKeyOrDamaged
  }

  /// Whether any of the first pages looks like a cipher's output.
  private func hasRandomPage(_ pageCount: Int) throws -> Bool {
    try (0..<min(pageCount, 16)).contains { page in
      looksRandom(try file.read(count: settings.pageSize, at: page * settings.pageSize))
    }
  }
}

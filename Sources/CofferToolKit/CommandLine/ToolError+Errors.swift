import Coffer
import CofferArchive
import Glibc

extension ToolError {
  /// Translates an error of the library.
  ///
  /// - Parameter path: The file that was used, if any.
  init(_ error: any Error, path: String? = nil) {
    switch error {
    case let error as ToolError: self = error
    case let error as DatabaseError: self.init(error, path: path)
    case let error as DatabaseKeyError: self.init(.noPermission, "\(error)")
    case let error as KeySlotsError: self.init(error)
    case let error as CipherSettingsError: self.init(.usage, "--cipher: \(error)")
    case let error as FileError: self.init(error)
    case let error as FreshnessError: self.init(error, path: path)
    case let error as ArchiveError: self.init(error, path: path)
    case let error as S3Error: self.init(error)
    default: self.init(.software, "\(error)")
    }
  }

  private init(_ error: KeySlotsError) {
    let code: Code =
      switch error {
      case .noSlot, .mistypedRecoveryKey, .incompleteRecoveryKey, .unavailable,
        .unavailableDerivation:
        .noPermission
      case .missing, .unreadable: .noInput
      case .damaged, .otherDatabase, .unknownVersion, .alreadyEncrypted, .interrupted: .dataError
      case .alreadyExists: .cantCreate
      case .lastSlot, .unknownSlot, .tooManySlots, .longLabel: .failed
      }
    if case .missing(let path) = error {
      // Nothing tells a file that has lost them from one that never had any.
      self.init(
        code,
        "there are no key slots: \(path) doesn't exist. coffer key enable makes some; if there were slots, "
          + "only a backup of that file has them")
    } else {
      self.init(code, "\(error)")
    }
  }

  private init(_ error: ArchiveError, path: String?) {
    let code: Code =
      switch error {
      case .noArchive, .noCommit, .noCommitBefore: .noInput
      case .otherKey: .noPermission
      case .notReached: .found
      case .changedKey, .damaged, .missing, .misplaced, .notAFile, .otherArchive, .brokenChain,
        .unknownVersion, .notInAnchor:
        .dataError
      case .writerExists, .superseded, .archivedAlready: .temporary
      case .logTooLong, .away, .gone, .notEnded, .notAnswered: .inputOutput
      case .foreignFile, .changedFile, .otherHistory: .cannotFollow
      case .ended: .failed
      }
    self.init(code, (path.map { "\($0): " } ?? "") + "\(error)")
  }

  private init(_ error: S3Error) {
    let code: Code =
      switch error {
      case .traitIsOff, .conditionNotHonoured, .libraryFailed: .unavailable
      case .invalidAddress, .invalidName: .usage
      case .noCredentials, .invalidCredentials, .credentialsRefused, .accessDenied: .noPermission
      case .bucketMissing, .wrongRegion: .noInput
      case .clockSkew, .unreachable, .untrusted, .timedOut, .unavailable, .uncertain,
        .invalidReply, .tooLarge, .refused:
        .inputOutput
      }
    let text =
      error == .traitIsOff
      ? "this coffer was built without object stores: build it with swift build --traits S3"
      : "\(error)"
    self.init(code, text)
  }

  init(_ error: FileError) {
    if error.code == 24 {  // EMFILE
      self.init(.inputOutput, "\(error). Allow more open files: ulimit -n")
      return
    }
    let isMissing = [2, 13, 20, 21].contains(error.code)  // ENOENT, EACCES, ENOTDIR, EISDIR
    self.init(isMissing ? .noInput : .inputOutput, "\(error). Check the path")
  }

  private init(_ error: FreshnessError, path: String?) {
    let file = path.map { "\($0): " } ?? ""
    let advice = "bring the right one back, or look at coffer accept"
    let (code, text): (Code, String) =
      switch error {
      case .anchorMissing: (.dataError, "the anchor of the database is missing: \(advice)")
      case .anchorDamaged: (.dataError, "the anchor is damaged, or of another key: \(advice)")
      case .anchorOlder: (.dataError, "the anchor is older than the database: \(advice)")
      case .anchorUnavailable, .recordUnavailable: (.inputOutput, "\(error)")
      case .inUse: (.temporary, "\(error)")
      default: (.dataError, "\(error)")
      }
    self.init(code, file + text)
  }

  private init(_ error: DatabaseError, path: String?) {
    let file = path.map { "\($0): " } ?? ""
    if let diagnosis = error.cipherDiagnosis {
      self.init(diagnosis, file: file, hasSlots: path.map(KeySlots.exist) ?? true)
      return
    }
    let message = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
    let hint = error.hint.map(Self.isForPrograms) == false ? ". \(error.hint ?? "")" : ""
    switch error.resultCode {
    case .SQLITE_INTERRUPT:
      self.init(.interrupted, "interrupted; nothing was changed")
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self.init(.temporary, "\(file)\(message). Another program uses the file: try again later")
    case .SQLITE_FULL:
      self.init(.inputOutput, "\(file)\(message). Free some space, and try again")
    case .SQLITE_IOERR:
      self.init(.inputOutput, "\(file)\(message)\(hint). Check the disk and its free space")
    case .SQLITE_CANTOPEN:
      self.init(.cantCreate, "\(file)\(message)\(hint)")
    case .SQLITE_PERM where message.contains("Too many open files"):
      self.init(.inputOutput, "\(file)\(message). Allow more of them: ulimit -n")
    case .SQLITE_PERM:
      self.init(.noInput, "\(file)\(message). Check the rights of the file and its folder")
    case .SQLITE_NOTADB, .SQLITE_CORRUPT:
      self.init(.dataError, "\(file)\(message)\(hint). Look at it with coffer check")
    case .SQLITE_READONLY:
      if let path, access(path, F_OK) == 0, access(path, W_OK) != 0 {
        self.init(.failed, "\(file)\(message). Check the rights of the file and its folder")
      } else if hint.isEmpty {
        self.init(
          .failed, "\(message). To change the data: coffer exec, and a file that can be written")
      } else {
        self.init(.failed, "\(file)\(message)\(hint)")
      }
    default:
      self.init(.failed, message + Self.advice(message, hint: hint))
    }
  }

  private static func advice(_ message: String, hint: String) -> String {
    if message.hasPrefix("no such table") { return ". coffer tables lists them" }
    if message.hasPrefix("no such column") { return ". coffer schema shows the columns" }
    if message.hasPrefix("missing statement argument") { return ". Give --param NAME=VALUE" }
    if message.hasPrefix("no such tokenizer") || message.hasPrefix("no such module") {
      return ". Only a program that has it can use the table; coffer dump keeps what it stores"
    }
    return hint
  }

  /// Whether a hint names what only a program can call.
  private static func isForPrograms(_ hint: String) -> Bool {
    ["Configuration", "db.", "Database", "schemaSource", "(_:", "Statement"]
      .contains { hint.contains($0) }
  }

  /// - Parameter hasSlots: Whether there are key slots beside the file.
  private init(_ diagnosis: CipherDiagnosis, file: String, hasSlots: Bool) {
    // A passphrase opens a slot, and not the file itself.
    let slots =
      hasSlots
      ? "" : ". If the file had key slots, bring back what was beside it under its name with -keys"
    switch diagnosis {
    case .keyRequired:
      self.init(.noPermission, "\(file)the file is encrypted. \(Self.keyAdvice)")
    case .notEncrypted:
      self.init(
        .dataError,
        "\(file)the file is not encrypted, but a key was given. Leave the key out, or use "
          + "coffer encrypt")
    case .wrongKey:
      self.init(
        .noPermission,
        "\(file)the key is wrong. Check the passphrase or the key file, and --cipher\(slots)")
    case .wrongKeyOrDamaged:
      self.init(
        .noPermission,
        "\(file)the key is wrong, or this is no database. Check the path and the key\(slots)")
    case .wrongSalt:
      self.init(.noPermission, "\(file)the key's salt is not the file's. Give the key alone")
    case .damaged, .truncated:
      self.init(
        .dataError, "\(file)\(diagnosis.message) coffer check lists what is damaged")
    case .replaced(let replacement):
      let found =
        switch replacement {
        case .olderFile: "the file is an older version of the database"
        case .olderPage: "some pages of the database are older than the others"
        case .cutLog: "the write-ahead log was cut, removed or replaced"
        case .otherDatabase: "the file is another database than the anchor's"
        }
      self.init(
        .dataError,
        "\(file)\(found). Bring the newest files back, or, if you replaced them yourself, use coffer "
          + "accept")
    case .olderFormat(let settings):
      let name = settings == .sqlcipher3 ? "SQLCipher 3" : "\(settings)"
      self.init(
        .dataError,
        "\(file)the key is right, but the file has the settings of \(name). Add --cipher "
          + "\(CipherOption.text(settings)), or use coffer convert")
    }
  }

  /// The ways to give a key.
  static let keyAdvice =
    "Give its key: --passphrase-file, --passphrase-fd, --passphrase-command, --key-file, "
    + "--credential, --recovery-key-file, or a terminal to ask on"
}

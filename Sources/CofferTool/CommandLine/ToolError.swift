import Coffer

/// The reason why the tool fails, and its exit code.
struct ToolError: Error, CustomStringConvertible {
  /// Exit codes, from `sysexits.h` where it defines one.
  enum Code: Int32 {
    /// SQL or data failed.
    case failed = 1
    case usage = 2
    /// A check or a comparison has found something.
    case found = 3
    /// A file is not what it should be.
    case dataError = 65
    case noInput = 66
    case software = 70
    case cantCreate = 73
    case inputOutput = 74
    /// Another program uses the file.
    case temporary = 75
    /// The key is wrong or missing.
    case noPermission = 77
    case interrupted = 130
    case pipeClosed = 141
  }

  let code: Code
  let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

extension ToolError {
  /// Translates an error of the library.
  ///
  /// - Parameter path: The file that was used, if any.
  init(_ error: any Error, path: String? = nil) {
    switch error {
    case let error as ToolError: self = error
    case let error as DatabaseError: self.init(error, path: path)
    case let error as DatabaseKeyError: self.init(.noPermission, "\(error)")
    case let error as CipherSettingsError: self.init(.usage, "--cipher: \(error)")
    case let error as FileError: self.init(error)
    default: self.init(.software, "\(error)")
    }
  }

  init(_ error: FileError) {
    let isMissing = [2, 13, 20, 21].contains(error.code)  // ENOENT, EACCES, ENOTDIR, EISDIR
    self.init(isMissing ? .noInput : .inputOutput, "\(error). Check the path")
  }

  private init(_ error: DatabaseError, path: String?) {
    let file = path.map { "\($0): " } ?? ""
    if let diagnosis = error.cipherDiagnosis {
      self.init(diagnosis, file: file)
      return
    }
    let message = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
    let hint = error.hint.map { ". \($0)" } ?? ""
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
    case .SQLITE_PERM:
      self.init(.noInput, "\(file)\(message). Check the rights of the file and its folder")
    case .SQLITE_NOTADB, .SQLITE_CORRUPT:
      self.init(.dataError, "\(file)\(message)\(hint). Look at it with coffer check")
    case .SQLITE_READONLY:
      self.init(
        .failed, "\(message). To change the data: coffer exec, and a file that can be written")
    default:
      self.init(.failed, message + Self.advice(message, hint: hint))
    }
  }

  private static func advice(_ message: String, hint: String) -> String {
    if message.hasPrefix("no such table") { return ". coffer tables lists them" }
    if message.hasPrefix("no such column") { return ". coffer schema shows the columns" }
    if message.hasPrefix("missing statement argument") { return ". Give --param NAME=VALUE" }
    return hint
  }

  private init(_ diagnosis: CipherDiagnosis, file: String) {
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
        .noPermission, "\(file)the key is wrong. Check the passphrase or the key file, and --cipher"
      )
    case .wrongKeyOrDamaged:
      self.init(
        .noPermission,
        "\(file)the key is wrong, or this is no database. Check the path and the key")
    case .wrongSalt:
      self.init(.noPermission, "\(file)the key's salt is not the file's. Give the key alone")
    case .damaged, .truncated:
      self.init(
        .dataError, "\(file)\(diagnosis.message) coffer check lists what is damaged")
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
    + "--credential, or a terminal to ask on"
}

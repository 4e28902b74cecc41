import Coffer
import Glibc

/// The place from which an option takes a key.
enum KeySource: Equatable {
  case passphraseFile(String)
  case passphraseDescriptor(CInt)
  case passphraseCommand(String)
  case keyFile(String)
  case credential(String)
  case recoveryKeyFile(String)

  /// Returns the source that the options name; nil without such an option.
  ///
  /// - Parameter prefix: `new-` for the second key.
  init?(_ invocation: Invocation, prefix: String = "") throws {
    let given = (OptionSpec.keys(prefix) + [.recoveryKey]).map(\.name).filter { name in
      name.hasPrefix(prefix) && invocation.has(name)
    }
    guard let name = given.first, let value = invocation.value(name) else { return nil }
    guard given.count == 1 else {
      throw ToolError(.usage, "--\(given[0]) and --\(given[1]) both give a key: leave one out")
    }
    switch name.dropFirst(prefix.count) {
    case "passphrase-file": self = .passphraseFile(value)
    case "passphrase-fd":
      guard let descriptor = CInt(value), descriptor >= 0 else {
        throw ToolError(.usage, "--\(name) takes the number of a file descriptor")
      }
      self = .passphraseDescriptor(descriptor)
    case "passphrase-command": self = .passphraseCommand(value)
    case "key-file": self = .keyFile(value)
    case "recovery-key-file": self = .recoveryKeyFile(value)
    default: self = .credential(value)
    }
  }

  /// Reads the key.
  func read() throws -> DatabaseKey {
    let secret = SecretBytes()
    switch self {
    case .passphraseFile(let path):
      try Self.readFile(path, into: secret)
      secret.removeLineEnd()
      return try secret.passphrase(from: path)
    case .passphraseDescriptor(let descriptor):
      try secret.read(descriptor, name: "file descriptor \(descriptor)", endsAtLine: true)
      secret.removeLineEnd()
      return try secret.passphrase(from: "file descriptor \(descriptor)")
    case .passphraseCommand(let command):
      try PassphraseCommand.run(command, into: secret)
      secret.removeLineEnd()
      return try secret.passphrase(from: "the passphrase command's output")
    case .keyFile(let path):
      try Self.readFile(path, into: secret)
      guard let key = try secret.rawKey() else {
        throw ToolError(
          .noPermission,
          "\(path) is no raw key: it has neither 64 hexadecimal digits nor 32 bytes. For a "
            + "passphrase, use --passphrase-file")
      }
      return key
    case .credential(let name):
      return try Self.credential(name, secret)
    case .recoveryKeyFile:
      throw ToolError(.noPermission, "a recovery key opens key slots, and this file has none")
    }
  }

  /// What a slot that is made with the key says of it.
  var kind: KeySlot.Kind {
    switch self {
    case .passphraseFile, .passphraseDescriptor, .passphraseCommand: .passphrase
    case .keyFile: .file
    case .credential: .credential
    case .recoveryKeyFile: .recoveryKey
    }
  }

  /// Reads what opens a key slot.
  func unlocker() throws -> KeyUnlocker {
    guard case .recoveryKeyFile(let path) = self else { return .key(try read(), as: kind) }
    let secret = SecretBytes()
    try Self.readFile(path, into: secret)
    return .recoveryKey(String(decoding: secret.bytes, as: UTF8.self))
  }

  /// Reads a credential: a raw key, or else a passphrase.
  private static func credential(_ name: String, _ secret: SecretBytes) throws -> DatabaseKey {
    guard let folder = getenv("CREDENTIALS_DIRECTORY").map({ String(cString: $0) }), !folder.isEmpty
    else {
      throw ToolError(
        .noPermission,
        "--credential: $CREDENTIALS_DIRECTORY isn't set. systemd sets it for a service with "
          + "LoadCredential= or SetCredentialEncrypted=")
    }
    guard !name.contains("/"), name != "..", name != "." else {
      throw ToolError(.usage, "--credential takes a name, not a path")
    }
    let path = "\(folder)/\(name)"
    try readFile(path, into: secret)
    let isText = secret.bytes.allSatisfy { $0 >= 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    if secret.count != 32 || !isText, let key = try secret.rawKey() { return key }
    secret.removeLineEnd()
    return try secret.passphrase(from: path)
  }

  private static func readFile(_ path: String, into secret: SecretBytes) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
    defer { close(descriptor) }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_mode & (S_IROTH | S_IWOTH) != 0, isatty(STDERR_FILENO) == 1
    {
      let warning =
        "coffer: warning: every user of this machine can read \(path.printable); chmod 600 ends that\n"
      _ = warning.utf8.withContiguousStorageIfAvailable {
        write(STDERR_FILENO, $0.baseAddress, $0.count)
      }
    }
    try secret.read(descriptor, name: path)
  }
}

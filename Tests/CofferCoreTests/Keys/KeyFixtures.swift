import CSQLCipher
import CofferTestSupport
import Foundation
import Synchronization

@testable import CofferCore

/// The keys-*.db files, which Tests/Fixtures/make-key-fixtures makes.
enum KeyFixtures {
  static let passphrase = DatabaseKey.passphrase("correct horse")
  static let rawBytes = [UInt8](0..<32)
  static let salt = [UInt8](0xf0...0xff)

  static func url(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Fixtures/\(name)").standardizedFileURL
  }

  static func path(_ name: String) -> String { url(name).path }

  static func bytes(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: url(name))) }

  private static let derivedKeys = Mutex<[String: DerivedKey]>([:])

  /// A fixture's key, derived once.
  static func derivedKey(_ file: CipherFileTests.File) throws -> DerivedKey {
    if let known = derivedKeys.withLock({ $0[file.name] }) { return known }
    let salt = Array(try bytes(file.name).prefix(16))
    let derived = try DerivedKey.derive(from: file.key, salt: salt, settings: file.settings)
    guard let derived else { throw CodeError(code: SQLITE_ERROR) }
    derivedKeys.withLock { $0[file.name] = derived }
    return derived
  }

  /// Lends the path of a file with these bytes, in a new folder.
  static func withFile<Result>(
    _ bytes: [UInt8], _ body: (String) throws -> Result
  ) throws -> Result {
    let folder = try TemporaryDirectory()
    defer { withExtendedLifetime(folder) {} }
    let file = folder.path("file")
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return try body(file)
  }

  /// Lends the path of a changed copy of a fixture.
  static func withCopy<Result>(
    of name: String, changing change: (inout [UInt8]) -> Void = { _ in },
    _ body: (String) throws -> Result
  ) throws -> Result {
    var bytes = try bytes(name)
    change(&bytes)
    return try withFile(bytes, body)
  }

  /// SQLCipher's own answer to a query, or its result code.
  static func query(
    _ sql: String, path: String, keySpec: SecureBytes, pragmas: [String]
  ) -> Result<String?, CodeError> {
    var connection: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    defer { sqlite3_close(connection) }
    guard sqlite3_open_v2(path, &connection, flags, nil) == SQLITE_OK else {
      return .failure(CodeError(code: SQLITE_CANTOPEN))
    }
    _ = keySpec.withUnsafeBytes { sqlite3_key(connection, $0.baseAddress, CInt($0.count)) }
    for statement in pragmas { sqlite3_exec(connection, statement, nil, nil, nil) }
    var answer: String?
    var code = SQLITE_OK
    withUnsafeMutablePointer(to: &answer) { answer in
      code = sqlite3_exec(
        connection, sql,
        { context, _, values, _ in
          let text = values?[0].map { String(cString: $0) }
          context?.assumingMemoryBound(to: String?.self).pointee = text
          return 0
        }, answer, nil)
    }
    return code == SQLITE_OK ? .success(answer) : .failure(CodeError(code: code))
  }

  struct CodeError: Error, Equatable { var code: CInt }
}

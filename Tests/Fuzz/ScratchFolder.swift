import Foundation
import Glibc

/// A folder for the files of a run, in memory where the system has such a place.
final class ScratchFolder {
  let path: String

  init() throws {
    let memory = "/dev/shm"
    let base = access(memory, W_OK) == 0 ? memory : NSTemporaryDirectory()
    // The system finds a name that is free.
    var name = Array("\(base)/coffer-fuzz-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw Finding("no folder can be made in \(base)") }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Replaces a file's content.
  func write(_ name: String, _ bytes: some Collection<UInt8>) throws {
    let file = open(path(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { throw Finding("\(name) can't be written") }
    defer { close(file) }
    let bytes = Array(bytes)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Finding("\(name) can't be written") }
      written += count
    }
  }

  func read(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  func remove(_ names: String...) { for name in names { unlink(path(name)) } }
}

/// The files of this package's tests.
enum TestFiles {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent()  // Fuzz
    .deletingLastPathComponent()  // Tests

  static func fixture(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: folder.appendingPathComponent("Fixtures/\(name)")))
  }

  /// The inputs that failed once.
  static func regressions(_ target: String) -> [(name: String, bytes: [UInt8])] {
    let place = folder.appendingPathComponent("Fuzz/Regressions/\(target)")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
    return names.sorted().compactMap { name in
      let data = try? Data(contentsOf: place.appendingPathComponent(name))
      return data.map { ("Tests/Fuzz/Regressions/\(target)/\(name)", [UInt8]($0)) }
    }
  }
}

import Foundation

/// The files of Tests/Fixtures; README.md there lists them with their keys.
package enum Fixtures {
  package static let passphrase = "correct horse battery staple"
  package static let oddPassphrase = "it's \"quoted\" \u{E9}"
  package static let rawKeyHex = "2DD29CA851E7B56E4697B0E1F08507293D761A05CE4D1B628663F411A8086D99"
  package static let saltHex = "000102030405060708090A0B0C0D0E0F"

  package static let rowCount = 100
  package static let userVersion = 7
  package static let applicationID = 1234

  /// What the name of row `number` is, from 1 on; the text to look for in files
  /// that should have nothing readable.
  package static func name(ofRow number: Int) -> String { "COFFER-MARKER-\(number)" }

  package static func price(ofRow number: Int) -> Double { Double(number) * 1.25 }

  package static func data(ofRow number: Int) -> [UInt8] {
    (0..<200).map { UInt8(truncatingIfNeeded: number * 31 + $0 * 7) }
  }

  /// The path of a fixture, which is to be read and never opened for writing:
  /// SQLite writes to a file in WAL mode even where it only reads.
  package static func path(_ name: String) -> String {
    "\(directory)/\(name)"
  }

  /// The path of a fresh copy of a fixture, with the `-wal` file that lies beside
  /// it, if any. It stays until the process ends.
  package static func temporaryCopy(_ name: String) throws -> String {
    let copy = try copies.get().path("\(UUID().uuidString)-\(name)")
    for suffix in ["", "-wal"] where suffix.isEmpty || exists(name + suffix) {
      try FileManager.default.copyItem(atPath: path(name + suffix), toPath: copy + suffix)
    }
    return copy
  }

  private static func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: path(name))
  }

  private static let directory = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent()  // Support
    .deletingLastPathComponent()  // Tests
    .appendingPathComponent("Fixtures").path

  private static let copies: Result<TemporaryDirectory, any Error> = {
    let directory = Result { try TemporaryDirectory() }
    try? directory.get().staysUntilExit()
    return directory
  }()
}

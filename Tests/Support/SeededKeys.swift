import Coffer
import CofferCore

extension DatabaseKey {
  /// A raw key that differs between runs, and between places in the source.
  package static func seeded(
    file: String = #fileID, line: UInt = #line, column: UInt = #column
  ) -> DatabaseKey {
    var generator = SeededGenerator(file: file, line: line, column: column)
    do { return try .raw(generator.bytes(32)) } catch { fatalError("32 bytes are a key: \(error)") }
  }
}

extension DerivedKey {
  /// A salt that differs between runs, and between places in the source.
  package static func seededSalt(
    file: String = #fileID, line: UInt = #line, column: UInt = #column
  ) -> [UInt8] {
    var generator = SeededGenerator(file: file, line: line, column: column)
    return generator.bytes(16)
  }
}

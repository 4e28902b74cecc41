@testable import CofferCore

extension DatabaseKey {
  /// A raw key that differs between runs, and between places in the source.
  static func seeded(
    file: String = #fileID, line: UInt = #line, column: UInt = #column
  ) -> DatabaseKey {
    var generator = SeededGenerator(file: file, line: line, column: column)
    return DatabaseKey(form: .raw, bytes: SecureBytes(copying: generator.bytes(32)))
  }
}

extension DerivedKey {
  /// A salt that differs between runs, and between places in the source.
  static func seededSalt(
    file: String = #fileID, line: UInt = #line, column: UInt = #column
  ) -> [UInt8] {
    var generator = SeededGenerator(file: file, line: line, column: column)
    return generator.bytes(16)
  }
}

import Coffer
import Foundation

extension Configuration {
  /// Replaces SQL's `random` and `randomblob`, which draw numbers of the system, by functions with
  /// numbers that are the same for a seed and a place in the source.
  package mutating func seedRandomFunctions(
    file: String = #fileID, line: UInt = #line, column: UInt = #column
  ) {
    seedRandomFunctions(SeededGenerator(file: file, line: line, column: column))
  }

  /// The same with the numbers of a generator, for all connections together.
  package mutating func seedRandomFunctions(_ generator: SeededGenerator) {
    let numbers = Locked(generator)
    let random = DatabaseFunction("random", argumentCount: 0) { _ in
      numbers.changing { Int64(bitPattern: $0.next()) }
    }
    let randomBlob = DatabaseFunction("randomblob", argumentCount: 1) { values in
      let count = Int.fromDatabaseValue(values[0]) ?? 0
      return Data(numbers.changing { $0.bytes(max(1, count)) })
    }
    prepareDatabase { db in
      db.add(function: random)
      db.add(function: randomBlob)
    }
  }
}

#if DEBUG || COFFER_FUZZ
  @testable import CofferCore
  @testable import CofferToolKit

  /// The size of the chunks doesn't matter, a written record is read as the same one, and each
  /// value has the type that was detected.
  final class CSVTarget: FuzzTarget {
    static let name = "csv"
    static let share = 15.0

    let seeds = [
      "\u{0}a,b,c\r\n1,\"x\"\"y\",\r\n2,\"line\nbreak\",\"\"\r\n",
      "\u{1}a\tb\n1\t\"quoted\ttab\"\n-2.5e3\t007\n",
      "\u{2}\u{FEFF}id,name\n1,Ad\u{E9}\n,\n\n+5,\"\"",
    ].map { Array($0.utf8) }
    let words = [
      ",", "\"", "\"\"", "\r\n", "\n", "\r", "\t", "\u{FEFF}", "\",\"", "1e5", "-", "007", "+1",
      "0.5",
      "9223372036854775808", "AAAA", "=", "\0", "\u{E9}", ".", "e", "1.", "inf", "0x10",
    ]

    init(_ files: ScratchFolder) {}

    private struct Value: Equatable {
      var bytes: [UInt8]
      var isQuoted: Bool
    }

    /// The records, the lines on which they begin, and the error that ends them.
    private struct Result: Equatable {
      var records: [[Value]] = []
      var lines: [Int] = []
      var error: String?
    }

    private func read(_ bytes: [UInt8], _ separator: UInt8, chunk: Int) throws -> Result {
      var result = Result()
      var reader = try CSVReader(.bytes(bytes, chunk: chunk), separator: separator)
      do {
        while try reader.next() {
          result.lines.append(reader.line)
          result.records.append(
            reader.fields.map { field in
              reader.withBytes(of: field) { Value(bytes: Array($0), isQuoted: field.isQuoted) }
            })
        }
        try expect(reader.bytesConsumed == bytes.count, "bytes are left")
      } catch let error as ToolError { result.error = error.description }
      return result
    }

    func run(_ input: [UInt8]) throws -> Int {
      let flags = input.first ?? 0
      let separator: UInt8 = flags & 1 == 1 ? 0x09 : 0x2C
      let bytes = Array(input.dropFirst())
      let whole = try read(bytes, separator, chunk: max(1, bytes.count))
      let parts = try read(bytes, separator, chunk: 1 + Int(flags >> 1 & 7))
      try expect(whole == parts, "other records in other chunks: \(whole) and \(parts)")
      var shape = Shape()
      shape.add(whole.error?.drop { $0 != ":" }.description ?? "")
      for record in whole.records.prefix(8) {
        shape.add(record.count)
        for value in record.prefix(8) {
          shape.add(magnitude(value.bytes.count) << 1 | (value.isQuoted ? 1 : 0))
        }
      }
      try checkTypes(whole, &shape)
      try checkWriting(whole, separator)
      return shape.kind
    }

    private func checkTypes(_ result: Result, _ shape: inout Shape) throws {
      for column in 0..<(result.records.first?.count ?? 0) {
        var detector = TypeDetector()
        let values = result.records.filter { $0.count > column }.map { $0[column] }
        for value in values {
          value.bytes.withUnsafeBufferPointer { detector.add($0, isQuoted: value.isQuoted) }
        }
        shape.add(detector.type.rawValue)
        for value in values {
          guard String(validating: value.bytes, as: UTF8.self) != nil else { continue }
          for type in ImportType.allCases {
            let isImported = value.bytes.withUnsafeBufferPointer {
              ImportedValue($0, isQuoted: value.isQuoted, type: type) != nil
            }
            try expect(
              isImported || type != detector.type,
              "\(text(value.bytes)) doesn't fit the detected \(type)")
          }
        }
      }
    }

    private func checkWriting(_ result: Result, _ separator: UInt8) throws {
      let output = ByteOutput(sink: { _ in })
      var expected: [[Value]] = []
      for record in result.records.prefix(30) where output.buffer.count < 30_000 {
        let texts = record.map { String(validating: $0.bytes, as: UTF8.self) }
        guard !texts.contains(nil) else { continue }
        let values = zip(record, texts).map { value, text in
          value.bytes.isEmpty && !value.isQuoted ? .null : text!.databaseValue
        }
        let names = values.indices.map { "c\($0)" }
        let rows = CSVRows(names, separator: separator, isExact: true, to: output)
        if expected.isEmpty {
          // A byte order mark at the beginning isn't a part of the first field.
          rows.begin()
          expected.append(names.map { Value(bytes: Array($0.utf8), isQuoted: false) })
        }
        try rows.add(Row(columnNames: names, values: values))
        expected.append(record)
      }
      let again = try read(output.buffer, separator, chunk: 4096)
      try expect(again.error == nil, "what was written isn't read: \(again.error ?? "")")
      try expect(again.records.count == expected.count, "\(again.records.count) records")
      for (old, new) in zip(expected, again.records) {
        try expect(
          old.map(\.bytes) == new.map(\.bytes), "\(old) became \(new)")
        for (old, new) in zip(old, new) where old.bytes.isEmpty {
          try expect(old.isQuoted == new.isQuoted, "NULL and the empty text were mixed up")
        }
      }
    }
  }
#endif

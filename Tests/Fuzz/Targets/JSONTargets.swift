#if DEBUG || COFFER_FUZZ
  @testable import CofferCore
  @testable import CofferToolKit
  import Foundation

  private let jsonSeeds = [
    #"{"a": {"b": [1, -2.5e3, "x\u00e9\ud83d\ude00\n", true, false, null]}, "two words": 0.1}"#,
    #"[]"#, #"{}"#, #""text""#, #"-0"#, #"1E400"#, #"[[[[[[[[1]]]]]]]]"#,
    #"[{"id": 1, "name": "Ada", "tags": ["x", {"y": 2}]}, {"id": 9223372036854775808, "name": ""}]"#,
    "{\"id\": 1}\n{\"id\": 2, \"x\": null}\n{\"id\": 2.50, \"x\": true}\n",
  ]

  private let jsonWords = [
    "\"", "\\", "\\u", "\\u0000", "\\ud800", "\\udc00", "\\ud83d\\ude00", "{", "}", "[", "]", ":",
    ",",
    "null", "true", "false", "-", "+", ".", "e", "E+", "0", "00", "1e999", "9223372036854775807",
    "\u{FEFF}",
    "NaN", "Infinity", "0x1", "\u{1F}", "\u{7F}", "\0", "\u{2028}", "{\"a\":", "[[[[[[[[",
    "]]]]]]]]",
  ]

  /// Whether a text isn't UTF-8, or has escapes of half a surrogate pair: readers differ on them.
  private func isUncommon(_ json: [UInt8]) -> Bool {
    if String(validating: json, as: UTF8.self) == nil || json.contains(0) { return true }
    if json.starts(with: [0xEF, 0xBB, 0xBF]) { return true }
    let lower = text(json).lowercased()
    return lower.contains("\\ud") || lower.contains("\\u0000")
  }

  /// The scanner finds a value only in what SQLite and Foundation also call JSON, and the same one.
  final class JSONTarget: FuzzTarget {
    static let name = "json"
    static let share = 15.0

    let seeds: [[UInt8]]
    let words = jsonWords + ["$.", "$[0]", "$.a.b[3]", "$.\"two words\"", "\n"]
    private let queue: DatabaseQueue
    private let knowsJSON: Bool

    init(_ files: ScratchFolder) throws {
      queue = try DatabaseQueue()
      knowsJSON = SQLCipherGeneration.linked == .four
      let paths = ["$", "$.a.b[1]", "$[0].name", "$.\"two words\"", "$.a"]
      seeds = jsonSeeds.enumerated().map {
        Array((paths[$0.offset % paths.count] + "\n" + $0.element).utf8)
      }
    }

    func run(_ input: [UInt8]) throws -> Int {
      // The path is on the first line.
      let parts = input.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
      let path = Array(parts[0])
      let json = parts.count > 1 ? Array(parts[1]) : []
      let range = json.withUnsafeBytes { JSONScanner.find(in: $0, at: "$") }
      var shape = Shape()
      shape.add(range == nil ? 0 : 1)
      shape.add(Int(json.first { $0 > 0x20 } ?? 0))
      try compareValidity(json, range != nil)
      try json.withUnsafeBytes { bytes in
        let members = JSONScanner.members(of: bytes)
        shape.add(magnitude(members?.count ?? -1))
        if let range, [0x5B, 0x7B].contains(bytes[range.lowerBound]) {
          try expect(members != nil, "valid JSON has no members")
        }
        for (key, value) in members ?? [] {
          try expect(value.upperBound <= json.count && !value.isEmpty, "a member at \(value)")
          let inner = UnsafeRawBufferPointer(rebasing: bytes[value])
          try expect(
            JSONScanner.find(in: inner, at: "$") != nil, "a member at \(value) is no JSON")
          if let key {
            let name = UnsafeRawBufferPointer(rebasing: bytes[key])
            try expect(JSONScanner.find(in: name, at: "$") != nil, "a name at \(key) is no text")
          }
        }
        try path.withUnsafeBytes { path in
          let found = JSONScanner.find(in: bytes, at: path)
          shape.add(found == nil ? 0 : 1)
          let value = JSONScanner.value(in: bytes, at: path)
          if found != nil { try compareValue(value, json, Array(path)) }
          try checkChanges(bytes, path, isValid: range != nil)
        }
      }
      return shape.kind
    }

    private func compareValidity(_ json: [UInt8], _ isValid: Bool) throws {
      guard !isUncommon(json) else { return }
      let json = text(json)
      if knowsJSON {
        let answer = try queue.inDatabase { db in
          try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT json_valid(?)"), arguments: [json]) ?? false
        }
        try expect(answer == isValid, "SQLite says valid: \(answer), the scanner \(isValid)")
      }
      let object = try? JSONSerialization.jsonObject(
        with: Data(json.utf8), options: .fragmentsAllowed)
      // Foundation has no numbers that are too large.
      if isValid, json.utf8.count < 300, !json.contains("e") && !json.contains("E") {
        try expect(object != nil, "Foundation rejects what the scanner takes")
      }
    }

    private func compareValue(_ value: DatabaseValue, _ json: [UInt8], _ path: [UInt8]) throws {
      // SQLite finds nothing by a path with an invalid escape.
      guard knowsJSON, !isUncommon(json), !isUncommon(path), !path.contains(0x5C) else { return }
      let answer = try? queue.inDatabase { db in
        try DatabaseValue.fetchOne(
          db.cachedStatement(sql: "SELECT json_extract(?, ?)"),
          arguments: [text(json), text(path)])
      }
      guard let answer else { return }
      switch (value.storage, answer.storage) {
      case (.string(let mine), .string(let theirs)) where mine.first == "{" || mine.first == "[":
        // SQLite removes spaces.
        let (mine, theirs) = (mine.utf8.filter { $0 > 0x20 }, theirs.utf8.filter { $0 > 0x20 })
        try expect(mine == theirs, "another value than SQLite's")
      case (.double(let mine), .double(let theirs)):
        let difference = (mine - theirs).magnitude
        try expect(
          mine == theirs || difference <= mine.magnitude * 1e-14, "\(mine), and SQLite's \(theirs)")
      default: try expect(value == answer, "\(value), and SQLite's \(answer): \(text(path))")
      }
    }

    /// What is made of JSON is JSON.
    private func checkChanges(
      _ json: UnsafeRawBufferPointer, _ path: UnsafeRawBufferPointer, isValid: Bool
    ) throws {
      guard isValid, String(validating: json, as: UTF8.self) != nil,
        String(validating: path, as: UTF8.self) != nil
      else { return }
      func isJSON(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { JSONScanner.find(in: $0, at: "$") != nil }
      }
      let one: [UInt8] = [0x31]
      let known = Array(#"{"a": {"b": 0}, "id": 0}"#.utf8)
      try one.withUnsafeBytes { one in
        let edited = JSONEditor.setting(one, at: path, in: json)
        try expect(isJSON(Array(edited.utf8)), "an edited text is no JSON: \(edited)")
      }
      try known.withUnsafeBytes { known in
        let merged = JSONKeeper.keeping(json, in: json, known: known)
        try expect(isJSON(merged), "a merged text is no JSON: \(text(merged))")
        _ = JSONKeeper.isCovered(json, by: known)
      }
    }
  }

  /// What is imported is JSON, all JSON of that form is imported, and it is the same when it is
  /// written and read again.
  final class JSONImportTarget: FuzzTarget {
    static let name = "json-import"
    static let share = 12.0

    let seeds =
      jsonSeeds.suffix(2).map { [0x61] + Array($0.utf8) }
      + jsonSeeds.suffix(2).map { [0x62] + Array($0.utf8) }
    let words = jsonWords

    init(_ files: ScratchFolder) {}

    private typealias Members = [(name: String, value: JSONValue)]

    private func read(_ bytes: [UInt8], isArray: Bool) throws -> [Members] {
      var reader = JSONReader(bytes, isArray: isArray)
      var objects: [Members] = []
      while let object = try reader.next() { objects.append(object) }
      try expect(reader.bytesConsumed == bytes.count, "bytes are left")
      return objects
    }

    func run(_ input: [UInt8]) throws -> Int {
      let isArray = (input.first ?? 0) & 1 == 1
      let bytes = Array(input.dropFirst())
      var shape = Shape()
      let objects: [Members]
      do { objects = try read(bytes, isArray: isArray) } catch let error as ToolError {
        shape.add(error.description.drop { $0 != ":" }.description)
        if isArray { try checkRefusal(bytes, error) }
        return shape.kind
      }
      shape.add(magnitude(objects.count))
      for member in objects.joined().prefix(40) { shape.add(kind(member.value)) }
      if isArray {
        let json = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        let isJSON = json.withUnsafeBytes { JSONScanner.find(in: $0, at: "$") != nil }
        // The scanner has a limit of levels, which is no business of a reader of rows.
        try expect(isJSON || json.count > 1900, "what was imported is no JSON")
      }
      try checkWriting(objects)
      return shape.kind
    }

    private func checkRefusal(_ bytes: [UInt8], _ error: ToolError) throws {
      guard !isUncommon(bytes) else { return }
      let isList = bytes.withUnsafeBytes { json in
        guard JSONScanner.find(in: json, at: "$") != nil,
          bytes.first(where: { $0 > 0x20 }) == 0x5B, let members = JSONScanner.members(of: json)
        else { return false }
        return members.allSatisfy { bytes[$0.value.lowerBound] == 0x7B }
      }
      try expect(!isList, "a list of objects is refused: \(error)")
    }

    private func kind(_ value: JSONValue) -> Int {
      switch value {
      case .null: 0
      case .bool: 1
      case .integer: 2
      case .number: 3
      case .text: 4
      case .nested: 5
      }
    }

    private func stored(_ value: JSONValue) -> DatabaseValue {
      switch value {
      case .null: .null
      case .bool(let flag): (flag ? 1 : 0).databaseValue
      case .integer(let number): number.databaseValue
      case .number(let text): (Double(text) ?? 0).databaseValue
      case .text(let text), .nested(let text): text.databaseValue
      }
    }

    private func checkWriting(_ objects: [Members]) throws {
      let output = ByteOutput(sink: { _ in })
      for object in objects.prefix(20) {
        var rows = JSONRows(object.map(\.name), isArray: false, to: output)
        let values = object.map { stored($0.value) }
        guard !values.isEmpty, output.buffer.count < 40_000 else { return }
        try rows.add(Row(columnNames: object.map(\.name), values: values))
        let again = try read(output.buffer, isArray: false)
        output.buffer.removeAll()
        try expect(again.count == 1, "an object became \(again.count)")
        for (old, new) in zip(object, again[0]) {
          try expect(old.name.utf8.elementsEqual(new.name.utf8), "another name: \(new.name)")
          try expect(
            stored(old.value) == stored(new.value), "\(old.value) became \(new.value)")
        }
      }
    }
  }
#endif

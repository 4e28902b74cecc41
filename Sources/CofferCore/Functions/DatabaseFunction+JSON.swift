extension DatabaseFunction {
  /// `coffer_json(text, path)`: the value at a path in JSON, on both generations of SQLCipher.
  ///
  /// Every connection knows it: it is how the properties of stored structs are read, also by
  /// indexes. Paths are those of SQLite's `json_extract`, such as `$.address.city` and
  /// `$.tags[0]`. Objects and arrays are given as they are written; what is missing, `null` or
  /// no JSON is NULL.
  public static let json = DatabaseFunction(
    "coffer_json", argumentCount: 2, pure: true,
    implementation: .scalar { arguments in
      arguments.withUTF8(at: 0) { text in
        arguments.withUTF8(at: 1) { path in JSONScanner.value(in: text, at: path) }
      } ?? .null
    })

  /// `coffer_json_set(text, path, json)`: the JSON with another value at a path, on both
  /// generations of SQLCipher.
  ///
  /// Every connection knows it: it is how the properties of stored structs are updated. The third
  /// argument is JSON, such as `'"Rome"'` with its quotes, or a number; NULL is `null`. An object's
  /// member that is missing is added. Where the object itself is missing, and where there is no
  /// JSON, nothing is changed. A third argument that is no JSON, and a path that is none, are
  /// errors.
  public static let jsonSet = DatabaseFunction(
    "coffer_json_set", argumentCount: 3, pure: true,
    implementation: .scalar { arguments in
      guard var value = json(arguments, 2),
        value.withUTF8({ JSONScanner.find(in: UnsafeRawBufferPointer($0), at: "$") }) != nil
      else { throw DatabaseError(message: "coffer_json_set: the third argument is no JSON") }
      let changed = try arguments.withUTF8(at: 0) { text in
        try arguments.withUTF8(at: 1) { path in
          guard JSONPathBytes(path) != nil else {
            throw DatabaseError(message: "coffer_json_set: the second argument is no path")
          }
          return value.withUTF8 {
            JSONEditor.setting(UnsafeRawBufferPointer($0), at: path, in: text)
          }
        }
      }
      return changed?.databaseValue ?? arguments.databaseValue(at: 0)
    })

  /// `coffer_json_count(text, path)`: how many elements an array has, or members an object, on both
  /// generations of SQLCipher.
  ///
  /// Every connection knows it. NULL where there is neither.
  public static let jsonCount = DatabaseFunction(
    "coffer_json_count", argumentCount: 2, pure: true,
    implementation: .scalar { arguments in
      withJSON(arguments) { JSONScanner.members(of: $0)?.count.databaseValue } ?? .null
    })

  /// `coffer_json_contains(text, path, value)`: 1 where an array has an element that `coffer_json`
  /// would give as the value, and 0 where it has none, on both generations of SQLCipher.
  ///
  /// Every connection knows it. NULL where there is no array. Texts are compared by their bytes.
  public static let jsonContains = DatabaseFunction(
    "coffer_json_contains", argumentCount: 3, pure: true,
    implementation: .scalar { arguments in
      withJSON(arguments) { json in
        guard let members = JSONScanner.members(of: json), json.first == UInt8(ascii: "[") else {
          return nil
        }
        let value = arguments.databaseValue(at: 2)
        let isThere = members.contains { member in
          JSONFragment(UnsafeRawBufferPointer(rebasing: json[member.value])).databaseValue == value
        }
        return isThere.databaseValue
      } ?? .null
    })

  /// `coffer_json_keep(old, new, known)`: the new JSON, with those members of the old one that its
  /// writer doesn't know, on both generations of SQLCipher.
  ///
  /// Every connection knows it: a document that is saved by an older form of its type keeps what
  /// that doesn't know. The third argument is JSON: `{"city":0,"geo":{"lat":0,"lon":0}}` knows
  /// `city`, and of `geo` two members. Where the others are no objects, the new one is given.
  public static let jsonKeep = DatabaseFunction(
    "coffer_json_keep", argumentCount: 3, pure: true,
    implementation: .scalar { arguments in
      let kept: DatabaseValue? = arguments.withUTF8(at: 0) { old in
        arguments.withUTF8(at: 1) { new in
          arguments.withUTF8(at: 2) { known in
            String(decoding: JSONKeeper.keeping(old, in: new, known: known), as: UTF8.self)
              .databaseValue
          }
        }
      }
      return kept ?? arguments.databaseValue(at: 1)
    })

  /// Lends the JSON at the path that is the second argument.
  private static func withJSON(
    _ arguments: SQLite.FunctionArguments, _ body: (UnsafeRawBufferPointer) -> DatabaseValue?
  ) -> DatabaseValue? {
    arguments.withUTF8(at: 0) { text in
      arguments.withUTF8(at: 1) { path in
        JSONScanner.find(in: text, at: path).flatMap { range in
          body(UnsafeRawBufferPointer(rebasing: text[range]))
        }
      }
    }
  }

  /// The JSON that an argument is; nil for a blob that is no text.
  private static func json(_ arguments: SQLite.FunctionArguments, _ index: Int) -> String? {
    switch arguments.databaseValue(at: index).storage {
    case .null: "null"
    case .int64(let value): String(value)
    case .double(let value): String(value)
    case .string, .blob: arguments.string(at: index)
    }
  }
}

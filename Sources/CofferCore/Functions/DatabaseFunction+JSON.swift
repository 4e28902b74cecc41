import CofferVault

extension DatabaseFunction {
  /// `coffer_json(text, path)`: returns the value at a path in JSON.
  ///
  /// Available on both generations of SQLCipher.
  ///
  /// Registered in every connection: it reads the properties of stored structs, also for indexes.
  /// Paths have the syntax of SQLite's `json_extract`, such as `$.address.city` and `$.tags[0]`.
  /// Objects and arrays are returned as written; a missing value, `null` and invalid JSON are NULL.
  public static let json = value(.plain)

  /// `coffer_json_decimal` and `coffer_json_unsigned`: `coffer_json` for properties whose numbers
  /// SQLite's don't have all digits of.
  static let exactJSON = [
    value(.decimal), value(.unsigned), containment(.decimal), containment(.unsigned),
  ]

  private static func value(_ numbers: JSONNumbers) -> DatabaseFunction {
    DatabaseFunction(
      "coffer_json\(numbers.suffix)", argumentCount: 2, pure: true,
      implementation: .scalar { arguments in
        arguments.withUTF8(at: 0) { text in
          arguments.withUTF8(at: 1) { path in JSONScanner.value(in: text, at: path, numbers) }
        } ?? .null
      })
  }

  /// `coffer_json_set(text, path, json)`: returns the JSON with another value at a path.
  ///
  /// Available on both generations of SQLCipher.
  ///
  /// Registered in every connection: it updates the properties of stored structs. The third
  /// argument is JSON, such as `'"Rome"'` with its quotes, or a number; NULL is `null`. A missing
  /// member of an existing object is added. If the object itself is missing, or the text is not
  /// JSON, nothing changes. An invalid path, and a third argument that is not JSON, are errors.
  public static let jsonSet = DatabaseFunction(
    "coffer_json_set", argumentCount: 3, pure: true,
    implementation: .scalar { arguments in
      guard var value = json(arguments, 2),
        value.withUTF8({ JSONScanner.find(in: UnsafeRawBufferPointer($0), at: "$") }) != nil
      else { throw DatabaseError(message: "coffer_json_set: the third argument is not JSON") }
      let changed = try arguments.withUTF8(at: 0) { text in
        try arguments.withUTF8(at: 1) { path in
          guard JSONPathBytes(path) != nil else {
            throw DatabaseError(message: "coffer_json_set: the second argument is not a path")
          }
          return value.withUTF8 {
            JSONEditor.setting(UnsafeRawBufferPointer($0), at: path, in: text)
          }
        }
      }
      return changed?.databaseValue ?? arguments.databaseValue(at: 0)
    })

  /// `coffer_json_count(text, path)`: returns the number of elements or members.
  ///
  /// Counts the elements of an array or the members of an object, on both generations of SQLCipher.
  ///
  /// Registered in every connection. NULL for any other value.
  public static let jsonCount = DatabaseFunction(
    "coffer_json_count", argumentCount: 2, pure: true,
    implementation: .scalar { arguments in
      withJSON(arguments) { JSONScanner.members(of: $0)?.count.databaseValue } ?? .null
    })

  /// `coffer_json_contains(text, path, value)`: returns whether an array contains a value.
  ///
  /// Returns 1 if the array contains an element for which `coffer_json` would return the value,
  /// otherwise 0, on both generations of SQLCipher.
  ///
  /// Registered in every connection. NULL if the path leads to no array. Texts are compared by
  /// Swift's `==`.
  public static let jsonContains = containment(.plain)

  private static func containment(_ numbers: JSONNumbers) -> DatabaseFunction {
    DatabaseFunction(
      "coffer_json_contains\(numbers.suffix)", argumentCount: 3, pure: true,
      implementation: .scalar { arguments in
        withJSON(arguments) { json in
          guard let members = JSONScanner.members(of: json),
            unsafe json.first == UInt8(ascii: "[")
          else { return nil }
          let value = arguments.databaseValue(at: 2)
          let isThere = members.contains { member in
            let element = unsafe JSONFragment(UnsafeRawBufferPointer(rebasing: json[member.value]))
            return areEqual(element.databaseValue(numbers), value)
          }
          return isThere.databaseValue
        } ?? .null
      })
  }

  private static func areEqual(_ lhs: DatabaseValue, _ rhs: DatabaseValue) -> Bool {
    if case .string(let lhs) = lhs.storage, case .string(let rhs) = rhs.storage {
      return lhs == rhs
    }
    return lhs == rhs
  }

  /// `coffer_json_keep(old, new, known)`: returns the new JSON with the old JSON's unknown members.
  ///
  /// Unknown members are those that the writer doesn't know. Available on both generations of
  /// SQLCipher.
  ///
  /// Registered in every connection: a document saved by an older form of its type keeps the
  /// properties that this form doesn't know. The third argument is JSON that lists the known
  /// members: `{"city":0,"geo":{"lat":0,"lon":0}}` knows `city`, and two members of `geo`. If any
  /// argument is not an object, the result is the new JSON.
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

  /// Passes the JSON at the path in the second argument to `body`.
  @safe private static func withJSON(
    _ arguments: SQLite.FunctionArguments, _ body: (UnsafeRawBufferPointer) -> DatabaseValue?
  ) -> DatabaseValue? {
    arguments.withUTF8(at: 0) { text in
      arguments.withUTF8(at: 1) { path in
        JSONScanner.find(in: text, at: path).flatMap { range in
          unsafe body(UnsafeRawBufferPointer(rebasing: text[range]))
        }
      }
    }
  }

  /// Returns an argument as JSON; nil for a blob that is not text.
  private static func json(_ arguments: SQLite.FunctionArguments, _ index: Int) -> String? {
    switch arguments.databaseValue(at: index).storage {
    case .null: "null"
    case .int64(let value): String(value)
    case .double(let value): String(value)
    case .string, .blob: arguments.string(at: index)
    }
  }
}

extension JSONNumbers {
  /// The end of a function's name.
  package var suffix: String { self == .plain ? "" : "_\(rawValue)" }
}

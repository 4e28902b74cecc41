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
}

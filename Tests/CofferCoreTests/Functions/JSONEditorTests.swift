import Testing

@testable import CofferCore

struct JSONEditorTests {
  private func setting(_ value: String, at path: String, in json: String) -> String {
    Array(value.utf8).withUnsafeBytes { value in
      Array(path.utf8).withUnsafeBytes { path in
        Array(json.utf8).withUnsafeBytes { JSONEditor.setting(value, at: path, in: $0) }
      }
    }
  }

  @Test(arguments: [
    ("$.b", #"{"a":0,"b":1}"#), (#"$."two words""#, #"{"a":0,"two words":1}"#),
    (#"$."a\"b""#, #"{"a":0,"a\"b":1}"#), (#"$.a"b"#, #"{"a":0,"a\"b":1}"#),
    (#"$.a\"#, #"{"a":0,"a\\":1}"#), ("$.a\nb", #"{"a":0,"a\u000ab":1}"#),
  ])
  func `a new member's name is JSON, whatever the path has`(path: String, expected: String) {
    let edited = setting("1", at: path, in: #"{"a":0}"#)
    #expect(edited == expected)
    let isJSON = Array(edited.utf8).withUnsafeBytes { JSONScanner.find(in: $0, at: "$") != nil }
    #expect(isJSON)
  }
}

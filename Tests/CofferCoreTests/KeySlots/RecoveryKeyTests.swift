import Testing

@testable import CofferCore
@testable import CofferSQLite
@testable import CofferVault

struct RecoveryKeyTests {
  private func parsed(_ text: String) throws -> [UInt8] {
    try RecoveryKey.parse(SecureBytes(copying: text.utf8)).withUnsafeBytes { unsafe Array($0) }
  }

  private func bytes(_ key: RecoveryKey) -> [UInt8] {
    key.bytes.withUnsafeBytes { unsafe Array($0) }
  }

  @Test func `what is shown can be typed again`() throws {
    for _ in 0..<500 {
      let key = RecoveryKey()
      #expect(try parsed(key.text) == bytes(key))
    }
    #expect(Set((0..<100).map { _ in RecoveryKey().text }).count == 100)
  }

  @Test func `the text has the form that the format describes`() throws {
    let key = RecoveryKey(bytes: SecureBytes(copying: [UInt8](0..<20)))
    #expect(key.text == "000GN-40R48-0M308-E209K-185GH-R38EQ-1W81K-24GKX")
  }

  @Test func `case, spaces, dashes and look-alikes don't matter`() throws {
    let key = RecoveryKey(bytes: SecureBytes(copying: [UInt8](repeating: 0x42, count: 20)))
    let text = key.text
    let forms = [
      text.lowercased(), text.replacing("-", with: " "), text.replacing("-", with: ""),
      " " + text + "\n", text.replacing("0", with: "O").replacing("1", with: "l"),
      text.replacing("0", with: "o").replacing("1", with: "I"),
    ]
    for form in forms { #expect(try parsed(form) == bytes(key), "\(form)") }
  }

  @Test func `each mistyped character is named by its group`() throws {
    let text = RecoveryKey().text
    for (position, character) in text.enumerated() where character != "-" {
      for other in "0123456789ABCDEFGHJKMNPQRSTVWXYZ?U" where other != character {
        var characters = Array(text)
        characters[position] = other
        #expect(throws: KeySlotsError.mistypedRecoveryKey(group: position / 6 + 1)) {
          try parsed(String(characters))
        }
      }
    }
  }

  @Test func `characters and groups that changed places are noticed`() throws {
    for _ in 0..<50 {
      let text = RecoveryKey().text
      let groups = text.split(separator: "-").map(String.init)
      for first in 0..<8 {
        for second in (first + 1)..<8 {
          var swapped = groups
          swapped.swapAt(first, second)
          #expect(throws: KeySlotsError.mistypedRecoveryKey(group: first + 1)) {
            try parsed(swapped.joined(separator: "-"))
          }
        }
      }
      let characters = Array(text)
      for position in 0..<(characters.count - 1) {
        let pair = (characters[position], characters[position + 1])
        guard pair.0 != pair.1, pair.0 != "-", pair.1 != "-" else { continue }
        var swapped = characters
        swapped.swapAt(position, position + 1)
        #expect(throws: KeySlotsError.mistypedRecoveryKey(group: position / 6 + 1)) {
          try parsed(String(swapped))
        }
      }
    }
  }

  @Test func `a part of a key is told`() throws {
    let text = RecoveryKey().text
    for part in ["", "7", String(text.dropLast()), String(text.dropLast(6)), text + "7"] {
      #expect(throws: KeySlotsError.incompleteRecoveryKey) { try parsed(part) }
    }
  }

  @Test func `descriptions show nothing of it`() throws {
    let key = RecoveryKey()
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped, "\([key])"] {
      #expect(!key.text.split(separator: "-").contains { text.contains($0) }, "\(text)")
    }
  }
}

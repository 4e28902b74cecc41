import CofferCore
import Testing

struct KeptNamesTests {
  private final class Key {}

  @Test func `a name belongs to its object, also if others have the same slot`() {
    let names = KeptNames()
    var keys: [Key] = []
    for number in 0..<2_000 {
      let key = Key()
      names.keep("name \(number)", of: key)
      keys.append(key)
    }
    let found = keys.enumerated().filter { number, key in
      guard let name = names.name(of: key) else { return false }
      #expect(name == "name \(number)")
      return true
    }
    #expect(found.count > 20 && found.count < keys.count)
  }

  @Test func `an object with a name stays, so that no other has its address`() {
    let names = KeptNames()
    weak var released: Key?
    do {
      let key = Key()
      names.keep("name", of: key)
      released = key
    }
    #expect(released.map { names.name(of: $0) } == "name")
    for _ in 0..<1_000 { #expect(names.name(of: Key()) == nil) }
  }
}

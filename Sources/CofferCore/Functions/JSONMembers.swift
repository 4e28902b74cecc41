/// A JSON object as its members, to be put together anew.
package struct JSONMembers {
  package struct Member {
    /// The name, without quotes and escapes.
    package let name: [UInt8]
    /// As it is written, quotes included.
    package let key: UnsafeRawBufferPointer
    package let value: UnsafeRawBufferPointer

    package var isNull: Bool { value.first == UInt8(ascii: "n") }
  }

  package private(set) var all: [Member]

  /// The members of an object; nil for anything else.
  package init?(_ json: UnsafeRawBufferPointer) {
    guard let members = JSONScanner.members(of: json) else { return nil }
    all = []
    all.reserveCapacity(members.count)
    for (key, value) in members {
      guard let key else { return nil }
      let inside = UnsafeRawBufferPointer(rebasing: json[key.lowerBound + 1..<key.upperBound - 1])
      all.append(
        Member(
          name: inside.contains(UInt8(ascii: "\\"))
            ? JSONFragment.unescaped(inside) : [UInt8](inside),
          key: UnsafeRawBufferPointer(rebasing: json[key]),
          value: UnsafeRawBufferPointer(rebasing: json[value])))
    }
    // No member: `[]`, perhaps.
    if members.isEmpty, json.first(where: { $0 > 0x20 }) != UInt8(ascii: "{") { return nil }
  }

  /// The member of a name; the first one, where there are several.
  package func member(_ name: [UInt8]) -> Member? { all.first { $0.name == name } }
}

/// Puts together two forms of an object, of which the newer one doesn't know everything.
package enum JSONKeeper {
  /// The new JSON, with those members of the old one that its writer doesn't know.
  ///
  /// - Parameter known: What the writer knows: `{"city":0,"geo":{"lat":0,"lon":0}}`. Where it has an
  ///   object, the values are put together in turn; all other values are those of the new JSON.
  package static func keeping(
    _ old: UnsafeRawBufferPointer, in new: UnsafeRawBufferPointer, known: UnsafeRawBufferPointer
  ) -> [UInt8] {
    guard let known = JSONMembers(known), let before = JSONMembers(old),
      let after = JSONMembers(new)
    else { return [UInt8](new) }
    var result: [UInt8] = [UInt8(ascii: "{")]
    func add(_ key: UnsafeRawBufferPointer, _ value: some Sequence<UInt8>) {
      if result.count > 1 { result.append(UInt8(ascii: ",")) }
      result += key
      result.append(UInt8(ascii: ":"))
      result += value
    }
    for member in after.all {
      guard let inside = known.member(member.name), let former = before.member(member.name),
        inside.value.first == UInt8(ascii: "{")
      else {
        add(member.key, member.value)
        continue
      }
      add(member.key, keeping(former.value, in: member.value, known: inside.value))
    }
    for member in before.all
    where known.member(member.name) == nil && after.member(member.name) == nil {
      add(member.key, member.value)
    }
    result.append(UInt8(ascii: "}"))
    return result
  }

  /// Whether an object, and those inside of it, have no other members than known ones.
  package static func isCovered(
    _ json: UnsafeRawBufferPointer, by known: UnsafeRawBufferPointer
  ) -> Bool {
    guard let known = JSONMembers(known) else { return true }
    guard let members = JSONMembers(json) else { return false }
    return members.all.allSatisfy { member in
      guard let inside = known.member(member.name) else { return false }
      return member.isNull || isCovered(member.value, by: inside.value)
    }
  }
}

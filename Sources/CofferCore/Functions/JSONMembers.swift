/// The members of a JSON object, from which another one can be assembled.
package struct JSONMembers {
  @safe package struct Member {
    /// The name, without quotes and escapes.
    package let name: [UInt8]
    /// The name as written, including quotes.
    @safe package let key: UnsafeRawBufferPointer
    @safe package let value: UnsafeRawBufferPointer

    package var isNull: Bool { unsafe value.first == UInt8(ascii: "n") }
  }

  package private(set) var all: [Member]

  /// Parses the members of an object; nil for any other value.
  @safe package init?(_ json: UnsafeRawBufferPointer) {
    guard let members = JSONScanner.members(of: json) else { return nil }
    all = []
    all.reserveCapacity(members.count)
    for (key, value) in members {
      guard let key else { return nil }
      let inside = unsafe UnsafeRawBufferPointer(
        rebasing: json[key.lowerBound + 1..<key.upperBound - 1])
      unsafe all.append(
        Member(
          name: inside.contains(UInt8(ascii: "\\"))
            ? JSONFragment.unescaped(inside) : [UInt8](inside),
          key: UnsafeRawBufferPointer(rebasing: json[key]),
          value: UnsafeRawBufferPointer(rebasing: json[value])))
    }
    // Without members, the value can also be `[]`.
    if members.isEmpty, unsafe json.first(where: { $0 > 0x20 }) != UInt8(ascii: "{") { return nil }
  }

  /// Returns the first member with that name.
  package func member(_ name: [UInt8]) -> Member? { all.first { $0.name == name } }
}

/// Merges two versions of an object if the newer version's writer doesn't know every member.
package enum JSONKeeper {
  /// Returns the new JSON with the members of the old JSON that the writer doesn't know.
  ///
  /// - Parameter known: The members that the writer knows: `{"city":0,"geo":{"lat":0,"lon":0}}`.
  ///   Members that are objects here are merged recursively; all others have the new JSON's values.
  @safe package static func keeping(
    _ old: UnsafeRawBufferPointer, in new: UnsafeRawBufferPointer, known: UnsafeRawBufferPointer
  ) -> [UInt8] {
    guard let known = JSONMembers(known), let before = JSONMembers(old),
      let after = JSONMembers(new)
    else { return unsafe [UInt8](new) }
    var result: [UInt8] = [UInt8(ascii: "{")]
    @safe func add(_ key: UnsafeRawBufferPointer, _ value: some Sequence<UInt8>) {
      if result.count > 1 { result.append(UInt8(ascii: ",")) }
      unsafe result += key
      result.append(UInt8(ascii: ":"))
      result += value
    }
    for member in after.all {
      guard let inside = known.member(member.name), let former = before.member(member.name),
        unsafe inside.value.first == UInt8(ascii: "{")
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

  /// Returns whether an object and its nested objects have only known members.
  @safe package static func isCovered(
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

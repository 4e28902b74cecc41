import Coffer
import Foundation

/// The commands about key slots.
extension Tool {
  /// `coffer key list`
  static func listKeys(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let path = invocation.arguments[0]
    try Opening(path: path, source: nil, cipher: nil).requireDatabase()
    let slots = try KeySlots.open(forDatabaseAt: path)
    try slots.verify()
    if invocation.has("json") {
      let objects = slots.all.map { slot in
        "{\"id\":\(slot.id),\"label\":\(JSONRows.quoted(slot.label)),"
          + "\"kind\":\(JSONRows.quoted(slot.kind.rawValue)),"
          + "\"created\":\(JSONRows.quoted(slot.created.formatted(.iso8601)))}"
      }
      console.line("[" + objects.joined(separator: ",") + "]")
      return 0
    }
    var table = TextTable([.number("ID"), .text("LABEL"), .text("KIND"), .text("CREATED")])
    for slot in slots.all {
      table.append([
        "\(slot.id)", slot.label, slot.kind.rawValue, slot.created.formatted(.iso8601),
      ])
    }
    for line in table.lines(width: console.width) { console.line(line) }
    return 0
  }

  /// `coffer key add`
  static func addKey(_ invocation: Invocation, _ console: Console) throws -> CInt {
    try withSlots(invocation) { slots, authorization in
      let second = try Opening(invocation, path: invocation.arguments[0], prefix: "new-")
      // A wrong key is told before a new one is asked for.
      if second.source == nil { try slots.verify(authorizedBy: authorization) }
      let slot = try slots.add(
        second.unlocker(second.newKey()), label: invocation.value("label") ?? "",
        authorizedBy: authorization)
      if console.isTerminal { console.line("Slot \(slot.id) opens the file.") }
    }
  }

  /// `coffer key change`
  static func changeKey(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let id = try invocation.argument(1).map(slotNumber)
    return try withSlots(invocation) { slots, authorization in
      let second = try Opening(invocation, path: invocation.arguments[0], prefix: "new-")
      // A wrong key is told before a new one is asked for.
      if second.source == nil { try slots.verify(authorizedBy: authorization) }
      let slot = try slots.change(
        id, to: second.unlocker(second.newKey()), authorizedBy: authorization)
      if console.isTerminal { console.line("Slot \(slot.id) is changed.") }
    }
  }

  /// `coffer key remove`
  static func removeKey(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let id = try slotNumber(invocation.arguments[1])
    return try withSlots(invocation) { slots, authorization in
      try slots.remove(id, authorizedBy: authorization)
    }
  }

  /// `coffer key recovery`
  static func addRecoveryKey(_ invocation: Invocation, _ console: Console) throws -> CInt {
    try withSlots(invocation) { slots, authorization in
      let key = try slots.addRecoveryKey(
        label: invocation.value("label") ?? "", authorizedBy: authorization)
      console.line(key.text)
      if console.isTerminal {
        console.line("This key opens the file. It is shown once: write it down now.")
      }
    }
  }

  /// `coffer key export`
  static func exportKey(_ invocation: Invocation, _ console: Console) throws -> CInt {
    try requireConsent(
      invocation, "Whoever sees the raw key of \(invocation.arguments[0]) can open it.")
    return try withSlots(invocation) { slots, authorization in
      try slots.dataKey(authorizedBy: authorization).withUnsafeRawKey { key in
        console.line(
          key.map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
          }.joined())
      }
    }
  }

  /// `coffer key enable`
  static func enableKeys(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let path = invocation.arguments[0]
    let opening = try Opening(invocation, path: path)
    let second = try Opening(invocation, path: path, prefix: "new-")
    guard try opening.requireDatabase() else {
      throw ToolError(.dataError, "\(path) is not encrypted. Use coffer encrypt")
    }
    guard !opening.hasSlots else {
      throw ToolError(KeySlotsError.alreadyExists(path: KeySlots.path(forDatabaseAt: path)))
    }
    return try opening.withKey { key in
      guard let key else { return 0 }
      var configuration = Configuration()
      configuration.key = key
      configuration.cipher = opening.cipher ?? .default
      let queue = try Opening.connect(path, configuration)
      let unlocker =
        try second.source.map { .key(try $0.read(), as: $0.kind) } ?? opening.unlocker(key)
      try queue.changeKey(
        to: .slots(unlocker: unlocker, label: invocation.value("label") ?? ""))
      try queue.close()
      return 0
    }
  }

  private static func slotNumber(_ text: String) throws -> Int {
    guard let id = Int(text), id > 0 else {
      throw ToolError(
        .usage, "\"\(text.printable)\" is no slot's number: coffer key list shows them")
    }
    return id
  }

  /// Calls `body` with the slots of the first argument, and with what opens one of them.
  private static func withSlots(
    _ invocation: Invocation, _ body: (KeySlots, KeyUnlocker) throws -> Void
  ) throws -> CInt {
    let path = invocation.arguments[0]
    try ToolError.naming(path) {
      try Opening(invocation, path: path).withUnlocker { unlocker in
        try body(KeySlots.open(forDatabaseAt: path), unlocker)
      }
    }
    return 0
  }
}

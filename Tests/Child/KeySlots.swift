// Scenarios of key slots:
//
//   CofferTestChild slots-change PATH SEED     changes slots until it is killed
//   CofferTestChild slots-rekey PATH BYTE NEW-BYTE
//   CofferTestChild slots-credential PATH NAME
//
// The key of number N is 32 times the byte N.

import CofferCore
import CofferTestSupport
import Foundation

private struct NumberedKey: KeyProvider {
  let byte: UInt8

  func key(forDatabaseAt path: String) throws -> DatabaseKey {
    try .raw([UInt8](repeating: byte, count: 32))
  }
}

private func unlocker(_ byte: UInt8) -> KeyUnlocker { .provider(NumberedKey(byte: byte)) }

func runKeySlotsScenario(_ arguments: [String]) throws -> Bool {
  switch (arguments.first, arguments.count) {
  case ("slots-change", 3):
    try changeSlots(arguments[1], seed: UInt64(arguments[2]) ?? 0)
  case ("slots-rekey", 4):
    guard let old = UInt8(arguments[2]), let new = UInt8(arguments[3]) else { return false }
    let queue = try DatabaseQueue(path: arguments[1], key: .slots(unlocker: unlocker(old)))
    say("ready")
    try queue.changeKey(to: .slots(unlocker: unlocker(new)))
    say("done")
  case ("slots-credential", 3):
    let credential = KeyUnlocker.credential(arguments[2])
    if (try? KeySlots.open(forDatabaseAt: arguments[1])) == nil {
      _ = try KeySlots.create(forDatabaseAt: arguments[1], unlocker: credential)
    }
    let queue = try DatabaseQueue(path: arguments[1], key: .slots(unlocker: credential))
    try queue.close()
    say("opened")
  default: return false
  }
  return true
}

/// Says before a change what may happen, and after it which keys beside the first open the file.
private func changeSlots(_ path: String, seed: UInt64) throws {
  var generator = SeededGenerator(state: seed)
  let slots = try KeySlots.open(forDatabaseAt: path)
  var ids: [UInt8: Int] = [:]
  say("ready")
  while true {
    let byte = UInt8.random(in: 2...9, using: &generator)
    if let id = ids[byte] {
      let other = (2...9).first { ids[$0] == nil }
      if let other, Bool.random(using: &generator) {
        say("doing \(byte) \(other)")
        try slots.change(id, to: unlocker(other), authorizedBy: unlocker(1))
        ids[other] = id
      } else {
        say("doing \(byte)")
        try slots.remove(id, authorizedBy: unlocker(byte))
      }
      ids[byte] = nil
    } else {
      say("doing \(byte)")
      ids[byte] = try slots.add(unlocker(byte), authorizedBy: unlocker(1)).id
    }
    say("open " + ids.keys.map { "\($0)" }.joined(separator: " "))
  }
}

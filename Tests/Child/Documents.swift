// Scenarios of several processes on the documents of one file:
//
//   CofferTestChild documents PATH KEY NAME COUNT
//   CofferTestChild documents-forever PATH KEY NAME
//
// Both begin at once; the collection may not exist yet. documents says "ready" after its first
// document, then inserts, saves and reads until there are COUNT documents, and says "done".
// documents-forever says "stored N" after each batch of ten.

import Coffer
import CofferTestSupport
import Foundation

/// The same type as in the tests.
private struct Note: Codable, Identifiable, CustomCollectionName {
  static let collectionName = "Note"
  var id: String
  @Index var process: String
  var number: Int
  var tags: [String] = []
}

func runDocumentScenario(_ arguments: [String]) throws -> Bool {
  guard arguments.count > 3, arguments[0].hasPrefix("documents") else { return false }
  let store = try DocumentStore(path: arguments[1], key: key(arguments[2]))
  let notes = try store.collection(Note.self)
  let name = arguments[3]
  func note(_ number: Int) -> Note {
    Note(id: "\(name)-\(number)", process: name, number: number, tags: ["a", "b"])
  }
  switch (arguments[0], arguments.count) {
  case ("documents", 5):
    let count = Int(arguments[4]) ?? 1
    try notes.insert(note(0))
    say("ready")
    var random = SeededGenerator()
    for number in stride(from: 1, to: count, by: 2) {
      try notes.insert((number..<min(number + 2, count)).map { note($0) })
      try notes.save(note(Int.random(in: 0..<number, using: &random)))
      let mine = notes.filter(\.process, equalTo: name)
      let counts = try store.read { _ in
        (try mine.fetchCount(), try mine.fetchMany(\.number).count)
      }
      guard counts == (min(number + 2, count), min(number + 2, count)) else {
        throw ScenarioError("\(counts) documents of \(number + 2)")
      }
    }
    try store.close()
    say("done")
  case ("documents-forever", 4):
    var number = 0
    while true {
      try notes.save((number..<number + 10).map { note($0) })
      number += 10
      say("stored \(number)")
    }
  default: return false
  }
  return true
}

import Coffer

/// A store with two notes of the oldest form of their type.
struct EvolvedNotes {
  struct Address: Codable, Equatable {
    var town: String
    var street: String?
  }

  struct Note: Codable, Identifiable, CustomCollectionName, Equatable {
    static let collectionName = "Note"
    var id: Int
    var text: String
    var price: Double
    var address: Address?
  }

  let encrypted: EncryptedStore

  init() throws {
    encrypted = try EncryptedStore()
    try encrypted.store.collection(Note.self).insert([
      Note(id: 1, text: "milk", price: 1.25, address: Address(town: "Rome", street: "a")),
      Note(id: 2, text: "bread", price: 3, address: nil),
    ])
  }
}

import Coffer
import CofferTestSupport
import Foundation
import Testing

/// Where the identifiers of documents come from.
private let identifiers = Locked(SeededGenerator())

struct EncryptedDocumentTests {
  struct Patient: Codable, Identifiable, Equatable {
    struct Contact: Codable, Equatable {
      var city: String
      var phone: EncryptedValue<String>?
    }
    var id: UUID
    var name: String
    var diagnosis: EncryptedValue<[String]>
    @Index var insuranceHash: Data
    var contact: Contact
  }

  struct Computed: Codable, Identifiable {
    var name: String
    var secret: EncryptedValue<String>?
    var id: String { name + "!" }
  }

  private let database: EncryptedStore
  private let cipher: ValueCipher

  init() throws {
    database = try EncryptedStore()
    cipher = try ValueCipher(key: .raw([UInt8](repeating: 0x17, count: 32)))
  }

  private func patient(
    _ name: String, in patients: DocumentCollection<Patient>
  ) throws -> Patient {
    let id = identifiers.changing { UUID.seeded(using: &$0) }
    return Patient(
      id: id, name: name,
      diagnosis: try cipher.seal(
        ["flu of \(name)"], at: patients.valuePlace(of: \.diagnosis, id: id)),
      insuranceHash: try cipher.indexHash(of: "insurance \(name)", name: "patient.insurance"),
      contact: Patient.Contact(
        city: "Bath",
        phone: try cipher.seal(
          "phone of \(name)", at: patients.valuePlace(of: \.contact.phone, id: id))))
  }

  @Test func `properties of documents, and of structs in them, open in their document`() throws {
    let store = database.store
    let patients = try store.collection(Patient.self)
    for name in ["Ada", "Bea", "Cid"] { try patients.insert(patient(name, in: patients)) }
    let hash = try cipher.indexHash(of: "insurance Bea", name: "patient.insurance")
    let found = try #require(try patients.filter(\.insuranceHash, equalTo: hash).fetchOne())
    #expect(found.name == "Bea")
    let diagnosis = try patients.valuePlace(of: \.diagnosis, id: found.id)
    #expect(try cipher.open(found.diagnosis, at: diagnosis) == ["flu of Bea"])
    let place = try patients.valuePlace(of: \.contact.phone, id: found.id)
    #expect("\(place)" == "Patient.contact.phone")
    let phone = try #require(found.contact.phone)
    #expect(try cipher.open(phone, at: place) == "phone of Bea")
    // Saving a document whose values stay closed doesn't change them.
    try patients.save(found)
    #expect(try patients.filter(id: found.id).fetchOne() == found)
    // The column is a blob.
    let types = try store.writer.read {
      try String.fetchSet($0, sql: "SELECT typeof(diagnosis) FROM Patient")
    }
    #expect(types == ["blob"])
  }

  @Test func `a value of another document or property doesn't open`() throws {
    let store = database.store
    let patients = try store.collection(Patient.self)
    let (ada, bea) = (try patient("Ada", in: patients), try patient("Bea", in: patients))
    let place = try patients.valuePlace(of: \.diagnosis, id: bea.id)
    #expect(throws: EncryptedValueError.moved) { try cipher.open(ada.diagnosis, at: place) }
    let other = try patients.valuePlace(of: \.contact.phone, id: ada.id)
    #expect(throws: EncryptedValueError.moved) { try cipher.open(ada.diagnosis, at: other) }
  }

  @Test func `a document whose identifier isn't stored has no places`() throws {
    let store = database.store
    let collection = try store.collection(Computed.self)
    #expect(throws: DocumentError.self) { try collection.valuePlace(of: \.secret, id: "a") }
  }
}

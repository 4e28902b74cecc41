import Coffer
import Foundation
import Testing

@testable import CofferDocuments

@Suite("Types that can't be documents") struct UnfitTypeTests {
  private func message<D: Codable>(_ type: D.Type) -> String {
    documentError { try DocumentType<D>.known() } ?? "no DocumentError"
  }

  @Test func `a document can't be a single value, a collection or an enum`() {
    for message in [
      message(Int.self), message(String.self), message(Date.self), message([Int].self),
      message([String: Int].self), message(Direction.self), message(Shape.self),
      message(Set<Int>.self), message(Address?.self), message(Identifier.self),
      message(Email.self), message(URL.self), message(Decimal.self), message(ClosedRange<Int>.self),
    ] {
      #expect(message.contains("can't be a document"), "\(message)")
      #expect(message.contains("property of a struct"), "\(message)")
    }
  }

  @Test func `a document needs a property`() {
    struct Empty: Codable {}
    struct Excluded: Codable {
      var cache = 1
      enum CodingKeys: CodingKey {}
      init() {}
      init(from decoder: any Decoder) throws {
        _ = try decoder.container(keyedBy: CodingKeys.self)
      }
      func encode(to encoder: any Encoder) throws {
        _ = encoder.container(keyedBy: CodingKeys.self)
      }
    }
    #expect(message(Empty.self).contains("Empty can't be a document: it has no stored property"))
    #expect(message(Excluded.self).contains("no stored property"))
  }

  @Test func `an enum with associated values is named, with what to add`() {
    struct Drawing: Codable { var title: String, shape: Shape }
    struct Maybe: Codable { var shape: Shape? }
    struct Many: Codable { var shapes: [Shape] }
    struct Deep: Codable { var inner: Drawing }
    let text = message(Drawing.self)
    #expect(text.contains("Drawing.shape, of type Shape"))
    #expect(text.contains("extension Shape: SampleValueSource {"))
    #expect(text.contains("static let sampleValues = SampleValues("))
    #expect(message(Maybe.self).contains("extension Shape: SampleValueSource"))
    #expect(message(Many.self).contains("extension Shape: SampleValueSource"))
    #expect(message(Deep.self).contains("Deep.inner.shape, of type Shape"))
  }

  @Test func `a type that checks what it decodes is named, with what to add`() {
    struct Contact: Codable { var name: String, email: Email }
    struct Team: Codable { var lead: Contact? }
    #expect(message(Contact.self).contains("Contact.email, of type Email"))
    #expect(message(Contact.self).contains("extension Email: SampleValueSource"))
    #expect(message(Team.self).contains("Team.lead.email"))
  }

  @Test func `sample values must be of the type that gives them`() {
    struct Wrong: Codable, SampleValueSource {
      var x: Int
      static let sampleValues = SampleValues(1, 2)
    }
    struct Holder: Codable { var wrong: Wrong }
    #expect(message(Holder.self).contains("Wrong.sampleValues"))
  }

  @Test func `a document's own Codable must read what it writes`() {
    struct Asymmetric: Codable {
      var name: String
      enum Read: CodingKey { case name }
      enum Write: CodingKey { case title }
      init(from decoder: any Decoder) throws {
        name = try decoder.container(keyedBy: Read.self).decode(String.self, forKey: .name)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Write.self)
        try container.encode(name, forKey: .title)
      }
    }
    struct Flat: Codable {
      var values: [Int]
      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        values = [try container.decode(Int.self)]
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for value in values { try container.encode(value) }
      }
    }
    struct Refusing: Codable {
      var name: String
      enum CodingKeys: CodingKey { case name }
      init(from decoder: any Decoder) throws {
        name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
        throw CocoaError(.coderInvalidValue)
      }
    }
    struct Dynamic: Codable {
      var values: [String: Int]
      init(from decoder: any Decoder) throws { values = try .init(from: decoder) }
      func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
    }
    #expect(message(Asymmetric.self).contains("its own Codable"))
    #expect(message(Flat.self).contains("can't be a document"))
    #expect(message(Refusing.self).contains("its own init(from:)"))
    #expect(message(Dynamic.self).contains("can't be a document"))
  }

  @Test func `a constant that has a value already is named, with what to do`() {
    // As the compiler writes it, which warns of it.
    struct Constant: Codable, Identifiable {
      let id = UUID()
      var name: String
      enum CodingKeys: CodingKey { case id, name }
      init(from decoder: any Decoder) throws {
        name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
      }
    }
    let text = message(Constant.self)
    #expect(text.contains("encodes id, and never decodes it"))
    #expect(text.contains("make it a `var`") && !text.contains("its own Codable"))
  }

  fileprivate enum Huge: UInt64, Codable { case most = 18_446_744_073_709_551_615 }

  @Test func `an enum of integers beyond SQLite's is named`() {
    struct Holder: Codable { var huge: Huge }
    let text = message(Holder.self)
    #expect(text.contains("Holder.huge") && !text.contains("its own Codable"))
  }

  @Test func `columns can't differ in the case of letters alone`() {
    struct Case: Codable { var name: String, Name: String }
    #expect(message(Case.self).contains("the case of letters"))
  }

  @Test func `a property can't have two collations`() {
    struct Two: Codable {
      @CollateBinary @CollateLocalized var name: String
    }
    #expect(message(Two.self).contains("Two.name has two collations"))
  }
}

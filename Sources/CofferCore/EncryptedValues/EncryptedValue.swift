import CofferVault
import FoundationEssentials

/// A value that is encrypted on its own, with another key than the database's.
///
/// It has the bytes that the database stores. Reading and writing a row neither decrypts nor needs
/// the key; a ``ValueCipher`` seals and opens the value, for one ``ValuePlace``:
///
/// ```swift
/// struct Note: Codable, Identifiable, FetchableRecord, PersistableRecord {
///   var id: UUID
///   var body: EncryptedValue<String>
/// }
///
/// let cipher = try ValueCipher(key: .file("notes.key"))
/// let id = UUID()
/// let body = try cipher.seal("a secret", at: Note.valuePlace(of: \.body, row: id))
/// try Note(id: id, body: body).insert(db)
///
/// let note = try Note.find(db, id: id)
/// let text = try cipher.open(note.body, at: note.valuePlace(of: \.body))
/// ```
///
/// A column stores a blob. Inside of JSON, the bytes are encoded as those of `Data`.
///
/// Two values are equal if their bytes are. Sealing a value twice gives different bytes: to find
/// rows by a value, store ``ValueCipher/indexHash(of:name:)`` as well.
public struct EncryptedValue<Value: Codable>: Sendable, Hashable {
  /// What the database stores; never NULL.
  ///
  /// It isn't a blob if the column's value hasn't been encrypted yet. Such a value must not get
  /// lost if its row is saved.
  private let stored: DatabaseValue

  private init(stored: DatabaseValue) { self.stored = stored }

  init(bytes: Data) { self.init(stored: bytes.databaseValue) }

  /// The sealed bytes; nil if the value isn't a blob.
  var bytes: Data? {
    if case .blob(let bytes) = stored.storage { bytes } else { nil }
  }
}

extension EncryptedValue: DatabaseValueConvertible, StoredAsBlob {
  /// The sealed bytes, as a blob.
  public var databaseValue: DatabaseValue { stored }

  /// Returns a value that is not NULL, whether or not it can be opened; nil for NULL.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> EncryptedValue? {
    dbValue.isNull ? nil : EncryptedValue(stored: dbValue)
  }
}

extension EncryptedValue: Codable {
  /// Decodes the sealed bytes, without opening them.
  public init(from decoder: any Decoder) throws {
    self.init(bytes: try decoder.singleValueContainer().decode(Data.self))
  }

  /// Encodes the sealed bytes.
  public func encode(to encoder: any Encoder) throws {
    guard let bytes else {
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: encoder.codingPath, debugDescription: "the value isn't encrypted"))
    }
    var container = encoder.singleValueContainer()
    try container.encode(bytes)
  }
}

extension EncryptedValue: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Always `EncryptedValue(redacted)`.
  public var description: String { "EncryptedValue(redacted)" }

  /// Always `EncryptedValue(redacted)`.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

/// A type whose values are stored as blobs.
package protocol StoredAsBlob {}

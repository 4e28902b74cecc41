import CofferVault
import FoundationEssentials

/// Encrypts values with a key of their own, and finds rows by them.
///
/// Whoever has the open database, or its key, but not this key, can't read the values: a backup
/// operator, or another program that uses the file. Values are encrypted by AES-256-GCM and bound
/// to their ``ValuePlace``.
///
/// Creating a cipher derives its keys, which takes less than a millisecond: create one, and use it
/// from any thread. Up to four billion values can be sealed with one key.
public struct ValueCipher: Sendable {
  private let key: ValueKey
  private let previousKeys: [ValueKey]
  private let cipher: AuthenticatedCipher

  /// Creates a cipher.
  ///
  /// - Parameters:
  ///   - key: A raw key, with which values are sealed. Use another key than the database's, since
  ///     whoever has that one could read the values. A salt is ignored.
  ///   - previousKeys: Further keys that can open values, but don't seal them.
  /// - Throws: ``EncryptedValueError/passphraseGiven`` for a passphrase.
  public init(
    key: DatabaseKey, previousKeys: [DatabaseKey] = []
  ) throws(EncryptedValueError) {
    guard let cipher = AuthenticatedCipher.shared else { throw .unavailable }
    self.cipher = cipher
    self.key = try ValueKey(key)
    var others: [ValueKey] = []
    for key in previousKeys { others.append(try ValueKey(key)) }
    self.previousKeys = others
  }

  /// The identifier of the key that seals: sixteen hexadecimal digits, which aren't secret.
  ///
  /// Each sealed value contains its key's identifier.
  public var keyID: String { SealedBytes.hexText(key.id) }

  // MARK: Values

  /// Encrypts a value for a place.
  ///
  /// `Data` is encrypted as it is, other types as JSON. The result shows the length of that.
  /// - Throws: ``EncryptedValueError``, which never contains the value.
  /// - Complexity: O(*n*) in the bytes of the value.
  public func seal<Value: Codable>(
    _ value: Value, at place: ValuePlace
  ) throws(EncryptedValueError) -> EncryptedValue<Value> {
    try seal(value, at: place, nonce: ValueCipher.randomNonce())
  }

  /// - Parameter nonce: 12 bytes, never used twice with the same key.
  func seal<Value: Codable>(
    _ value: Value, at place: ValuePlace, nonce: [UInt8]
  ) throws(EncryptedValueError) -> EncryptedValue<Value> {
    let place = try place.boundBytes()
    let (content, bytes) = try ValueCipher.encode(value)
    let header = SealedBytes(
      content: content, keyID: key.id, placeCheck: try key.placeCheck(place), nonce: nonce)
    let sealed = unsafe bytes.withUnsafeBytes { bytes in
      cipher.seal(
        bytes, key: key.encryption, nonce: header.nonce, context: header.context(place))
    }
    guard let sealed else { throw .unavailable }
    return EncryptedValue(bytes: Data(header.header) + sealed)
  }

  /// Decrypts a value at its place.
  ///
  /// - Throws: ``EncryptedValueError``: ``EncryptedValueError/wrongKey(keyID:)`` unless one of the
  ///   keys has sealed the value, ``EncryptedValueError/moved`` if it was sealed for another place,
  ///   ``EncryptedValueError/damaged`` if a bit has changed.
  /// - Complexity: O(*n*) in the bytes of the value.
  public func open<Value: Codable>(
    _ value: EncryptedValue<Value>, at place: ValuePlace
  ) throws(EncryptedValueError) -> Value {
    guard let bytes = value.bytes else { throw .notEncrypted }
    let (header, offset) = try SealedBytes.read(bytes)
    guard let key = ([key] + previousKeys).first(where: { $0.id == header.keyID }) else {
      throw .wrongKey(keyID: SealedBytes.hexText(header.keyID))
    }
    let place = try place.boundBytes()
    guard try key.placeCheck(place) == header.placeCheck else { throw .moved }
    let opened = unsafe bytes.withUnsafeBytes { bytes in
      unsafe cipher.open(
        UnsafeRawBufferPointer(rebasing: bytes[offset...]), key: key.encryption,
        nonce: header.nonce, context: header.context(place))
    }
    guard let opened else { throw .damaged }
    return try ValueCipher.decode(
      opened.withUnsafeBytes { unsafe Data($0) }, header.content, as: Value.self)
  }

  /// Whether a value was sealed with the current key, and not with a previous one.
  ///
  /// To change the key, seal each value again for which this is false:
  ///
  /// ```swift
  /// let cipher = try ValueCipher(key: newKey, previousKeys: [oldKey])
  /// for var note in try Note.fetchAll(db) {
  ///   if try cipher.isCurrent(note.body) { continue }
  ///   let place = try note.valuePlace(of: \.body)
  ///   note.body = try cipher.seal(cipher.open(note.body, at: place), at: place)
  ///   try note.update(db)
  /// }
  /// ```
  ///
  /// - Throws: ``EncryptedValueError/notEncrypted`` or
  ///   ``EncryptedValueError/unknownFormat(version:)``.
  public func isCurrent<Value>(_ value: EncryptedValue<Value>) throws(EncryptedValueError) -> Bool {
    guard let bytes = value.bytes else { throw .notEncrypted }
    return try SealedBytes.read(bytes).0.keyID == key.id
  }

  // MARK: Finding rows

  /// Returns a keyed hash by which rows with a value can be found, 32 bytes.
  ///
  /// Store it in a column of its own, with an index, and look for it with `==`:
  ///
  /// ```swift
  /// let hash = try cipher.indexHash(of: "ada@example.com", name: "person.email")
  /// let person = try Person.filter { $0.emailHash == hash }.fetchOne(db)
  /// ```
  ///
  /// Whoever has the database sees which rows have the same value, and how many have it, but can't
  /// find out the value without the key. Don't use it for values of which there are only a few,
  /// such as Booleans or grades: their frequencies reveal them.
  ///
  /// - Parameters:
  ///   - value: Equal values in SQL have the same hash: 1 and 1.0, but not "a" and "A", or "é" in
  ///     two Unicode normal forms. Nil has a hash, too.
  ///   - name: The purpose. Hashes of different names have nothing in common. Use the same name for
  ///     two columns only if equal values may be seen in them.
  public func indexHash(
    of value: some DatabaseValueConvertible, name: String
  ) throws(EncryptedValueError) -> Data {
    Data(try key.indexHash(ValueCipher.distinctBytes(of: value), name: name))
  }

  /// Returns the hashes of a value by the current key and each previous one, to find rows while
  /// the key is being changed.
  public func indexHashes(
    of value: some DatabaseValueConvertible, name: String
  ) throws(EncryptedValueError) -> [Data] {
    let bytes = ValueCipher.distinctBytes(of: value)
    var hashes: [Data] = []
    for key in [key] + previousKeys { hashes.append(Data(try key.indexHash(bytes, name: name))) }
    return hashes
  }

  private static func distinctBytes(of value: some DatabaseValueConvertible) -> [UInt8] {
    var bytes: [UInt8] = []
    value.databaseValue.appendDistinctBytes(to: &bytes)
    return bytes
  }

  // MARK: Content

  private static func encode<Value: Codable>(
    _ value: Value
  ) throws(EncryptedValueError) -> (SealedBytes.Content, Data) {
    let encoded: (content: SealedBytes.Content, bytes: Data)
    if let data = value as? Data {
      encoded = (.data, data)
    } else {
      let encoder = JSONEncoder()
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
      // In a list, since a decoder can refuse single values. The encoder's own error would contain
      // the value.
      guard let json = try? encoder.encode([value]) else {
        throw .unencodable(type: "\(Value.self)")
      }
      encoded = (.json, json)
    }
    guard encoded.bytes.count <= SealedBytes.largestContent else {
      throw .unencodable(type: "\(Value.self)")
    }
    return encoded
  }

  private static func decode<Value: Codable>(
    _ bytes: Data, _ content: SealedBytes.Content, as type: Value.Type
  ) throws(EncryptedValueError) -> Value {
    let value: Value?
    switch content {
    case .data: value = bytes as? Value
    case .json:
      let decoder = JSONDecoder()
      decoder.nonConformingFloatDecodingStrategy = .convertFromString(
        positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
      // The decoder's own error could contain the value.
      let list = try? decoder.decode([Value].self, from: bytes)
      value = list?.count == 1 ? list?[0] : nil
    }
    guard let value else { throw .otherType(type: "\(Value.self)") }
    return value
  }

  private static func randomNonce() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    let words = [generator.next(), generator.next()]
    return (0..<AuthenticatedCipher.nonceSize).map { index in
      UInt8(truncatingIfNeeded: words[index / 8] >> (8 * (index % 8)))
    }
  }
}

extension ValueCipher: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always `ValueCipher(redacted)`.
  public var description: String { "ValueCipher(redacted)" }

  /// Always `ValueCipher(redacted)`.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

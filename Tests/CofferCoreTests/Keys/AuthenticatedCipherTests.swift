import Testing

@testable import CofferCore

struct AuthenticatedCipherTests {
  private let cipher = AuthenticatedCipher.shared!
  private let key = SecureBytes(copying: [UInt8](0..<32))
  private let nonce = [UInt8](repeating: 7, count: 12)

  private func seal(_ bytes: [UInt8], context: [UInt8] = [1, 2]) -> [UInt8] {
    unsafe bytes.withUnsafeBytes { cipher.seal($0, key: key, nonce: nonce, context: context) }!
  }

  private func open(
    _ bytes: [UInt8], key: SecureBytes? = nil, nonce: [UInt8]? = nil, context: [UInt8] = [1, 2]
  ) -> [UInt8]? {
    unsafe bytes.withUnsafeBytes {
      cipher.open($0, key: key ?? self.key, nonce: nonce ?? self.nonce, context: context)
    }?.withUnsafeBytes { unsafe Array($0) }
  }

  @Test(arguments: [0, 1, 15, 16, 17, 32, 1000, 100_000])
  func `what is sealed opens again`(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let sealed = seal(bytes)
    #expect(sealed.count == count + 16)
    #expect(open(sealed) == bytes)
    #expect(count < 16 || !sealed.starts(with: bytes.prefix(16)))
  }

  @Test func `each changed bit is noticed`() {
    let sealed = seal(Array("a secret".utf8))
    for index in sealed.indices {
      for bit in 0..<8 {
        var changed = sealed
        changed[index] ^= 1 << bit
        #expect(open(changed) == nil)
      }
    }
    for count in 0..<sealed.count { #expect(open(Array(sealed.prefix(count))) == nil) }
  }

  @Test func `another key, nonce or context doesn't open`() {
    let sealed = seal([1, 2, 3])
    #expect(open(sealed, key: SecureBytes(copying: [UInt8](1..<33))) == nil)
    #expect(open(sealed, nonce: [UInt8](repeating: 8, count: 12)) == nil)
    #expect(open(sealed, context: [1]) == nil)
    #expect(open(sealed, context: []) == nil)
  }

  // Test case 3 of RFC 5869, without a purpose.
  @Test func `HKDF gives the answer of its specification`() {
    let key = SecureBytes(copying: [UInt8](repeating: 0x0b, count: 22))
    let derived = LibCrypto.shared?.hkdf(key, salt: [], purpose: "")
    let expected: [UInt8] = [
      0x8d, 0xa4, 0xe7, 0x75, 0xa5, 0x63, 0xc1, 0x8f, 0x71, 0x5f, 0x80, 0x2a, 0x06, 0x3c, 0x5a,
      0x31,
      0xb8, 0xa1, 0x1f, 0x5c, 0x5e, 0xe1, 0x87, 0x9e, 0xc3, 0x45, 0x4e, 0x5f, 0x3c, 0x73, 0x8d,
      0x2d,
    ]
    #expect(derived?.isEqual(to: SecureBytes(copying: expected)) == true)
  }

  @Test func `keys for different purposes differ`() {
    let crypto = LibCrypto.shared!
    let first = crypto.hkdf(key, salt: [1], purpose: "one")!
    #expect(!first.isEqual(to: crypto.hkdf(key, salt: [1], purpose: "other")!))
    #expect(!first.isEqual(to: crypto.hkdf(key, salt: [2], purpose: "one")!))
    #expect(first.isEqual(to: crypto.hkdf(key, salt: [1], purpose: "one")!))
  }
}

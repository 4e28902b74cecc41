import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

@Suite(.serialized) struct SecureBytesTests {
  static let secret: [UInt8] = {
    var random = SeededGenerator()
    return (0..<32).map { _ in UInt8.random(in: 1...255, using: &random) }
  }()

  /// The process's memory at an address; nil where nothing is mapped.
  private func memory(at address: UInt, count: Int) -> [UInt8]? {
    let descriptor = open("/proc/self/mem", O_RDONLY)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    return pread(descriptor, &bytes, count, off_t(address)) == count ? bytes : nil
  }

  /// The lines of /proc/self/smaps about the mapping at an address.
  private func mapping(at address: UInt) throws -> String {
    // Files in /proc have no size, so they are read to their end.
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/smaps"))
    let smaps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    var found = ""
    var isInside = false
    for line in smaps.split(separator: "\n") {
      let range = line.prefix { $0 != " " }.split(separator: "-").map { UInt($0, radix: 16) }
      if range.count == 2, let start = range[0], let end = range[1] {
        isInside = (start..<end).contains(address)
      }
      if isInside { found += line + "\n" }
    }
    return found
  }

  private func address(of bytes: SecureBytes) -> UInt {
    bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
  }

  @Test func `released bytes are not in memory any more`() throws {
    let address: UInt
    do {
      let bytes = SecureBytes(copying: Self.secret)
      address = self.address(of: bytes)
      #expect(memory(at: address, count: 32) == Self.secret)
    }
    #expect(memory(at: address, count: 32) != Self.secret)
  }

  @Test func `bytes are wiped when filling them in fails`() throws {
    var address: UInt = 0
    #expect(throws: TestError.self) {
      try SecureBytes(count: 32) { target in
        target.copyBytes(from: Self.secret)
        address = UInt(bitPattern: target.baseAddress)
        throw TestError()
      }
    }
    #expect(address != 0)
    #expect(memory(at: address, count: 32) != Self.secret)
  }

  @Test func `pages are read-only and stay out of core dumps`() throws {
    let bytes = SecureBytes(copying: Self.secret)
    let lines = try mapping(at: address(of: bytes))
    #expect(lines.contains(" r--p "))
    let flags = lines.split(separator: "\n").first { $0.hasPrefix("VmFlags:") } ?? ""
    #expect(flags.split(separator: " ").contains("dd"))
    withExtendedLifetime(bytes) {}
  }

  @Test func `pages that are used again are zeroed, and left out of core dumps`() throws {
    var kept: [SecureBytes] = []
    for round in 0..<200 {
      let count = [1, 32, 4096, 4097][round % 4]
      let bytes = SecureBytes(count: count) { target in
        #expect(target.allSatisfy { $0 == 0 })
        for index in target.indices { target[index] = 0xA5 }
      }
      #expect(bytes.withUnsafeBytes { $0.allSatisfy { $0 == 0xA5 } })
      if round % 50 == 49 {
        #expect(try mapping(at: address(of: bytes)).contains(" dd "))
        kept.removeAll()
      } else if round % 3 == 0 {
        kept.append(bytes)
      }
    }
  }

  @Test func `secure bytes are copied from all kinds of collections`() {
    let expected = SecureBytes(copying: [UInt8](1...200))
    #expect(SecureBytes(copying: Data(1...200)).isEqual(to: expected))
    #expect(SecureBytes(copying: (1...200).lazy.map { UInt8($0) }).isEqual(to: expected))
    #expect(SecureBytes(copying: [UInt8](0...200)[1...]).isEqual(to: expected))
    let bridged = "é" + String(repeating: "x", count: 40)
    #expect(
      SecureBytes(copying: bridged.utf8).isEqual(to: SecureBytes(copying: Array(bridged.utf8))))
  }

  @Test func `sizes from nothing to several pages hold`() {
    for count in [0, 1, 4095, 4096, 4097, 1_000_000] {
      let source = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let bytes = SecureBytes(copying: source)
      #expect(bytes.count == count)
      #expect(bytes.withUnsafeBytes { Array($0) } == source)
    }
  }

  @Test func `equality looks at every byte and at the count`() {
    let bytes = SecureBytes(copying: Self.secret)
    #expect(bytes.isEqual(to: SecureBytes(copying: Self.secret)))
    for index in Self.secret.indices {
      var other = Self.secret
      other[index] ^= 0x80
      #expect(!bytes.isEqual(to: SecureBytes(copying: other)))
    }
    #expect(!bytes.isEqual(to: SecureBytes(copying: Self.secret.dropLast())))
    #expect(!bytes.isEqual(to: SecureBytes(copying: Self.secret + [0])))
  }

  @Test func `no description shows bytes or addresses`() {
    let bytes = SecureBytes(copying: Self.secret)
    var dumped = ""
    dump(bytes, to: &dumped)
    for text in ["\(bytes)", String(reflecting: bytes), dumped] {
      #expect(text.contains("SecureBytes(redacted)"))
      #expect(!text.contains("base"))
    }
  }
}

import Testing

@testable import CofferToolKit

struct FileScanTests {
  @Test(arguments: [1, 2, 3, 4, 5, 100])
  func `texts are found across chunks, each once`(chunk: Int) throws {
    let scan = try FileScan.scan(
      .bytes(Array("abcabc.aaaa.xyz".utf8), chunk: chunk), for: ["abc", "aa", "z", "no", ""])
    #expect(scan.counts == [2, 2, 1, 0, 0])
    #expect(scan.totalCount == 5)
    #expect(scan.foundTexts == 3)
    #expect(scan.size == 15)
    #expect(scan.start == Array("abcabc.aaaa.xyz".utf8))
  }

  @Test func `entropy distinguishes noise from text`() throws {
    let uniform = (0..<4096).map { UInt8(truncatingIfNeeded: $0) }
    #expect(try FileScan.scan(.bytes(uniform), for: []).bitsPerByte == 8)
    #expect(try FileScan.scan(.bytes([1, 1, 1]), for: []).bitsPerByte == 0)
    #expect(try FileScan.scan(.bytes([1, 2]), for: []).bitsPerByte == 1)
    #expect(try FileScan.scan(.bytes([]), for: ["a"]).bitsPerByte == 0)
  }

  @Test func `the beginning is shown without what a terminal obeys`() throws {
    let scan = try FileScan.scan(.bytes([0x1B, 0x41, 0x00, 0x7E, 0x7F, 0xC3]), for: [])
    #expect(scan.startAsText == "·A·~··")
  }
}

import CofferTestSupport
import Testing

@testable import CofferToolKit

struct ByteSourceTests {
  @Test func `a file is read to its end`() throws {
    var bytes: [UInt8] = []
    let source = try ByteSource.file(Fixtures.path("dpkg-status"))
    while try source.readChunk(&bytes) {}
    #expect(bytes.count == source.size)
  }

  @Test func `what can't be read as a file is an error`() throws {
    let folder = try TemporaryDirectory()
    #expect(throws: FileError.self) { try ByteSource.file(folder.path("nothing")) }
    #expect(throws: FileError.self) { try ByteSource.file(folder.path) }
  }
}

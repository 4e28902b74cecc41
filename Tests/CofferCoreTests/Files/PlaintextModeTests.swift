import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// The permissions of plaintext files made from encrypted ones.
struct PlaintextModeTests {
  let directory: TemporaryDirectory
  let path: String
  let key = DatabaseKey.seeded()

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("db")
    try InPlaceErrorTests.make(path, key)
  }

  func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  func configuration(_ mode: UInt32?) -> Configuration {
    var configuration = Configuration()
    configuration.fileMode = mode
    return configuration
  }

  @Test(arguments: [
    (source: mode_t(0o644), allowed: UInt32?(0o600), expected: mode_t(0o600)),
    (0o666, nil, 0o600),
    (0o600, 0o666, 0o600),
    (0o640, 0o666, 0o640),
    (0o666, 0o660, 0o660),
    (0o644, 0o640, 0o640),
  ])
  func `plaintext is shown to nobody who isn't allowed to, and couldn't read the source`(
    source: mode_t, allowed: UInt32?, expected: mode_t
  ) throws {
    chmod(path, source)
    let copy = directory.path("copy")
    let configuration = configuration(allowed)
    try DatabaseFile.decrypt(at: path, key: key, to: copy, configuration: configuration)
    #expect(mode(copy) == expected)
    #expect(mode(path) == source)
    try DatabaseFile.decrypt(at: path, key: key, to: path, configuration: configuration)
    #expect(mode(path) == expected)
  }

  @Test func `an encrypted file that replaces another one keeps the permissions`() throws {
    chmod(path, 0o644)
    try DatabaseFile.convert(at: path, key: key, from: .default)
    #expect(mode(path) == 0o644)
  }
}

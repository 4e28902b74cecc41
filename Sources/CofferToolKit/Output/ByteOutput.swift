import Foundation

/// A buffer in front of a file or of the console.
final class ByteOutput {
  private static let limit = 1 << 16
  /// Divisible by three, so that the parts of a blob are one in base64.
  private static let partSize = 3 << 14

  @exclusivity(unchecked) var buffer: [UInt8] = []
  /// Whether the output is a terminal, and its number of columns.
  let isTerminal: Bool
  let width: Int
  /// Whether NULL is dim.
  let isStyled: Bool
  private let sink: ([UInt8]) throws -> Void

  init(
    isTerminal: Bool = false, width: Int = 100, isStyled: Bool = false,
    sink: @escaping ([UInt8]) throws -> Void
  ) {
    self.isTerminal = isTerminal
    self.width = width
    self.isStyled = isStyled
    self.sink = sink
    buffer.reserveCapacity(Self.limit + 4096)
  }

  func append(_ text: String) { buffer += text.utf8 }

  func append(_ byte: UInt8) { buffer.append(byte) }

  func line(_ text: String) {
    buffer += text.utf8
    buffer.append(0x0A)
    flushIfFull()
  }

  private var failure: (any Error)?

  /// Writes the bytes once there are many. An error is thrown by the next ``flush()``.
  @inline(__always)
  func flushIfFull() {
    if buffer.count >= Self.limit { writeOut() }
  }

  /// Calls `body` with parts of a text or blob, and writes out what it has appended between them: a
  /// large value doesn't take memory a second time.
  func inParts(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (Slice<UnsafeBufferPointer<UInt8>>) -> Void
  ) {
    var rest = bytes[...]
    while !rest.isEmpty {
      body(rest.prefix(Self.partSize))
      rest = rest.dropFirst(Self.partSize)
      if !rest.isEmpty { flushIfFull() }
    }
  }

  /// Appends a blob in base64.
  func appendBase64(_ bytes: UnsafeRawBufferPointer) {
    inParts(bytes.bindMemory(to: UInt8.self)) { append(Data($0).base64EncodedString()) }
  }

  private func writeOut() {
    guard failure == nil else { return buffer.removeAll(keepingCapacity: true) }
    do { try sink(buffer) } catch { failure = error }
    buffer.removeAll(keepingCapacity: true)
  }

  func flush() throws {
    if !buffer.isEmpty { writeOut() }
    try check()
  }

  /// Throws the error of an earlier write.
  func check() throws {
    if let failure { throw failure }
  }
}

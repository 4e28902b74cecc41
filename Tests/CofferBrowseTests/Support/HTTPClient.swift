import CofferTestSupport
import Foundation
import Glibc

/// An answer of a server.
struct Answer {
  var status: Int
  var headers: [(name: String, value: String)]
  var body: Data

  var text: String { String(decoding: body, as: UTF8.self) }

  /// The first header of the name, in any case.
  subscript(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// A connection to a port of this machine, that sends what it is told to: also what no client would.
final class Connection {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private let descriptor: CInt

  /// - Parameter timeout: In seconds; long, since the machine can be busy.
  init(port: UInt16, timeout: Int = 60) throws {
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(description: "no socket: \(errno)") }
    var timeout = timeval(tv_sec: timeout, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(
        descriptor, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }
    var target = sockaddr_in()
    target.sin_family = sa_family_t(AF_INET)
    target.sin_port = port.bigEndian
    inet_pton(AF_INET, "127.0.0.1", &target.sin_addr)
    let code = withUnsafePointer(to: &target) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if code != 0 {
      let number = errno
      close(descriptor)
      throw Failure(description: "no connection: \(number)")
    }
  }

  deinit { close(descriptor) }

  /// Sends bytes.
  /// - Returns: False if the server has closed the connection.
  @discardableResult
  func send(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(text.utf8) }

  /// Some bytes; nothing at the end of what the server sends, nil after 60 seconds or an error.
  func receive(_ count: Int = 65_536) -> Data? {
    var bytes = [UInt8](repeating: 0, count: count)
    let received = recv(descriptor, &bytes, count, 0)
    return received < 0 ? nil : Data(bytes[..<received])
  }

  /// All that comes until the server closes the connection, at most `limit` bytes.
  func receiveAll(limit: Int = .max) -> Data {
    var all = Data()
    while all.count < limit, let more = receive(), !more.isEmpty { all += more }
    return all
  }

  /// Receives until a text has come.
  /// - Returns: All that came, or nil if it doesn't come.
  func receive(until text: String) -> String? {
    var all = Data()
    while let more = receive(), !more.isEmpty {
      all += more
      if all.range(of: Data(text.utf8)) != nil { return String(decoding: all, as: UTF8.self) }
    }
    return nil
  }

  /// Receives an answer to a request with `Connection: close`; nil where there is none.
  func answer() -> Answer? { Answer(receiveAll()) }
}

extension Answer {
  init?(_ all: Data) {
    guard let end = all.range(of: Data("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: all[..<end.lowerBound], as: UTF8.self)
      .components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
      return nil
    }
    self.status = status
    headers = lines.dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      return (String(line[..<colon]), String(value))
    }
    body = Data(all[end.upperBound...])
    if self["Transfer-Encoding"]?.lowercased() == "chunked" { body = Self.joined(chunks: body) }
  }

  private static func joined(chunks: Data) -> Data {
    var (rest, all) = (chunks[...], Data())
    while let end = rest.range(of: Data("\r\n".utf8)),
      let count = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16),
      count > 0, rest.endIndex - end.upperBound >= count
    {
      all += rest[end.upperBound..<end.upperBound + count]
      rest = rest[(end.upperBound + count)...].dropFirst(2)
    }
    return all
  }
}

#if S3
  import Foundation

  /// What a client has asked for.
  struct FaultRequest: Sendable {
    let method: String
    let target: String
    let headers: [String: String]
    let body: Data

    /// Without the bucket.
    var key: String {
      let path = target.split(separator: "?")[0].dropFirst()
      return path.firstIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? ""
    }

    var query: [String: String] {
      guard let start = target.firstIndex(of: "?") else { return [:] }
      var result: [String: String] = [:]
      for pair in target[target.index(after: start)...].split(separator: "&") {
        let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        result[String(halves[0])] =
          halves.count > 1 ? String(halves[1]).removingPercentEncoding : ""
      }
      return result
    }

    var isProbe: Bool { key.contains("probe/") }
  }

  /// What a client gets.
  struct FaultReply {
    var status: Int
    var headers: [String: String]
    var body: Data

    init(_ status: Int, headers: [String: String] = [:], body: Data = Data()) {
      (self.status, self.headers, self.body) = (status, headers, body)
    }

    init(_ status: Int, code: String, headers: [String: String] = [:]) {
      let xml =
        "<?xml version=\"1.0\"?>\n<Error><Code>\(code)</Code><Message>It says secret-of-test"
        + "</Message></Error>"
      self.init(status, headers: headers, body: Data((code.isEmpty ? "" : xml).utf8))
    }

    init(_ status: Int, xml: String) {
      self.init(status, body: Data(("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + xml).utf8))
    }
  }

  /// A connection of HTTP/1.1.
  final class FaultConnection: @unchecked Sendable {
    // SAFETY: used by the one thread that serves it.
    private let descriptor: CInt
    private var buffer = Data()

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    static func listen() throws -> (CInt, Int) {
      let descriptor = socket(
        AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isListening = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          bind(descriptor, pointer, length) == 0 && Glibc.listen(descriptor, 64) == 0
            && getsockname(descriptor, pointer, &length) == 0
        }
      }
      guard isListening else { throw CocoaError(.fileReadUnknown) }
      return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    static func accept(_ listener: CInt) -> CInt? {
      while true {
        let descriptor = Glibc.accept(listener, nil, nil)
        if descriptor >= 0 { return descriptor }
        guard errno == EINTR || errno == ECONNABORTED else { return nil }
      }
    }

    static func shutDown(_ descriptor: CInt) { shutdown(descriptor, CInt(SHUT_RDWR)) }

    static func close(_ descriptor: CInt) {
      shutDown(descriptor)
      Glibc.close(descriptor)
    }

    func close() { FaultConnection.close(descriptor) }

    /// - Returns: nil at the connection's end.
    func readRequest() -> FaultRequest? {
      let end = Data("\r\n\r\n".utf8)
      var range = buffer.range(of: end)
      while range == nil {
        guard fill() else { return nil }
        range = buffer.range(of: end)
      }
      let lines = String(decoding: buffer[..<range!.lowerBound], as: UTF8.self)
        .components(separatedBy: "\r\n")
      buffer = Data(buffer[range!.upperBound...])
      var headers: [String: String] = [:]
      for line in lines.dropFirst() {
        guard let colon = line.firstIndex(of: ":") else { continue }
        headers[line[..<colon].lowercased()] =
          line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      }
      if headers["expect"] != nil { write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
      let length = Int(headers["content-length"] ?? "0") ?? 0
      while buffer.count < length { guard fill() else { return nil } }
      let body = Data(buffer.prefix(length))
      buffer = Data(buffer.dropFirst(length))
      let words = lines[0].split(separator: " ")
      return FaultRequest(
        method: String(words[0]), target: String(words[1]), headers: headers, body: body)
    }

    private func fill() -> Bool {
      var bytes = [UInt8](repeating: 0, count: 1 << 18)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      guard count > 0 else { return false }
      buffer += bytes[..<count]
      return true
    }

    /// - Returns: Whether the connection stays open.
    @discardableResult
    func send(
      _ reply: FaultReply, to request: FaultRequest, truncated: Bool = false,
      hidesLength: Bool = false
    ) -> Bool {
      var head = "HTTP/1.1 \(reply.status) Reply\r\nDate: Mon, 23 Nov 2026 18:00:00 GMT\r\n"
      for (name, value) in reply.headers { head += "\(name): \(value)\r\n" }
      if !hidesLength { head += "Content-Length: \(reply.body.count)\r\n" }
      var bytes = Data((head + "\r\n").utf8)
      if request.method != "HEAD", reply.status != 204 {
        bytes += truncated ? reply.body.prefix(reply.body.count / 2) : reply.body
      }
      write(bytes)
      return true
    }

    private func write(_ bytes: Data) {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
        }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }
#endif

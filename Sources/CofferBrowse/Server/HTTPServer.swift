#if Browse
  import CMicrohttpd
  import Dispatch
  import Glibc
  import Synchronization

  /// GNU libmicrohttpd on 127.0.0.1.
  @safe final class HTTPServer: Sendable {
    /// The most connections at once, of which event streams may be a part.
    static let connectionLimit = 64
    /// The largest body of a request, in bytes.
    static let bodyLimit = 64 << 10
    /// The seconds that a connection may be silent.
    private static let timeout: CUnsignedInt = 30
    /// How long a request may take to arrive.
    static let arrival = Duration.seconds(10)

    let port: UInt16
    // SAFETY: libmicrohttpd's functions may be called from any thread, and `stop` is called once.
    private let daemon: Mutex<UInt>
    private let context: Context

    /// - Parameter port: 0 for one that the system chooses.
    /// - Returns: Nil if the port is taken.
    init?(port: UInt16, respond: @escaping @Sendable (HTTPRequest) -> HTTPResponse) {
      context = Context(respond)
      coffer_http_limit_arenas()
      // SAFETY: released in `stop`, after the last call.
      let retained = unsafe Unmanaged.passRetained(context)
      let callbacks = unsafe coffer_http_callbacks(
        request: requestArrived, completed: requestCompleted, connection: connectionChanged,
        context: retained.toOpaque())
      guard
        let daemon = unsafe coffer_http_start(
          port, CUnsignedInt(Self.connectionLimit), Self.timeout, 32 << 10, callbacks)
      else {
        unsafe retained.release()
        return nil
      }
      self.port = unsafe coffer_http_port(daemon)
      self.daemon = Mutex(UInt(bitPattern: daemon))
      watch()
    }

    /// Ends the requests that don't arrive.
    private func watch() {
      DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [weak self] in
        guard let self, self.daemon.withLock({ $0 != 0 }) else { return }
        context.endLateRequests()
        watch()
      }
    }

    /// Ends all connections, and returns when their threads have ended.
    func stop() {
      let address = daemon.withLock { daemon in
        defer { daemon = 0 }
        return daemon
      }
      guard let daemon = unsafe OpaquePointer(bitPattern: address) else { return }
      unsafe MHD_stop_daemon(daemon)
      // SAFETY: retained in `init`, and no callback comes any more.
      unsafe Unmanaged.passUnretained(context).release()
    }

    /// What the callbacks share.
    fileprivate final class Context: Sendable {
      let respond: @Sendable (HTTPRequest) -> HTTPResponse
      /// When the connections began whose request isn't complete, by their sockets.
      private let arriving = Mutex<[CInt: ContinuousClock.Instant]>([:])

      init(_ respond: @escaping @Sendable (HTTPRequest) -> HTTPResponse) { self.respond = respond }

      func begin(_ socket: CInt) { arriving.withLock { $0[socket] = .now } }

      /// Called before the socket is closed, after which its number can be another one's.
      func end(_ socket: CInt) { _ = arriving.withLock { $0.removeValue(forKey: socket) } }

      func endLateRequests() {
        arriving.withLock { arriving in
          for (socket, time) in arriving where ContinuousClock.now - time > arrival {
            shutdown(socket, CInt(SHUT_RDWR))
          }
        }
      }
    }
  }

  /// A request whose body is arriving.
  private final class ArrivingRequest {
    var request: HTTPRequest
    var body: [UInt8] = []

    init(_ request: HTTPRequest) { self.request = request }
  }

  private func connectionChanged(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ unused: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ change: MHD_ConnectionNotificationCode
  ) {
    guard let context = unsafe context, let connection = unsafe connection else { return }
    // SAFETY: the server retains it until it has stopped.
    let server = unsafe Unmanaged<HTTPServer.Context>.fromOpaque(context).takeUnretainedValue()
    let socket = unsafe coffer_http_socket(connection)
    if change == .CONNECTION_NOTIFY_STARTED { server.begin(socket) } else { server.end(socket) }
  }

  /// Called with the head, with each part of the body, and with none at its end.
  private func requestArrived(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ url: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?,
    _ data: UnsafePointer<CChar>?, _ size: UnsafeMutablePointer<Int>?,
    _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> MHD_Result {
    guard let context = unsafe context, let connection = unsafe connection, let url = unsafe url,
      let method = unsafe method, let size = unsafe size, let state = unsafe state
    else { return .NO }
    // SAFETY: the server retains it until it has stopped.
    let server = unsafe Unmanaged<HTTPServer.Context>.fromOpaque(context).takeUnretainedValue()
    guard let pointer = unsafe state.pointee else {
      let request = unsafe ArrivingRequest(
        HTTPRequest(
          method: String(cString: method), path: String(cString: url),
          query: values(connection, .GET_ARGUMENT_KIND),
          headers: values(connection, .HEADER_KIND), cookies: values(connection, .COOKIE_KIND)))
      if let length = request.request.headers["content-length"],
        Int(length).map({ $0 > HTTPServer.bodyLimit }) ?? true
      {
        return send(.text("The request is too large.", status: 413), connection)
      }
      // SAFETY: released when the request is completed.
      unsafe state.pointee = Unmanaged.passRetained(request).toOpaque()
      return .YES
    }
    // SAFETY: set above, and released when the request is completed.
    let arriving = unsafe Unmanaged<ArrivingRequest>.fromOpaque(pointer).takeUnretainedValue()
    let count = unsafe size.pointee
    if count > 0 {
      guard let data = unsafe data, arriving.body.count + count <= HTTPServer.bodyLimit else {
        return .NO
      }
      // SAFETY: libmicrohttpd has as many bytes there.
      unsafe arriving.body.append(contentsOf: UnsafeRawBufferPointer(start: data, count: count))
      unsafe size.pointee = 0
      return .YES
    }
    server.end(unsafe coffer_http_socket(connection))
    arriving.request.form = HTTPRequest.fields(of: arriving.body)
    return send(server.respond(arriving.request), connection)
  }

  private func requestCompleted(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
  ) {
    guard let pointer = unsafe state?.pointee else { return }
    // SAFETY: retained when the request arrived.
    unsafe Unmanaged<ArrivingRequest>.fromOpaque(pointer).release()
    unsafe state?.pointee = nil
  }

  @safe private func values(
    _ connection: OpaquePointer, _ kind: MHD_ValueKind
  ) -> [String: String] {
    var values: [String: String] = [:]
    // SAFETY: the pointer is used during the call only.
    unsafe withUnsafeMutablePointer(to: &values) { values in
      _ = unsafe MHD_get_connection_values(
        connection, kind,
        { context, kind, name, value in
          guard let context = unsafe context, let name = unsafe name else { return .YES }
          let text = unsafe String(cString: name)
          let key = kind == .HEADER_KIND ? text.lowercased() : text
          unsafe context.assumingMemoryBound(to: [String: String].self).pointee[key] =
            unsafe value.map { unsafe String(cString: $0) } ?? ""
          return .YES
        }, values)
    }
    return values
  }

  @safe private func send(_ response: HTTPResponse, _ connection: OpaquePointer) -> MHD_Result {
    let reply: OpaquePointer?
    switch response.body {
    case .bytes(let bytes):
      unsafe reply = bytes.withUnsafeBytes { buffer in
        // SAFETY: the bytes are copied.
        unsafe MHD_create_response_from_buffer(
          buffer.count, UnsafeMutableRawPointer(mutating: buffer.baseAddress),
          .RESPMEM_MUST_COPY)
      }
    case .stream(let stream): unsafe reply = makeReply(stream)
    }
    guard let reply = unsafe reply else { return .NO }
    // SAFETY: the connection keeps it for as long as it is sent.
    defer { unsafe MHD_destroy_response(reply) }
    for header in HTTPResponse.commonHeaders + response.headers {
      guard unsafe MHD_add_response_header(reply, header.name, header.value) == .YES else {
        return .NO
      }
    }
    unsafe coffer_http_restart_timeout(connection, 30)
    return unsafe MHD_queue_response(connection, CUnsignedInt(response.status), reply)
  }

  @safe private func makeReply(_ stream: BodyStream) -> OpaquePointer? {
    // SAFETY: released by the last callback, which comes once.
    let retained = unsafe Unmanaged.passRetained(stream)
    let reply = unsafe MHD_create_response_from_callback(
      UInt64.max, 32 << 10,
      { context, _, buffer, count in
        guard let context = unsafe context, let buffer = unsafe buffer else { return -2 }
        let stream = unsafe Unmanaged<BodyStream>.fromOpaque(context).takeUnretainedValue()
        guard let bytes = try? stream.next(count).prefix(count) else { return -2 }
        // SAFETY: the buffer has room for `count` bytes.
        let target = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: count)
        unsafe target.copyBytes(from: bytes)
        return bytes.isEmpty ? -1 : bytes.count
      }, retained.toOpaque(),
      { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<BodyStream>.fromOpaque(context).takeRetainedValue().close()
      })
    if unsafe reply == nil { unsafe retained.takeRetainedValue().close() }
    return unsafe reply
  }
#endif

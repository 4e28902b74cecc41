#if S3
  import Foundation
  import Synchronization

  /// An object store on a port of this machine that does wrong what a test asks for.
  ///
  /// It has one bucket, in memory, and looks at no signature.
  final class FaultStore: Sendable {
    struct Behaviour {
      var honoursCondition = true
      var honoursInParts = true
      var keepsMetadata = true
      var pageSize = 1000
    }

    struct Object {
      var bytes: Data
      var mark: String?
    }

    fileprivate struct Fault {
      let isFor: @Sendable (FaultRequest) -> Bool
      let action: Action
      var count: Int
    }

    enum Action {
      /// Replies so, without having done anything.
      case reply(Int, String = "", headers: [String: String] = [:])
      /// Replies so, after having done what was asked for.
      case replyAfter(Int, String)
      /// Replies with a status 200 and this body, without having done anything.
      case body(String)
      /// Replies with another body.
      case change(@Sendable (String) -> String)
      /// Closes the connection.
      case drop
      /// Closes the connection after having done what was asked for.
      case dropAfter
      /// Sends half of the reply's body and closes the connection.
      case truncate
      /// Doesn't send the body's length.
      case hideLength
      /// Says nothing for so long.
      case stall(Double)
      /// Does something else, and replies so.
      case refuse(Int, String, @Sendable () -> Void)
      /// Does what another writer does, then what was asked for.
      case meanwhile(@Sendable (FaultStore) -> Void)
    }

    struct State {
      var objects: [String: Object] = [:]
      var uploads: [String: (key: String, mark: String?, parts: [Int: Data])] = [:]
      var requests: [FaultRequest] = []
      var connections = 0
      fileprivate var faults: [Fault] = []
    }

    let behaviour: Behaviour
    let state = Mutex(State())
    private let listener: CInt
    let port: Int

    init(_ configure: (inout Behaviour) -> Void = { _ in }) throws {
      var behaviour = Behaviour()
      configure(&behaviour)
      self.behaviour = behaviour
      (listener, port) = try FaultConnection.listen()
      let listener = listener
      Thread.detachNewThread { [weak self] in
        while let descriptor = FaultConnection.accept(listener) {
          guard let self else {
            FaultConnection.close(descriptor)
            continue
          }
          self.state.withLock { $0.connections += 1 }
          Thread.detachNewThread { self.serve(FaultConnection(descriptor)) }
        }
        // Not before, since another store could get the same descriptor.
        FaultConnection.close(listener)
      }
    }

    deinit { FaultConnection.shutDown(listener) }

    var endpoint: String { "http://127.0.0.1:\(port)" }

    /// Does something wrong with the next requests for which `isFor` is true.
    func fail(
      _ action: Action, times: Int = 1,
      _ isFor: @escaping @Sendable (FaultRequest) -> Bool = { !$0.isProbe }
    ) {
      state.withLock { $0.faults.append(Fault(isFor: isFor, action: action, count: times)) }
    }

    /// Does nothing wrong any more.
    func heal() { state.withLock { $0.faults = [] } }

    var requests: [FaultRequest] { state.withLock { $0.requests.filter { !$0.isProbe } } }

    func object(_ key: String) -> Data? { state.withLock { $0.objects[key]?.bytes } }

    func setObject(_ key: String, _ bytes: Data?, mark: String? = nil) {
      state.withLock { $0.objects[key] = bytes.map { Object(bytes: $0, mark: mark) } }
    }

    private func serve(_ connection: FaultConnection) {
      while let request = connection.readRequest() {
        let action = state.withLock { state -> Action? in
          state.requests.append(request)
          guard let index = state.faults.firstIndex(where: { $0.count > 0 && $0.isFor(request) })
          else { return nil }
          state.faults[index].count -= 1
          return state.faults[index].action
        }
        guard act(action, request, connection) else { break }
      }
      connection.close()
    }

    /// - Returns: Whether the connection stays open.
    private func act(
      _ action: Action?, _ request: FaultRequest, _ connection: FaultConnection
    ) -> Bool {
      func send(_ reply: FaultReply) -> Bool { connection.send(reply, to: request) }
      switch action {
      case nil: return send(reply(request))
      case .reply(let status, let code, let headers):
        return send(FaultReply(status, code: code, headers: headers))
      case .replyAfter(let status, let code):
        _ = reply(request)
        return send(FaultReply(status, code: code))
      case .body(let text): return send(FaultReply(200, body: Data(text.utf8)))
      case .change(let change):
        var reply = reply(request)
        reply.body = Data(change(String(decoding: reply.body, as: UTF8.self)).utf8)
        return send(reply)
      case .drop: return false
      case .dropAfter:
        _ = reply(request)
        return false
      case .truncate:
        connection.send(reply(request), to: request, truncated: true)
        return false
      case .hideLength:
        connection.send(reply(request), to: request, hidesLength: true)
        return false
      case .stall(let seconds):
        Thread.sleep(forTimeInterval: seconds)
        return false
      case .refuse(let status, let code, let work):
        work()
        return send(FaultReply(status, code: code))
      case .meanwhile(let work):
        work(self)
        return send(reply(request))
      }
    }
  }
#endif

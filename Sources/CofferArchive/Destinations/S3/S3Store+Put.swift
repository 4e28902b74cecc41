#if S3
  import FoundationEssentials

  extension S3Store {
    private static let rounds = 4

    /// A header with a mark of this call, by which its object is known.
    static func mark() -> (name: String, value: String) {
      let digits = [UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max)]
        .map { number in
          let hex = String(number, radix: 16)
          return String(repeating: "0", count: 16 - hex.count) + hex
        }
      return (S3Reply.markName, digits.joined())
    }

    /// Stores an object in one request.
    func put(_ name: String, _ key: String, _ bytes: Data) throws(S3Error) -> Bool {
      let mark = S3Store.mark()
      var mayBeRepeated = false
      for _ in 0..<S3Store.rounds {
        var request = S3Request(.put, "store objects", key: key)
        request.headers = [("if-none-match", "*"), mark] + headers(name)
        request.body = bytes
        request.retriesConflicts = true
        let reply = try send(conditional: request)
        if reply.isSuccess { return true }
        guard reply.status == 412 else { throw client.unexpected(reply) }
        mayBeRepeated = mayBeRepeated || reply.mayBeRepeated
        // What is there is another's, unless the store may have got the request before.
        guard mayBeRepeated else { return false }
        if let isOwn = try isOwn(key, mark.value, bytes) { return isOwn }
        // It was deleted meanwhile.
      }
      throw .uncertain(name: name)
    }

    /// Tells whether the object that is there was stored with this mark; nil if there is none.
    func isOwn(_ key: String, _ mark: String, _ bytes: Data) throws(S3Error) -> Bool? {
      let head = try client.send(S3Request(.head, "read objects", key: key))
      if head.status == 404 { return nil }
      guard head.isSuccess else { throw client.unexpected(head) }
      if let found = head.headers[S3Reply.markName] { return found == mark }
      // A store without metadata.
      return try fetch(key).map { $0.body == bytes }
    }

    /// Sends a request with a condition.
    ///
    /// - Throws: Also if the store says that it doesn't know the condition.
    func send(conditional request: S3Request) throws(S3Error) -> S3Reply {
      do {
        return try client.send(request)
      } catch {
        if case .refused(let status, let code, _) = error,
          status == 501 || code == "NotImplemented"
        {
          throw .conditionNotHonoured(endpoint: client.endpoint.text)
        }
        throw error
      }
    }
  }

  extension S3Client {
    /// The error of a reply whose status fits no request of this kind.
    func unexpected(_ reply: S3Reply) -> S3Error {
      let code = reply.errorCode
      return .invalidReply("status \(reply.status)" + (code.isEmpty ? "" : ", \(code)"))
    }
  }
#endif

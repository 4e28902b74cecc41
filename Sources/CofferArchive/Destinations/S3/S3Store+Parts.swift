#if S3
  import FoundationEssentials

  extension S3Store {
    private static let partSize = 8 << 20
    private static let partLimit = 10_000
    private static let uploads = 3

    /// Stores an object in several requests, of which the last has the condition.
    func putInParts(_ name: String, _ key: String, _ bytes: Data) throws(S3Error) -> Bool {
      // Saves an upload; what counts is the condition.
      let head = try client.send(S3Request(.head, "read objects", key: key))
      if head.isSuccess { return false }
      let mark = S3Store.mark()
      // After a conflict, the store wants a new upload.
      for _ in 0..<S3Store.uploads {
        if let isStored = try upload(name, key, bytes, mark) { return isStored }
      }
      throw .uncertain(name: name)
    }

    /// - Returns: nil if the upload has to be made anew.
    func upload(
      _ name: String, _ key: String, _ bytes: Data, _ mark: (name: String, value: String)
    ) throws(S3Error) -> Bool? {
      let identifier = try begin(name, key, mark)
      do {
        let tags = try sendParts(key, bytes, identifier)
        let result = try complete(key, bytes, identifier, tags, mark.value)
        if result != true { abort(key, identifier) }
        return result
      } catch {
        abort(key, identifier)
        throw error
      }
    }

    private func begin(
      _ name: String, _ key: String, _ mark: (name: String, value: String)
    ) throws(S3Error) -> String {
      var request = S3Request(.post, "store objects", key: key)
      request.query = [("uploads", "")]
      request.headers = [mark] + headers(name)
      request.body = Data()
      request.problem = { reply in
        S3XML(reply.body).text("UploadId") == nil ? "an upload without its identifier" : nil
      }
      let reply = try client.send(request)
      guard reply.isSuccess, let identifier = S3XML(reply.body).text("UploadId") else {
        throw client.unexpected(reply)
      }
      return identifier
    }

    private func sendParts(
      _ key: String, _ bytes: Data, _ identifier: String
    ) throws(S3Error) -> [String] {
      let size = max(
        S3Store.partSize, (bytes.count + S3Store.partLimit - 1) / S3Store.partLimit)
      var tags: [String] = []
      var start = bytes.startIndex
      repeat {
        let end = min(start + size, bytes.endIndex)
        var request = S3Request(.put, "store objects", key: key)
        request.query = [("partNumber", "\(tags.count + 1)"), ("uploadId", identifier)]
        request.body = bytes[start..<end]
        request.problem = { $0.headers["etag"] == nil ? "a part without its tag" : nil }
        let reply = try client.send(request)
        guard reply.isSuccess, let tag = reply.headers["etag"] else {
          throw client.unexpected(reply)
        }
        tags.append(tag)
        start = end
      } while start < bytes.endIndex
      return tags
    }

    private func complete(
      _ key: String, _ bytes: Data, _ identifier: String, _ tags: [String], _ mark: String
    ) throws(S3Error) -> Bool? {
      var text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
      for (index, tag) in tags.enumerated() {
        let tag = tag.filter { $0 != "\"" && $0 != "<" && $0 != "&" }
        text += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\"\(tag)\"</ETag></Part>"
      }
      text += "</CompleteMultipartUpload>"
      var request = S3Request(.post, "store objects", key: key)
      request.query = [("uploadId", identifier)]
      request.headers = [("if-none-match", "*")]
      request.body = Data(text.utf8)
      // The store sends status 200 at once, to keep the connection, and may fail afterwards.
      request.problem = { reply in
        S3XML(reply.body).endsWith("CompleteMultipartUploadResult")
          ? nil : "an upload that isn't complete (\(reply.errorCode))"
      }
      let reply: S3Reply
      do {
        reply = try send(conditional: request)
      } catch {
        // A failure may hide that it is done.
        if case .refused(409, _, _) = error { return nil }
        if (try? isOwn(key, mark, bytes)) == true { return true }
        throw error
      }
      if reply.isSuccess { return true }
      switch reply.status {
      case 412:
        return reply.mayBeRepeated ? try isOwn(key, mark, bytes) : false
      case 404 where reply.errorCode == "NoSuchUpload":
        // An earlier attempt has completed it, or the store has thrown it away.
        return try isOwn(key, mark, bytes)
      default: throw client.unexpected(reply)
      }
    }

    /// What remains of an upload costs money.
    private func abort(_ key: String, _ identifier: String) {
      var request = S3Request(.delete, "abort uploads", key: key)
      request.query = [("uploadId", identifier)]
      _ = try? client.send(request)
    }
  }
#endif

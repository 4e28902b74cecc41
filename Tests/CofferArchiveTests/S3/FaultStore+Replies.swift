#if S3
  import Foundation

  extension FaultStore {
    /// Does what a request asks for.
    func reply(_ request: FaultRequest) -> FaultReply {
      state.withLock { state in
        let hasCondition = request.headers["if-none-match"] == "*"
        let mark = behaviour.keepsMetadata ? request.headers["x-amz-meta-coffer-put"] : nil
        switch request.method {
        case "GET" where request.key.isEmpty: return list(state, request)
        case "GET", "HEAD":
          guard let object = state.objects[request.key] else {
            return FaultReply(404, code: "NoSuchKey")
          }
          return FaultReply(
            200, headers: object.mark.map { ["x-amz-meta-coffer-put": $0] } ?? [:],
            body: object.bytes)
        case "DELETE":
          if let upload = request.query["uploadId"] {
            state.uploads[upload] = nil
          } else {
            state.objects[request.key] = nil
          }
          return FaultReply(204)
        case "PUT":
          if let upload = request.query["uploadId"] {
            guard state.uploads[upload] != nil else { return FaultReply(404, code: "NoSuchUpload") }
            let number = Int(request.query["partNumber"] ?? "") ?? 0
            state.uploads[upload]?.parts[number] = request.body
            return FaultReply(200, headers: ["ETag": "\"\(number)\""])
          }
          if hasCondition, behaviour.honoursCondition, state.objects[request.key] != nil {
            return FaultReply(412, code: "PreconditionFailed")
          }
          state.objects[request.key] = Object(bytes: request.body, mark: mark)
          return FaultReply(200, headers: ["ETag": "\"x\""])
        case "POST" where request.query["uploads"] != nil:
          let upload = "upload+/\(state.requests.count)"
          state.uploads[upload] = (request.key, mark, [:])
          return FaultReply(
            200,
            xml: "<InitiateMultipartUploadResult><UploadId>\(upload)</UploadId>"
              + "</InitiateMultipartUploadResult>")
        case "POST":
          return complete(&state, request, hasCondition)
        default: return FaultReply(405, code: "MethodNotAllowed")
        }
      }
    }

    private func complete(
      _ state: inout State, _ request: FaultRequest, _ hasCondition: Bool
    ) -> FaultReply {
      guard let identifier = request.query["uploadId"], let upload = state.uploads[identifier]
      else { return FaultReply(404, code: "NoSuchUpload") }
      if hasCondition, behaviour.honoursInParts, state.objects[upload.key] != nil {
        return FaultReply(412, code: "PreconditionFailed")
      }
      let bytes = upload.parts.keys.sorted().reduce(into: Data()) { $0 += upload.parts[$1]! }
      state.objects[upload.key] = Object(bytes: bytes, mark: upload.mark)
      state.uploads[identifier] = nil
      return FaultReply(
        200, xml: "<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>")
    }

    private func list(_ state: State, _ request: FaultRequest) -> FaultReply {
      let prefix = request.query["prefix"] ?? ""
      let keys = state.objects.keys.filter { $0.hasPrefix(prefix) }.sorted()
      // Tokens have signs that have to be encoded.
      let start =
        (request.query["continuation-token"]?.split(separator: " ").last)
        .flatMap { Int($0) } ?? 0
      let page = keys[min(start, keys.count)...].prefix(behaviour.pageSize)
      let isTruncated = start + page.count < keys.count
      var xml = "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
      xml += "<Prefix>\(prefix)</Prefix><IsTruncated>\(isTruncated)</IsTruncated>"
      for key in page {
        let key = key.replacing("&", with: "&amp;").replacing("<", with: "&#60;")
        xml += "<Contents><Key>\(key)</Key><Size>1</Size></Contents>"
      }
      if isTruncated {
        xml += "<NextContinuationToken>a+b/c=&amp; \(start + page.count)</NextContinuationToken>"
      }
      return FaultReply(200, xml: xml + "</ListBucketResult>\n")
    }
  }
#endif

#if S3
  import FoundationEssentials
  import Synchronization

  /// The objects of an archive in a bucket.
  final class S3Store: Sendable {
    /// Objects over so many bytes are sent in parts.
    static let singleLimit = 16 << 20

    let client: S3Client
    private let storageClass: String?
    private let encryption: [(name: String, value: String)]
    private let isProbed = Mutex(false)
    private let honoursInParts = Mutex<Bool?>(nil)

    init(
      _ address: String, _ options: S3Options, _ connections: S3Connections,
      environment: @escaping @Sendable () -> [String: String]
    ) throws(S3Error) {
      var options = options
      let mark = address.firstIndex(of: "?") ?? address.endIndex
      if mark < address.endIndex { try options.take(address[address.index(after: mark)...]) }
      try options.checkHeaders()
      (storageClass, encryption) = (options.storageClass, options.encryption?.headers ?? [])
      client = try S3Client(
        S3Location(String(address[..<mark])), options, connections, environment: environment)
    }

    /// The headers with which an object is stored, beside its mark.
    func headers(_ name: String) -> [(name: String, value: String)] {
      // What is deleted within a day isn't worth a colder class.
      guard let storageClass, name.hasPrefix(ObjectName.layers) else { return encryption }
      return encryption + [("x-amz-storage-class", storageClass)]
    }

    var description: String {
      "s3://\(client.location.bucket)/\(client.location.prefix) at \(client.endpoint.text)"
    }

    func putIfAbsent(_ name: String, _ bytes: Data) throws(S3Error) -> Bool {
      let key = try client.location.key(name)
      guard bytes.count <= largestObjectSize else { throw .tooLarge(byteCount: bytes.count) }
      // Other threads wait for the answer.
      try withTypedLock(isProbed) { (isProbed) throws(S3Error) in
        if !isProbed { try probeSingle() }
        isProbed = true
      }
      guard bytes.count > S3Store.singleLimit else { return try put(name, key, bytes) }
      let inParts = try withTypedLock(honoursInParts) { (known) throws(S3Error) in
        if let known { return known }
        let answer = try probeParts()
        known = answer
        return answer
      }
      return try inParts ? putInParts(name, key, bytes) : put(name, key, bytes)
    }

    func get(_ name: String) throws(S3Error) -> Data? {
      try fetch(client.location.key(name))?.body
    }

    func delete(_ name: String) throws(S3Error) {
      let request = S3Request(.delete, "delete objects", key: try client.location.key(name))
      let reply = try client.send(request)
      guard reply.isSuccess || (reply.status == 404 && reply.errorCode == "NoSuchKey") else {
        throw client.unexpected(reply)
      }
    }

    func probe() throws(S3Error) { try probeSingle() }

    /// Returns the reply with an object; nil if there is none.
    func fetch(_ key: String) throws(S3Error) -> S3Reply? {
      var request = S3Request(.get, "read objects", key: key)
      request.replyLimit = largestObjectSize
      request.problem = { reply in
        // Without a length, a reply that was cut off couldn't be told from a whole one.
        guard let length = reply.contentLength, reply.status == 200 else {
          return "an object without its length"
        }
        return reply.body.count == length
          ? nil : "an object of \(length) bytes with \(reply.body.count) bytes"
      }
      let reply = try client.send(request)
      if reply.status == 200 { return reply }
      // Other servers also say 404 for what they don't know.
      guard reply.status == 404, reply.errorCode == "NoSuchKey" else {
        throw client.unexpected(reply)
      }
      return nil
    }

    private func withTypedLock<Value: Sendable, Result: Sendable>(
      _ mutex: borrowing Mutex<Value>, _ use: (inout Value) throws(S3Error) -> Result
    ) throws(S3Error) -> Result {
      try mutex.withLock { (value) throws(S3Error) in try use(&value) }
    }
  }
#endif

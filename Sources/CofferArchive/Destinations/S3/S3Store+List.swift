#if S3
  extension S3Store {
    /// Far more pages of 1,000 names than an archive has.
    private static let pageLimit = 100_000

    func list(_ prefix: String) throws(S3Error) -> [String] {
      guard S3Location.isNamePrefix(prefix) else { throw .invalidName }
      let location = client.location
      let isProbe = prefix.hasPrefix(S3Store.probeFolder)
      var names: [String] = []
      var token: String?
      for _ in 0..<S3Store.pageLimit {
        var request = S3Request(.get, "list objects")
        request.query = [("list-type", "2"), ("prefix", location.prefix + prefix)]
        if let token { request.query.append(("continuation-token", token)) }
        request.problem = { reply in
          S3XML(reply.body).endsWith("ListBucketResult") ? nil : "a list that isn't complete"
        }
        let reply = try client.send(request)
        guard reply.isSuccess else { throw client.unexpected(reply) }
        let page = S3XML(reply.body)
        names += page.texts("Key").compactMap { location.name(ofKey: $0) }
          .filter { $0.hasPrefix(prefix) && (isProbe || !$0.hasPrefix(S3Store.probeFolder)) }
        switch page.text("IsTruncated") {
        case "false": return S3Store.inOrder(names)
        case "true": break
        default: throw .invalidReply("a list that doesn't tell whether it is complete")
        }
        guard let next = page.text("NextContinuationToken"), !next.isEmpty, next != token else {
          throw .invalidReply("a list that doesn't tell how it continues")
        }
        token = next
      }
      throw .invalidReply("a list without an end")
    }

    /// Not all stores keep an order. A name can be on two pages if objects are stored meanwhile.
    private static func inOrder(_ names: [String]) -> [String] {
      var result: [String] = []
      result.reserveCapacity(names.count)
      for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
      where name != result.last {
        result.append(name)
      }
      return result
    }
  }
#endif

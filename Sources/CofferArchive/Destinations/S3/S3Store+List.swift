#if S3
  extension S3Store {
    /// Far more pages of 1,000 names than an archive has.
    private static let pageLimit = 100_000

    func list(_ prefix: String) throws(S3Error) -> [String] {
      try entries(prefix).map(\.name)
    }

    /// Returns the names that begin with a prefix, and when their objects were stored.
    func entries(_ prefix: String) throws(S3Error) -> [(name: String, date: String)] {
      guard S3Location.isNamePrefix(prefix) else { throw .invalidName }
      let location = client.location
      let isProbe = prefix.hasPrefix(S3Store.probeFolder)
      var entries: [(name: String, date: String)] = []
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
        let keys = page.texts("Key")
        // Not all stores give it.
        let dates = page.texts("LastModified")
        for (index, key) in keys.enumerated() {
          guard let name = location.name(ofKey: key), name.hasPrefix(prefix),
            isProbe || !name.hasPrefix(S3Store.probeFolder)
          else { continue }
          entries.append((name, dates.count == keys.count ? dates[index] : ""))
        }
        switch page.text("IsTruncated") {
        case "false": return S3Store.inOrder(entries)
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
    private static func inOrder(
      _ entries: [(name: String, date: String)]
    ) -> [(name: String, date: String)] {
      var result: [(name: String, date: String)] = []
      result.reserveCapacity(entries.count)
      for entry in entries.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
      where entry.name != result.last?.name {
        result.append(entry)
      }
      return result
    }
  }
#endif

#if S3
  import FoundationEssentials

  extension S3Store {
    static let probeFolder = "probe/"

    /// Tries the condition of single requests.
    func probeSingle() throws(S3Error) {
      let (name, key) = try probeKey()
      guard try put(name, key, Data("first".utf8)) else {
        throw .conditionNotHonoured(endpoint: client.endpoint.text)
      }
      let isReplaced: Bool
      do {
        defer { discard(key) }
        isReplaced = try put(name, key, Data("second".utf8))
      }
      if isReplaced { throw .conditionNotHonoured(endpoint: client.endpoint.text) }
    }

    /// Tells whether uploads in parts have a condition, too.
    func probeParts() throws(S3Error) -> Bool {
      let (name, key) = try probeKey()
      _ = try put(name, key, Data("first".utf8))
      defer { discard(key) }
      do {
        return try upload(name, key, Data("second".utf8), S3Store.mark()) == false
      } catch .conditionNotHonoured {
        return false
      }
    }

    /// Deletes what probes left that were killed a day ago or earlier.
    func deleteProbes() throws(S3Error) -> Int {
      var count = 0
      for entry in try entries(S3Store.probeFolder) {
        // Without a fraction of the second.
        guard let date = try? Date(entry.date.prefix(19) + "Z", strategy: .iso8601),
          date.timeIntervalSinceNow < -86_400
        else { continue }
        try delete(entry.name)
        count += 1
      }
      return count
    }

    /// A name that no other program tries at the same time.
    private func probeKey() throws(S3Error) -> (name: String, key: String) {
      let name = "\(S3Store.probeFolder)\(S3Store.mark().value)"
      return (name, try client.location.key(name))
    }

    /// Credentials that can't delete objects are good for an archive, so a failure is no error.
    private func discard(_ key: String) {
      _ = try? client.send(S3Request(.delete, "delete objects", key: key))
    }
  }
#endif

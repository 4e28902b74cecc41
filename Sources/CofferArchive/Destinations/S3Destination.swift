import FoundationEssentials
import Synchronization

/// A bucket of an object store that has Amazon's S3 interface: Amazon's own, Ceph's, MinIO's.
///
/// ```swift
/// let destination = try S3Destination("s3://backups/notes")
/// ```
///
/// An object's key is the address's prefix and its name. The store has to honour `If-None-Match: *`
/// when it stores an object, which is tried before the first one: see
/// ``S3Error/conditionNotHonoured(endpoint:)``.
///
/// Any call waits for the network, so call it outside the main thread. Several threads can call it
/// at once. Needs the package trait `S3` and Debian's `libcurl4-openssl-dev`, 7.88 or later.
///
/// See <https://docs.aws.amazon.com/AmazonS3/latest/API/>.
public struct S3Destination: ArchiveDestination, LeftoverDestination {
  #if S3
    private let store: S3Store
  #endif

  /// Makes a destination of an address such as `s3://bucket/prefix`. Nothing is sent yet.
  ///
  /// Behind it can be `?storage-class=`, `?sse=` and `&sse-kms-key-id=`, which are the options of
  /// these names.
  ///
  /// The prefix can be empty, and otherwise has letters, digits, `-`, `.`, `_`, `~`, and `/`
  /// between parts.
  /// - Throws: ``S3Error`` if the address or an option can't be used, or without the trait `S3`.
  public init(_ address: String, options: S3Options = S3Options()) throws(S3Error) {
    #if S3
      self.store = try S3Store(address, options, S3Connections()) {
        ProcessInfo.processInfo.environment
      }
    #else
      throw .traitIsOff
    #endif
  }

  /// Makes a destination that shares its connections with others.
  package init(
    _ address: String, options: S3Options = S3Options(), sharing connections: S3Connections
  ) throws(S3Error) {
    #if S3
      self.store = try S3Store(address, options, connections) {
        ProcessInfo.processInfo.environment
      }
    #else
      throw .traitIsOff
    #endif
  }

  #if S3
    /// Makes a destination that takes variables from `environment` instead of the process's.
    package init(
      _ address: String, options: S3Options,
      environment: @escaping @Sendable () -> [String: String]
    ) throws(S3Error) {
      self.store = try S3Store(address, options, S3Connections(), environment: environment)
    }
  #endif

  /// Stores an object, unless there is one of that name.
  ///
  /// An object over 16 MiB is sent in parts, and one over 64 MiB is refused.
  /// - Returns: Whether this call has stored it.
  /// - Throws: ``S3Error``; it may or may not have been stored.
  public func putIfAbsent(_ name: String, _ bytes: Data) throws(S3Error) -> Bool {
    #if S3
      try store.putIfAbsent(name, bytes)
    #else
      throw .traitIsOff
    #endif
  }

  /// Returns an object; nil if there is none.
  ///
  /// - Throws: ``S3Error``, also for an incomplete reply.
  public func get(_ name: String) throws(S3Error) -> Data? {
    #if S3
      try store.get(name)
    #else
      throw .traitIsOff
    #endif
  }

  /// Returns the names that begin with the prefix, in ascending order of their bytes.
  ///
  /// Objects whose keys are no names of an archive are left out, as are those under `probe/`.
  /// - Throws: ``S3Error``
  public func list(_ prefix: String) throws(S3Error) -> [String] {
    #if S3
      try store.list(prefix)
    #else
      throw .traitIsOff
    #endif
  }

  /// Deletes an object; that there is none is no error.
  ///
  /// In a bucket with versions, the store keeps the object as a version.
  /// - Throws: ``S3Error``
  public func delete(_ name: String) throws(S3Error) {
    #if S3
      try store.delete(name)
    #else
      throw .traitIsOff
    #endif
  }

  func deleteLeftovers() throws -> Int {
    #if S3
      try store.deleteProbes()
    #else
      0
    #endif
  }

  /// Tries whether the store honours `If-None-Match`, with an object under `probe/`.
  ///
  /// - Throws: ``S3Error/conditionNotHonoured(endpoint:)`` if it doesn't, and other errors.
  package func probe() throws(S3Error) {
    #if S3
      try store.probe()
    #else
      throw .traitIsOff
    #endif
  }
}

extension S3Destination: CustomStringConvertible, CustomReflectable {
  /// The address, without credentials.
  public var description: String {
    #if S3
      store.description
    #else
      "S3Destination"
    #endif
  }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What several destinations share: the connections that wait for their next use, and credentials.
package final class S3Connections: Sendable {
  #if S3
    let pool = CurlPool()
    private let credentials = Mutex<[S3CredentialSource: S3CredentialStore]>([:])

    /// The credentials of a source: destinations with the same environment share them, too.
    func credentials(
      _ source: S3CredentialSource, environment: @escaping @Sendable () -> [String: String]
    ) -> S3CredentialStore {
      credentials.withLock { stores in
        if let store = stores[source] { return store }
        let store = S3CredentialStore(source, pool, environment: environment)
        stores[source] = store
        return store
      }
    }
  #endif

  package init() {}
}

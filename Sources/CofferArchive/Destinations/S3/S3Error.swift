import FoundationEssentials

/// The reason why an object store can't be used. No message contains a secret.
public enum S3Error: Error, Hashable, Sendable {
  /// The program was built without the package trait `S3`.
  case traitIsOff
  /// The store's address, or an option, is none.
  case invalidAddress(String)
  /// An object's name isn't made of letters, digits, `-`, `.` and `/`, or has over 200 characters.
  case invalidName
  /// There are no credentials in the places that were searched.
  case noCredentials(searched: String)
  /// A file of credentials can't be used.
  case invalidCredentials(file: String, reason: String)
  /// The store doesn't know the credentials, or no longer accepts them. `code` is the store's.
  case credentialsRefused(code: String)
  /// The credentials don't allow the operation.
  case accessDenied(operation: String, bucket: String)
  /// There is no such bucket.
  case bucketMissing(String)
  /// The bucket is in another region; nil if the store doesn't say which.
  case wrongRegion(expected: String?)
  /// The clocks of the machine and of the store differ too much. `storeTime` is the store's date.
  case clockSkew(storeTime: String?)
  /// No connection, also after further attempts.
  case unreachable(endpoint: String, reason: String)
  /// The store's certificate isn't trusted.
  case untrusted(endpoint: String, reason: String)
  /// A limit of time has passed, also in further attempts.
  case timedOut(endpoint: String, reason: String)
  /// The store has failed or was too busy, also after further attempts.
  case unavailable(status: Int, code: String)
  /// The store doesn't honour `If-None-Match`, so that writers could replace each other's objects.
  case conditionNotHonoured(endpoint: String)
  /// It isn't certain whether the object was stored.
  case uncertain(name: String)
  /// The reply is incomplete, or none of an object store.
  case invalidReply(String)
  /// The object is too large for the store.
  case tooLarge(byteCount: Int)
  /// The store has refused the request for another reason.
  case refused(status: Int, code: String, message: String)
  /// libcurl or libcrypto is missing something, or has failed.
  case libraryFailed(String)
}

extension S3Error: CustomStringConvertible, LocalizedError {
  /// A description of the problem and its remedy.
  public var description: String {
    switch self {
    case .traitIsOff:
      "Object stores can't be used: the program was built without the trait S3. Install "
        + "libcurl4-openssl-dev, and add traits: [\"S3\"] to the package's dependency."
    case .invalidAddress(let reason):
      "The object store's address can't be used: \(reason). It is like s3://bucket/prefix."
    case .invalidName:
      "An object's name has to be 1 to 200 letters, digits, \"-\", \".\" and \"/\" between its parts."
    case .noCredentials(let searched):
      "There are no credentials for the object store. Searched: \(searched). Set AWS_ACCESS_KEY_ID and "
        + "AWS_SECRET_ACCESS_KEY, or write them to ~/.aws/credentials, or load them as the systemd "
        + "credential \"s3\", or give the machine or the container a role."
    case .invalidCredentials(let file, let reason):
      "The credentials in \(file) can't be used: \(reason)."
    case .credentialsRefused(let code):
      "The object store refuses the credentials (\(code)). Look whether the key's identifier and secret "
        + "are those of this store, and whether they have expired or were revoked."
    case .accessDenied(let operation, let bucket):
      "The credentials don't allow to \(operation) in the bucket \(bucket). They need s3:GetObject, "
        + "s3:PutObject, s3:AbortMultipartUpload and s3:DeleteObject for its objects, and s3:ListBucket "
        + "for the bucket, without which a missing object also is refused."
    case .bucketMissing(let bucket):
      "There is no bucket \(bucket). Create it, or correct its name or the endpoint."
    case .wrongRegion(let expected?):
      "The bucket is in the region \(expected). Set that region, or AWS_REGION=\(expected)."
    case .wrongRegion(nil):
      "The bucket is in another region, or at another endpoint. Set the region, or AWS_REGION."
    case .clockSkew(let time):
      "The clocks of this machine and of the object store differ too much"
        + (time.map { " (the store's: \($0))" } ?? "") + ". Set this machine's clock."
    case .unreachable(let endpoint, let reason):
      "The object store at \(endpoint) can't be reached: \(reason). Look at the network and at the "
        + "endpoint's name and port, and try again."
    case .untrusted(let endpoint, let reason):
      "The certificate of the object store at \(endpoint) isn't trusted: \(reason). Install the "
        + "certificate of its authority (see ca-certificates)."
    case .timedOut(let endpoint, let reason):
      "The object store at \(endpoint) took too long: \(reason). Try again, or allow more time."
    case .unavailable(let status, let code):
      "The object store has failed or is too busy (status \(status)\(S3Error.suffix(code))). Try again later."
    case .conditionNotHonoured(let endpoint):
      "The object store at \(endpoint) replaces objects though the request has If-None-Match: *, so that "
        + "an archive there could be damaged. Use a store that honours it, such as Amazon S3, Ceph or MinIO "
        + "in a recent version."
    case .uncertain(let name):
      "It isn't certain whether the object \(name) was stored. Try again."
    case .invalidReply(let reason):
      "The object store's reply can't be used: \(reason). Look whether the endpoint is that of an object "
        + "store, and try again."
    case .tooLarge(let byteCount):
      "An object of \(byteCount) bytes is too large for the object store."
    case .refused(let status, let code, let message):
      "The object store refuses the request (status \(status)\(S3Error.suffix(code)))"
        + (message.isEmpty ? "." : ": \(message)")
    case .libraryFailed(let reason):
      "The object store can't be used: \(reason)."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  private static func suffix(_ code: String) -> String { code.isEmpty ? "" : ", \(code)" }
}

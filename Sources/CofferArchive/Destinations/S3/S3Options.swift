/// How an object store is found and how long it may take.
public struct S3Options: Hashable, Sendable {
  /// The store's URL, such as `http://127.0.0.1:7480`.
  ///
  /// By default, that of the variable `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`, and else
  /// Amazon's for the region. `http` sends all but the signature's key in the clear, though objects
  /// are encrypted.
  public var endpoint: String?

  /// The region's name; by default that of `AWS_REGION` or `AWS_DEFAULT_REGION`, and else
  /// `us-east-1`.
  public var region: String?

  /// Whether the bucket is in the URL's path rather than in the host's name.
  ///
  /// By default it is with an endpoint of one's own, and where the bucket's name has a dot.
  public var usesPathStyle: Bool?

  /// The path of a file with the authorities' certificates, in PEM format.
  ///
  /// By default that of `AWS_CA_BUNDLE`, and else the system's.
  public var certificateAuthorities: String?

  /// Where the credentials come from.
  public var credentials: S3CredentialSource = .automatic

  /// The storage class of layers, such as `STANDARD_IA`; by default the bucket's.
  ///
  /// Segments and manifests always have the bucket's: they are deleted after a day or less, and
  /// colder classes cost for at least 30. `GLACIER` and `DEEP_ARCHIVE` are refused, since nothing
  /// in them can be read at once.
  public var storageClass: String?

  /// How the store encrypts objects, beside what they are already; by default the bucket's way.
  public var encryption: S3Encryption?

  /// The longest time for a connection, in seconds, above 0.
  public var connectionTimeLimit: Double = 10

  /// The longest time without any progress, in whole seconds, at least 1.
  public var stallTimeLimit: Int = 30

  /// The longest time for a request with all its attempts, in seconds, above 0.
  ///
  /// An operation can take several requests: pages of names, or parts of an object over 16 MiB.
  public var requestTimeLimit: Double = 300

  /// The most attempts of a request, at least 1.
  ///
  /// Further attempts follow a failed connection and the statuses 408, 429 and 5xx, each after a
  /// random time of up to 0.1 s, 0.2 s, 0.4 s, and so on to 20 s.
  public var attempts: Int = 6

  /// Makes options with the defaults.
  public init() {}
}

/// How an object store encrypts objects.
public enum S3Encryption: Hashable, Sendable {
  /// With keys of the store (`AES256`).
  case store
  /// With a key of its key service (`aws:kms`); nil for the default one.
  case keyService(keyID: String? = nil)
  /// With a key of its key service, in two layers (`aws:kms:dsse`); nil for the default one.
  case keyServiceTwice(keyID: String? = nil)

  /// The headers of a request that stores an object.
  var headers: [(name: String, value: String)] {
    let (algorithm, keyID): (String, String?) =
      switch self {
      case .store: ("AES256", nil)
      case .keyService(let keyID): ("aws:kms", keyID)
      case .keyServiceTwice(let keyID): ("aws:kms:dsse", keyID)
      }
    let key = keyID.map { [(name: "x-amz-server-side-encryption-aws-kms-key-id", value: $0)] }
    return [(name: "x-amz-server-side-encryption", value: algorithm)] + (key ?? [])
  }
}

#if S3
  extension S3Options {
    /// Takes the settings of an address's query, such as `storage-class=STANDARD_IA&sse=AES256`.
    mutating func take(_ query: Substring) throws(S3Error) {
      var values: [Substring: String] = [:]
      for part in query.split(separator: "&", omittingEmptySubsequences: false) {
        let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, ["storage-class", "sse", "sse-kms-key-id"].contains(halves[0]),
          values.updateValue(String(halves[1]), forKey: halves[0]) == nil
        else {
          throw .invalidAddress(
            "behind \"?\" are storage-class=, sse= and sse-kms-key-id=, once each")
        }
      }
      if let name = values["storage-class"] { storageClass = name }
      let keyID = values["sse-kms-key-id"]
      switch values["sse"] {
      case nil where keyID == nil: break
      case "AES256" where keyID == nil: encryption = .store
      case "aws:kms": encryption = .keyService(keyID: keyID)
      case "aws:kms:dsse": encryption = .keyServiceTwice(keyID: keyID)
      default:
        throw .invalidAddress("sse= is AES256, or aws:kms or aws:kms:dsse, which can have a key")
      }
    }

    /// - Throws: ``S3Error`` if a header would not be one, or a class can't be read at once.
    func checkHeaders() throws(S3Error) {
      if let storageClass {
        guard !["GLACIER", "DEEP_ARCHIVE"].contains(storageClass) else {
          throw .invalidAddress("nothing in the class \(storageClass) can be read at once")
        }
        guard !storageClass.isEmpty, storageClass.utf8.count <= 64,
          storageClass.utf8.allSatisfy({ S3Location.isNameSign($0) || $0 == UInt8(ascii: "_") })
        else { throw .invalidAddress("a storage class has letters, digits and \"_\"") }
      }
      let values = encryption?.headers.map(\.value) ?? []
      guard values.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } })
      else { throw .invalidAddress("the key of the key service has blanks or other signs") }
    }
  }
#endif

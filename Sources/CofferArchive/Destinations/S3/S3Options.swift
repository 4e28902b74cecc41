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

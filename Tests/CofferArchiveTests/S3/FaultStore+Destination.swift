#if S3
  import CofferArchive
  import Foundation

  extension FaultStore {
    /// A destination in this store, whose further attempts follow soon.
    func destination(
      _ configure: (inout S3Options) -> Void = { _ in },
      environment: @escaping @Sendable () -> [String: String] = { [:] }
    ) throws -> S3Destination {
      var options = S3Options()
      options.endpoint = endpoint
      options.credentials = .fixed(
        S3Credentials(accessKeyID: "AKTEST", secretAccessKey: "secret-of-test"))
      options.attempts = 4
      options.requestTimeLimit = 20
      configure(&options)
      return try S3Destination("s3://bucket/notes", options: options, environment: environment)
    }
  }
#endif

/// Where an object store's credentials come from.
///
/// Files are read anew after they have changed, and all sources after a request was refused.
public enum S3CredentialSource: Hashable, Sendable {
  /// The first of these that exists: the environment, the systemd credential `s3`, the shared file.
  case automatic
  /// The variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, of a temporary key,
  /// `AWS_SESSION_TOKEN`.
  case environment
  /// A file like the AWS tools', by default that of `AWS_SHARED_CREDENTIALS_FILE`, and else
  /// `~/.aws/credentials`. The profile is by default that of `AWS_PROFILE`, and else `default`.
  case sharedFile(path: String? = nil, profile: String? = nil)
  /// A credential that systemd has loaded for the service (`LoadCredential=s3:…`), like the shared
  /// file.
  case systemd(name: String = "s3")
  /// Credentials that the program has.
  case fixed(S3Credentials)
}

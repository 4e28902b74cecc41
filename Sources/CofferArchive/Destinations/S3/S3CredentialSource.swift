/// Where an object store's credentials come from.
///
/// Files are read anew after they have changed, temporary credentials five minutes before they
/// expire, and all sources after a request was refused.
public enum S3CredentialSource: Hashable, Sendable {
  /// The first of these that exists: the environment, the systemd credential `s3`, a web identity,
  /// the shared files with their process, a container's, the instance's.
  case automatic
  /// The variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, of a temporary key,
  /// `AWS_SESSION_TOKEN`.
  case environment
  /// A file like the AWS tools', by default that of `AWS_SHARED_CREDENTIALS_FILE`, and else
  /// `~/.aws/credentials`. The profile is by default that of `AWS_PROFILE`, and else `default`. It
  /// can have a `credential_process`, as can the profile in the file of `AWS_CONFIG_FILE`, and else
  /// `~/.aws/config`.
  case sharedFile(path: String? = nil, profile: String? = nil)
  /// A credential that systemd has loaded for the service (`LoadCredential=s3:…`), like the shared
  /// file.
  case systemd(name: String = "s3")
  /// What a shell command prints as JSON, as a `credential_process` of the AWS tools does. It has a
  /// minute.
  case process(command: String)
  /// A role for the token in the file of `AWS_WEB_IDENTITY_TOKEN_FILE`, such as a Kubernetes
  /// service account's: `AWS_ROLE_ARN`, and `AWS_ROLE_SESSION_NAME` if it is set. The service that
  /// exchanges them is that of `AWS_ENDPOINT_URL_STS`, and else the region's.
  case webIdentity
  /// The role of a container, at `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or
  /// `AWS_CONTAINER_CREDENTIALS_FULL_URI`, with the token of `AWS_CONTAINER_AUTHORIZATION_TOKEN`
  /// or its file.
  case container
  /// The role of an instance, from its metadata (version 2) at
  /// `AWS_EC2_METADATA_SERVICE_ENDPOINT`, and else `http://169.254.169.254`, unless
  /// `AWS_EC2_METADATA_DISABLED` is `true`.
  case instance
  /// Credentials that the program has.
  case fixed(S3Credentials)
}

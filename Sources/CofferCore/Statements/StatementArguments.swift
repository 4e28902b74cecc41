/// The values of a statement's parameters.
public struct StatementArguments: Hashable, Sendable {
  public init() {}
}

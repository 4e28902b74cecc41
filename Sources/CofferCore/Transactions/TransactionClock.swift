import FoundationEssentials

/// Tells the date of transactions.
public protocol TransactionClock: Sendable {
  /// The date; called once per transaction, when it is first asked for.
  func now(_ db: Database) throws -> Date
}

/// The system's clock.
public struct DefaultTransactionClock: TransactionClock {
  /// The system's clock.
  public init() {}

  /// The current date.
  public func now(_ db: Database) throws -> Date { Date() }
}

/// A clock that a function makes.
public struct CustomTransactionClock: TransactionClock {
  private let date: @Sendable (Database) throws -> Date

  /// The clock that tells what `now` returns.
  public init(_ now: @escaping @Sendable (_ db: Database) throws -> Date) { date = now }

  /// What the function returns.
  public func now(_ db: Database) throws -> Date { try date(db) }
}

extension TransactionClock where Self == DefaultTransactionClock {
  /// The system's clock.
  public static var `default`: DefaultTransactionClock { DefaultTransactionClock() }
}

extension TransactionClock where Self == CustomTransactionClock {
  /// A clock that tells what `now` returns.
  public static func custom(
    _ now: @escaping @Sendable (_ db: Database) throws -> Date
  ) -> CustomTransactionClock {
    CustomTransactionClock(now)
  }
}

/// The date of a transaction.
package struct TransactionInstant: Sendable {
  package var date: Date
}

extension Database {
  /// The date of the transaction, which is the same until it ends; outside of
  /// transactions, the current date.
  ///
  /// It is what `Configuration.transactionClock` tells when it is first asked for.
  public var transactionDate: Date {
    get throws {
      try checkAccess()
      guard isInsideTransaction else { return try configuration.transactionClock.now(self) }
      if let currentTransactionDate { return currentTransactionDate.date }
      let date = try configuration.transactionClock.now(self)
      currentTransactionDate = TransactionInstant(date: date)
      return date
    }
  }
}

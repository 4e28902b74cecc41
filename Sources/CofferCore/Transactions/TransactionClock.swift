import FoundationEssentials

/// The source of transaction dates.
public protocol TransactionClock: Sendable {
  /// Returns the date; called at most once per transaction, when the date is first requested.
  func now(_ db: Database) throws -> Date
}

/// The system's clock.
public struct DefaultTransactionClock: TransactionClock {
  /// Creates the system's clock.
  public init() {}

  /// Returns the current date.
  public func now(_ db: Database) throws -> Date { Date() }
}

/// A clock that calls a function.
public struct CustomTransactionClock: TransactionClock {
  private let date: @Sendable (Database) throws -> Date

  /// Creates a clock that returns the date of `now`.
  public init(_ now: @escaping @Sendable (_ db: Database) throws -> Date) { date = now }

  /// Returns the date of the function.
  public func now(_ db: Database) throws -> Date { try date(db) }
}

extension TransactionClock where Self == DefaultTransactionClock {
  /// The system's clock.
  public static var `default`: DefaultTransactionClock { DefaultTransactionClock() }
}

extension TransactionClock where Self == CustomTransactionClock {
  /// A clock that returns the date of `now`.
  public static func custom(
    _ now: @escaping @Sendable (_ db: Database) throws -> Date
  ) -> CustomTransactionClock {
    CustomTransactionClock(now)
  }
}

/// The date of a transaction.
struct TransactionInstant: Sendable {
  var date: Date
}

extension Database {
  /// The date of the transaction, which is constant until its end.
  ///
  /// Outside of transactions, it is the current date.
  ///
  /// `Configuration.transactionClock` provides it on first use.
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

import CofferQuery

// Requests for all rows of the type's table, joined with others: each method is the one of
// `QueryInterfaceRequest`, on `all()`.

extension TableRecord {
  /// A request with all rows that an association leads to, fetched by a query of their own.
  public static func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<
    Self
  >
  where A.OriginRowDecoder == Self { all().including(all: association) }

  /// A request with the row that an association leads to, or with NULLs where there is none.
  public static func including<A: Association>(optional association: A) -> QueryInterfaceRequest<
    Self
  >
  where A.OriginRowDecoder == Self { all().including(optional: association) }

  /// A request with the row that an association leads to, without rows that have none.
  public static func including<A: Association>(required association: A) -> QueryInterfaceRequest<
    Self
  >
  where A.OriginRowDecoder == Self { all().including(required: association) }

  /// A request joined with what an association leads to, of which nothing is selected.
  public static func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().joining(optional: association) }

  /// A request without rows that the association leads nowhere from.
  public static func joining<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().joining(required: association) }

  /// A request with the columns of an association's row beside its own, or with NULLs.
  public static func annotated<A: Association>(withOptional association: A)
    -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().annotated(withOptional: association) }

  /// A request with the columns of an association's row beside its own.
  public static func annotated<A: Association>(withRequired association: A)
    -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().annotated(withRequired: association) }
}

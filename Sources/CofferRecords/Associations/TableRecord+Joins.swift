import CofferQuery

// Joins of requests for all rows of the type's table: each method calls the method of
// `QueryInterfaceRequest` on `all()`.

extension TableRecord {
  /// Returns a request with all associated rows, which are prefetched by another query.
  public static func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<
    Self
  >
  where A.OriginRowDecoder == Self { all().including(all: association) }

  /// Returns a request with the associated row, or NULLs if there is none.
  public static func including<A: Association>(optional association: A) -> QueryInterfaceRequest<
    Self
  >
  where A.OriginRowDecoder == Self { all().including(optional: association) }

  /// Returns a request with the associated row, limited to rows that have one.
  public static func including<A: Association>(required association: A) -> QueryInterfaceRequest<
    Self
  >
  where A.OriginRowDecoder == Self { all().including(required: association) }

  /// Returns a request joined with an association, without selecting its columns.
  public static func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().joining(optional: association) }

  /// Returns a request for rows that have an associated row.
  public static func joining<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().joining(required: association) }

  /// Returns a request with the columns of the associated row appended to its selection, or NULLs.
  public static func annotated<A: Association>(withOptional association: A)
    -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().annotated(withOptional: association) }

  /// Returns a request with the columns of the associated row appended to its selection.
  public static func annotated<A: Association>(withRequired association: A)
    -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().annotated(withRequired: association) }
}

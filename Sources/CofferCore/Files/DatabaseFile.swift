/// What can be done with a database file as a whole, while no connection has it open.
public enum DatabaseFile {}

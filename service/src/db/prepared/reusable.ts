import type { Compilable, CompiledQuery, Kysely } from 'kysely';

/** A database, or a transaction. */
type Executor = Pick<Kysely<unknown>, 'executeQuery'>;

/** Stands for a value while a query is built. */
class Placeholder {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/** An object whose properties are the placeholders of their names. */
const placeholders: object = new Proxy({}, { get: (_, name) => new Placeholder(name) });

/**
 * Returns a function that builds and compiles a query at its first use, and from then on only replaces the values. For
 * a query of many columns, building takes longer than anything else that the process does for it.
 *
 * `build` gets placeholders instead of values. It can pass them on as parameters, but the text can't depend on them.
 */
export function reusable<D extends Executor, V extends object, O>(
  build: (db: D, values: V) => Compilable<O>,
): (db: D, values: V) => Promise<O[]> {
  let compiled: CompiledQuery<O> | undefined;
  return async (db, values) => {
    compiled ??= build(db, placeholders as V).compile();
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof V] : parameter,
    );
    const { rows } = await db.executeQuery<O>({ ...compiled, parameters });
    return rows;
  };
}

/** Runs queries that are known by the functions that build them. Each is compiled at its first use: see `reusable`. */
export function createReusables() {
  const known = new WeakMap<object, (db: never, values: never) => Promise<unknown[]>>();
  return async <D extends Executor, V extends object, O>(
    db: D,
    { key, build }: { key: object; build: (db: D, values: V) => Compilable<O> },
    values: V,
  ): Promise<O[]> => {
    const run = known.get(key) ?? reusable(build);
    known.set(key, run);
    return (await run(db as never, values as never)) as O[];
  };
}

/** When a statement of a transaction ran, in milliseconds since 1970. */
export interface StatementTime {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** A transaction that belongs to traces. */
export interface TransactionTrace {
  /** Its purpose. */
  readonly name: string;
  /** The `traceparent`s of its requests; null: not traced. */
  readonly parents: readonly (string | null | undefined)[];
  readonly startMs: number;
  readonly endMs: number;
  readonly statements: readonly StatementTime[];
  /** The code of its error. */
  readonly error: string | undefined;
}

interface Trace {
  readonly startMs: number;
  readonly statements: StatementTime[];
  name: string | undefined;
  parents: readonly (string | null | undefined)[];
}

/** By the connection of the transaction: everything is reported at the end, so nothing has to be tracked. */
const traces = new WeakMap<object, Trace>();
let report: ((trace: TransactionTrace) => void) | undefined;

/** Sets the function to which traced transactions are reported. Without one, nothing is recorded. */
export function traceTransactions(onTrace: ((trace: TransactionTrace) => void) | undefined): void {
  report = onTrace;
}

const nowMs = (): number => performance.timeOrigin + performance.now();

export function beginTransactionTrace(connection: object): void {
  if (report !== undefined) traces.set(connection, { startMs: nowMs(), statements: [], name: undefined, parents: [] });
}

/** Sets the purpose of a transaction, which may be known only after its first statement. */
export function nameTransactionTrace(
  connection: object,
  name: string,
  parents: () => readonly (string | null | undefined)[],
): void {
  if (report === undefined) return;
  const trace = traces.get(connection);
  if (trace === undefined) return;
  trace.name = name;
  trace.parents = parents();
}

/** Whether a connection is in a transaction that is traced. */
export function isTraced(connection: object): boolean {
  return report !== undefined && traces.has(connection);
}

/** Records the time of a statement of such a transaction, which has just been sent. */
export async function timed<T>(connection: object, name: string, answer: Promise<T>): Promise<T> {
  const startMs = nowMs();
  try {
    return await answer;
  } finally {
    traces.get(connection)?.statements.push({ name, startMs, endMs: nowMs() });
  }
}

export function endTransactionTrace(connection: object, error: unknown): void {
  if (report === undefined) return;
  const trace = traces.get(connection);
  traces.delete(connection);
  if (trace?.name === undefined || !trace.parents.some((parent) => parent)) return;
  const { name, parents, startMs, statements } = trace;
  report({
    name,
    parents,
    startMs,
    endMs: nowMs(),
    statements,
    error: error === undefined ? undefined : codeOf(error),
  });
}

/** Messages of PostgreSQL quote values; codes do not. */
function codeOf(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : 'failed';
}

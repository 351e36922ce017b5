import { callbackify } from 'node:util';
import { type ClientBase, type QueryConfig, type QueryResult } from 'pg';
import { DatabaseClient } from './database-client.ts';
import { planSettingsOf } from './statement/plan-settings.ts';
import type { Sessions } from './find-sessions.ts';
import { knownBounds, type Settings } from './time-bounds.ts';

type Callback = (error: Error | null, result: QueryResult) => void;

/**
 * A connection to a pooler that lends a session of PostgreSQL for each transaction. Every transaction makes the
 * settings of the session, in the same write as its first statement; a single statement gets a transaction when there
 * are settings to make.
 */
class LentClient extends DatabaseClient {
  #settings: Settings = {};
  #bounds: Settings = {};
  #isInTransaction = false;
  protected readonly keepsStatements: boolean = false;

  /** Makes further settings in each transaction until `work` is done. */
  async withSettings<T>(settings: Settings, work: () => Promise<T>): Promise<T> {
    const before = this.#settings;
    this.#settings = { ...before, ...settings };
    try {
      return await work();
    } finally {
      this.#settings = before;
    }
  }

  /** Makes settings in each transaction from now on. */
  set settings(settings: Settings) {
    this.#settings = settings;
  }

  /** Bounds each transaction from now on. A single statement gets no transaction for bounds alone. */
  set bounds(bounds: Settings) {
    this.#bounds = bounds;
  }

  /** As in pg, in the forms that the pool, Prisma's adapter and the package use. */
  // oxlint-disable-next-line typescript/no-explicit-any -- pg has ten overloads of it
  override query(statement: string | QueryConfig, ...rest: any[]): any {
    const callback = rest.find((one): one is Callback => typeof one === 'function');
    const [values] = rest.filter((one): one is unknown[] => Array.isArray(one));
    const result = this.#send(typeof statement === 'string' ? { text: statement } : statement, values);
    return callback === undefined ? result : callbackify(() => result)(callback);
  }

  /** Sends at once, and does not wait for earlier statements: callers rely on the order. */
  #send(statement: QueryConfig, values: unknown[] | undefined): Promise<QueryResult> {
    if (statement.text === 'BEGIN') {
      this.#isInTransaction = true;
      return super.query(this.#begin());
    }
    if (statement.text === 'COMMIT' || statement.text === 'ROLLBACK') this.#isInTransaction = false;
    if (this.#isInTransaction || Object.keys(this.#settings).length === 0) return this.#plain(statement, values);
    super.query(this.#begin()).catch(() => undefined);
    const done = this.#plain(statement, values);
    const ended = super.query('COMMIT');
    // Without a response to its commit, the statement may not be stored.
    return done.then(
      (result) => ended.then(() => result),
      async (error: unknown) => {
        await ended.catch(() => undefined);
        throw error;
      },
    );
  }

  #plain({ name, ...statement }: QueryConfig, values: unknown[] | undefined): Promise<QueryResult> {
    const isNamed = this.keepsStatements && name !== undefined;
    return super.query({ ...statement, ...(isNamed ? { name } : {}), ...(values === undefined ? {} : { values }) });
  }

  #begin(): string {
    const settings = Object.entries({ ...this.#bounds, ...this.#settings }).map(
      ([name, value]) => `; SET LOCAL ${name} = '${value}'`,
    );
    // Whatever isolation level the server has set: see plan-settings.ts.
    return `BEGIN ISOLATION LEVEL READ COMMITTED${settings.join('')}`;
  }
}

/** The client class for sessions that a pooler lends. */
export function lentClient({ keepStatements }: Sessions): typeof DatabaseClient {
  return class extends LentClient {
    protected override readonly keepsStatements = keepStatements;
  };
}

/** Makes the settings for statements on sets in each transaction of a new connection. */
export async function lendPlanSettings(client: ClientBase): Promise<void> {
  if (client instanceof LentClient) client.settings = await planSettingsOf(client);
}

/** Sets these bounds in each transaction of a new connection. */
export async function lendBounds(client: ClientBase, bounds: Settings): Promise<void> {
  if (client instanceof LentClient) client.bounds = await knownBounds(client, bounds);
}

/** Whether a connection has a session only for a transaction. */
export function isLent(client: ClientBase): boolean {
  return client instanceof LentClient;
}

/**
 * Makes settings for each transaction of a connection until `work` is done. @throws TypeError for a connection with its
 * own session.
 */
export function withLentSettings<T>(client: ClientBase, settings: Settings, work: () => Promise<T>): Promise<T> {
  if (!(client instanceof LentClient)) throw new TypeError('the connection has a session of its own');
  return client.withSettings(settings, work);
}

import { CommanderError } from 'commander';
import { ApiError } from '@callout/client';
import { Problem } from '@callout/domain/problem';
import { ConfigError } from '@callout/runtime/config/parse';
import { CannotGoOn, reasonOf } from '../cannot-go-on.ts';
import { NotSignedIn } from './account.ts';
import { Unreachable } from './api/unreachable.ts';

export const exitStatus = { ok: 0, failed: 1, usage: 2, notAllowed: 3 } as const;

interface Explanation {
  /** The errors, for people; one sentence each. */
  readonly lines: readonly string[];
  /** The exit status. */
  readonly status: number;
  /** For programs: the response of the API. */
  readonly answer?: { readonly status: number; readonly details: readonly object[] };
}

/** A missing table or column, in the codes of PostgreSQL and Prisma. */
const NOT_MIGRATED: ReadonlySet<unknown> = new Set(['42P01', '42703', 'P2021', 'P2022']);

/**
 * The meaning of an error for the user of the command line.
 * @param isAdmin whether an operator runs the command, on the operator API or the database; the others call the REST API.
 */
export async function explain(error: unknown, isAdmin: boolean): Promise<Explanation> {
  if (error instanceof CommanderError) {
    const isMissing = error.code === 'commander.help';
    const line = isMissing ? 'a command is missing' : error.message.replace(/^error: /u, '');
    return { lines: [line], status: exitStatus.usage };
  }
  if (error instanceof Problem) {
    return { lines: error.details.map(({ message }) => message), status: statusOf(error.kind) };
  }
  if (error instanceof ApiError) return explainRefusal(error, isAdmin);
  if (error instanceof NotSignedIn) return { lines: [error.message], status: exitStatus.notAllowed };
  if (error instanceof Unreachable) return { lines: [error.message], status: exitStatus.failed };
  if (error instanceof ConfigError) {
    const line = error.message
      .replace(/^Callout cannot start:/u, 'This command cannot run:')
      // A key ring of its own would not fit the database.
      .replace(/^(?=docs\/configuration\.md )/mu, 'Use the values that the API and the workers have; ');
    return { lines: [line], status: exitStatus.failed };
  }
  if (error instanceof CannotGoOn) return { lines: [error.message], status: exitStatus.failed };
  if (!isAdmin) return { lines: [otherFailure(error)], status: exitStatus.failed };
  // Loaded here, since the other commands do without the database.
  const { isDatabaseAway } = await import('@callout/database/connection/database-away');
  if (isDatabaseAway(error)) {
    return {
      lines: [`The database that DATABASE_URL names cannot be used now: ${lastLine(reasonOf(error))}`],
      status: exitStatus.failed,
    };
  }
  if (NOT_MIGRATED.has(codeOf(error))) {
    const line = 'The database does not have the tables of this version. Run `callout admin migrate` first.';
    return { lines: [line], status: exitStatus.failed };
  }
  return { lines: [otherFailure(error)], status: exitStatus.failed };
}

function otherFailure(error: unknown): string {
  // fetch reports an incomplete response like this.
  if (error instanceof TypeError && error.message === 'terminated') {
    return 'The connection to the API broke off in the middle of an answer. Try again.';
  }
  return `This failed: ${lastLine(reasonOf(error))}`;
}

function statusOf(kind: Problem['kind']): number {
  if (kind === 'invalid') return exitStatus.usage;
  return kind === 'forbidden' ? exitStatus.notAllowed : exitStatus.failed;
}

function explainRefusal(error: ApiError, isAdmin: boolean): Explanation {
  const { status, details, message } = error;
  const sentences = details.length > 0 ? details.map((detail) => detail.message) : [message];
  const advice = isAdmin ? adviceForOperator(error) : adviceFor(error);
  const isNotAllowed = status === 401 || status === 403;
  return {
    lines: advice === undefined ? sentences : [...sentences, advice],
    status: isNotAllowed ? exitStatus.notAllowed : status === 400 ? exitStatus.usage : exitStatus.failed,
    answer: { status, details },
  };
}

/** The remedy of an integrator for a response of the API, in addition to its own message. */
function adviceFor(error: ApiError): string | undefined {
  const { status, details, retryAfterS, requestId } = error;
  const id = requestId === null ? '' : ` Its id is ${requestId}.`;
  if (details.length === 0) {
    return `That is not an answer of a Callout API: check the URL that you signed in with (\`callout whoami\`); it ends with the API root, such as /atservicesrest.`;
  }
  switch (status) {
    case 401:
      return details.some(({ code }) => code === 'lockedOut')
        ? undefined
        : 'Check the user name, the secret and the integration code. If an operator has reissued or revoked them, sign in with the current ones: `callout login`.';
    case 403:
      return '`callout whoami` shows what your credential may do; `--profile` uses another one.';
    case 404:
      return '`callout webhooks list` and `callout deliveries list` show what there is; `callout whoami` shows your credential and the installation.';
    case 409:
      return details.some(({ message }) => message.startsWith('The webhook is not active'))
        ? '`callout webhooks activate <webhook>` activates it: it gets callouts of what happens from then on.'
        : undefined;
    case 429:
      return `Try again in ${retryAfterS ?? 60} s.`;
    case 503:
      return `Try again in ${retryAfterS ?? 10} s. If that does not help, tell the operator of the installation.${id}`;
    default:
      return status >= 500 ? `Tell the operator of the installation.${id}` : undefined;
  }
}

function adviceForOperator({ status, details, retryAfterS, requestId }: ApiError): string | undefined {
  if (details.length === 0) return 'That is not an answer of an operator API: check CALLOUT_OPERATOR_URL.';
  if (status === 401) return 'OPERATOR_TOKEN must be the one that the API process has.';
  if (status === 429 || status === 503) return `Try again in ${retryAfterS ?? 10} s.`;
  if (status < 500) return undefined;
  return `The log of the API has the reason${requestId === null ? '.' : `, with the id ${requestId}.`}`;
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
}

/** Prisma begins its messages with the call in Callout's code; the message of the database comes last. */
function lastLine(message: string): string {
  return message.trim().split('\n').at(-1)?.trim() ?? '';
}

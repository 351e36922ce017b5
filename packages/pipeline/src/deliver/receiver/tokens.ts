import { setTimeout as sleep } from 'node:timers/promises';
import { makeFailure } from '@callout/domain/outcome/failures';
import { isNotMade, type AttemptOutcome, type FailedOutcome } from '@callout/domain/outcome/outcome';
import type { OutboundRequest } from '@callout/outbound/send';
import { createTenantCache } from '../../cache/tenant-cache.ts';
import type { CallCredentials } from './call-credentials.rules.ts';
import { readTokenAnswer, tokenRequest } from './token-exchange.rules.ts';
import type { FetchTurn, StoredToken, TokenOwner, TokenStore } from './token-store.ts';

export interface TokensDeps {
  store: TokenStore;
  send: (request: OutboundRequest) => Promise<AttemptOutcome>;
  userAgent: string;
  /** A monotonic clock in milliseconds. */
  nowMs: () => number;
}

/** A token for calls; or why there is no token, as the outcome of the attempt. */
export type TokenResult = CallToken | FailedOutcome;

export interface CallToken {
  readonly kind: 'token';
  readonly id: string;
  readonly token: string;
  /** Whether a call a little later need not fetch another token. */
  readonly isLasting: boolean;
}

/** The owner of a token, and how the token is fetched. */
export interface TokenWanted extends TokenOwner {
  readonly oauth2: NonNullable<CallCredentials['oauth2']>;
}

export interface TokenTerms {
  /** The id of a token that the receiver did not accept. */
  readonly refused?: string;
  /** How long a call may wait for the token. */
  readonly timeoutMs: number;
}

const keptTokens = { maxKept: 10_000, maxBytes: 8 * 1024 * 1024 };
/**
 * How long a token in place of a refused token is used, though the new token is refused as well. Otherwise a receiver that
 * refuses every token would get each call twice, whatever the rate, and the endpoint a request for each.
 */
const renewedMs = 10_000;
const lastingMs = 5_000;
/** While another worker fetches. */
const lookAgainMs = 100;

interface KeptToken {
  readonly authId: string;
  readonly id: string;
  readonly token: string;
  /** Until when the token may be used. */
  readonly untilMs: number;
  /** When the token took the place of a refused token. */
  readonly renewedAtMs: number;
}

/**
 * Gets the tokens of receivers: from memory, from PostgreSQL, or from the token endpoint. A single worker fetches for a
 * webhook at a time, and waiting for a token holds no connection, so a slow endpoint delays the calls of the webhook
 * alone.
 */
export function createTokens({ store, send, userAgent, nowMs }: TokensDeps) {
  const kept = createTenantCache<KeptToken>(keptTokens);
  const underWay = new Map<string, Promise<TokenResult>>();

  async function fetch(wanted: TokenWanted, turn: FetchTurn, timeoutMs: number): Promise<StoredToken | FailedOutcome> {
    const { auth, tls } = wanted.oauth2;
    const outcome = await send({ url: auth.tokenUrl, ...tokenRequest(auth, userAgent), tls, timeoutMs });
    // No fault of the endpoint: the call is made later.
    if (outcome.kind === 'failed' && isNotMade(outcome)) return outcome;
    const answer = readTokenAnswer(outcome, hostOf(auth.tokenUrl));
    if (answer.kind === 'issued') return store.write(wanted, turn, answer.token, answer.usableMs);
    return { kind: 'failed', ...answer.failure, durationMs: outcome.durationMs };
  }

  async function obtain(wanted: TokenWanted, { refused, timeoutMs }: TokenTerms): Promise<TokenResult> {
    const startedMs = nowMs();
    const leftMs = () => startedMs + timeoutMs - nowMs();
    for (;;) {
      const turn = await store.take(wanted, refused, timeoutMs);
      if (turn === 'wait') {
        if (leftMs() <= lookAgainMs) return timeLimit(wanted, timeoutMs);
        await sleep(lookAgainMs);
        continue;
      }
      const answer = 'fetcher' in turn ? await fetchOrGiveUp(wanted, turn, Math.max(1, leftMs())) : turn;
      if ('kind' in answer) return answer;
      const { id, token, usableMs } = answer;
      const renewedAtMs = refused === undefined ? -Infinity : nowMs();
      kept.set(wanted.webhookKey, wanted.tenantId, {
        authId: wanted.authId,
        id,
        token,
        untilMs: nowMs() + usableMs,
        renewedAtMs,
      });
      return { kind: 'token', id, token, isLasting: usableMs > lastingMs };
    }
  }

  async function fetchOrGiveUp(
    wanted: TokenWanted,
    turn: FetchTurn,
    timeoutMs: number,
  ): Promise<StoredToken | FailedOutcome> {
    let answer: StoredToken | FailedOutcome | undefined;
    try {
      answer = await fetch(wanted, turn, timeoutMs);
      return answer;
    } finally {
      if (answer === undefined || 'kind' in answer) await store.giveUp(wanted, turn);
    }
  }

  /** Calls of a webhook in the process share a request under way. */
  return async (wanted: TokenWanted, terms: TokenTerms): Promise<TokenResult> => {
    const { webhookKey, authId } = wanted;
    const { refused, timeoutMs } = terms;
    const cached = kept.get(webhookKey);
    if (cached?.authId === authId) {
      const { id, token, untilMs, renewedAtMs } = cached;
      if (id !== refused && nowMs() < untilMs) return { kind: 'token', id, token, isLasting: true };
      if (id === refused && nowMs() < renewedAtMs + renewedMs) return refusedTwice(wanted);
    }
    const name = `${webhookKey}/${authId}/${refused ?? ''}`;
    const shared = underWay.get(name) ?? obtain(wanted, terms).finally(() => underWay.delete(name));
    underWay.set(name, shared);
    const patience = new AbortController();
    const late = sleep(timeoutMs, timeLimit(wanted, timeoutMs), { signal: patience.signal });
    // Aborted when the token comes first.
    late.catch(() => undefined);
    return Promise.race([shared, late]).finally(() => patience.abort());
  };
}

export type Tokens = ReturnType<typeof createTokens>;

function refusedTwice({ oauth2 }: TokenWanted): FailedOutcome {
  const failure = makeFailure(
    'tokenRefused',
    hostOf(oauth2.auth.tokenUrl),
    'its last two were refused by the receiver',
  );
  return { kind: 'failed', ...failure, durationMs: 0 };
}

function timeLimit({ oauth2 }: TokenWanted, timeoutMs: number): FailedOutcome {
  const host = hostOf(oauth2.auth.tokenUrl);
  const failure = makeFailure('tokenTimeLimit', host, `${Math.round(timeoutMs / 100) / 10} s`);
  return { kind: 'failed', ...failure, durationMs: Math.round(timeoutMs) };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

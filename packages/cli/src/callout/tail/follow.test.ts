import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { clientOf } from '../api/open-api.ts';
import { sendJson, stubApi } from '../test/stub-api.fixture.ts';
import { follow } from './follow.ts';

const account = { userName: 'crm', secret: 'secret', apiIntegrationCode: 'code' };
const callout = { id: 'c1', entityType: 'Account', webhookID: 1, recordID: 7, sequenceNumber: 1, kind: 'event' };

/** Follows an API whose log has one callout with `attempts` attempts. @param refuse answers instead of the log. */
async function following(refuse?: (response: ServerResponse) => void) {
  const startDateTime = new Date(Date.now() + 60_000).toISOString();
  const attempt = { startDateTime, durationMs: 5, status: 200, failure: null, nextAttemptDateTime: null };
  let attemptsMade = 0;
  let refusing = refuse;
  const api = await stubApi((request: IncomingMessage, response) => {
    const item = { ...callout, state: 'delivered', attemptsMade };
    const attempts = Array.from({ length: attemptsMade }, (_, at) => ({ number: at + 1, ...attempt }));
    if (refusing !== undefined) refusing(response);
    else if (request.url?.includes('/Callouts/') === true) sendJson(response, { item: { ...item, attempts } });
    else sendJson(response, { items: [item] });
  });
  const client = await clientOf({ url: api.url, ...account }, { out: { report: () => undefined } });
  const stop = new AbortController();
  const seen: string[] = [];
  const ended = follow({
    client,
    webhookGUID: undefined,
    stop: stop.signal,
    everyMs: 10,
    onAttempt: ({ calloutID, attempt: { number } }) => seen.push(`${calloutID} ${number}`),
  });
  return {
    api,
    seen,
    ended,
    stop: () => stop.abort(),
    attempted: (number: number) => void (attemptsMade = number),
    answer: () => void (refusing = undefined),
  };
}

describe('following attempts', () => {
  it('shows each attempt once, as the log has it', async () => {
    const { api, seen, ended, stop, attempted } = await following();
    await eventually(() => api.requests.length > 2);
    attempted(1);
    await eventually(() => seen.includes('c1 1'));
    attempted(2);
    await eventually(() => seen.includes('c1 2'));
    stop();
    await ended;
    expect(seen).toEqual(['c1 1', 'c1 2']);
  });

  it('goes on after the API was away', async () => {
    const away = (response: ServerResponse) => sendJson(response, { errors: ['Away.'] }, 503, { 'Retry-After': '0' });
    const { api, seen, ended, stop, attempted, answer } = await following(away);
    attempted(1);
    await eventually(() => api.requests.length > 2);
    answer();
    await eventually(() => seen.includes('c1 1'));
    stop();
    await ended;
    expect(seen).toEqual(['c1 1']);
  });

  it.each([401, 403])('ends with a response %s, which stays', async (status) => {
    const { ended, stop } = await following((response) => sendJson(response, { errors: ['No.'] }, status));
    await expect(ended).rejects.toMatchObject({ status });
    stop();
  });

  it('ends at once when it is stopped while the API has it wait', async () => {
    const busy = (response: ServerResponse) => sendJson(response, { errors: ['Busy.'] }, 429, { 'Retry-After': '60' });
    const { api, seen, ended, stop } = await following(busy);
    await eventually(() => api.requests.some((one) => one.endsWith('/Callouts')));
    stop();
    await ended;
    expect(seen).toEqual([]);
  });
});

import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { clientOf } from '../api/open-api.ts';
import { sendJson, stubApi } from '../test/stub-api.fixture.ts';
import { follow } from './follow.ts';

const account = { userName: 'crm', secret: 'secret', apiIntegrationCode: 'code' };
const callout = { id: 'c1', entityType: 'Account', webhookID: 1, recordID: 7, sequenceNumber: 1, kind: 'event' };

/** Follows an API whose log has one callout with `attempts` attempts, and whose stream responds with `live`. */
async function following(live: (response: ServerResponse) => void, log?: (response: ServerResponse) => void) {
  const startDateTime = new Date(Date.now() + 60_000).toISOString();
  const attempt = { startDateTime, durationMs: 5, status: 200, failure: null, nextAttemptDateTime: null };
  let attemptsMade = 0;
  const api = await stubApi((request: IncomingMessage, response) => {
    const item = { ...callout, state: 'delivered', attemptsMade };
    const attempts = Array.from({ length: attemptsMade }, (_, at) => ({ number: at + 1, ...attempt }));
    if (request.url?.includes('/Live') === true) live(response);
    else if (log !== undefined) log(response);
    else if (request.url?.includes('/Callouts/') === true) sendJson(response, { item: { ...item, attempts } });
    else sendJson(response, { items: [item] });
  });
  const client = await clientOf({ url: api.url, ...account }, { out: { report: () => undefined } });
  const stop = new AbortController();
  const seen: string[] = [];
  const ended = follow({
    client,
    webhook: undefined,
    stop: stop.signal,
    askingMs: 10,
    onAttempt: ({ calloutID, attempt: { number } }) => seen.push(`${calloutID} ${number}`),
    onWay: (way) => seen.push(way),
  });
  return {
    api,
    seen,
    ended,
    stop: () => stop.abort(),
    attempted: (number: number) => void (attemptsMade = number),
    event: { attempt: { number: 1, ...attempt }, calloutID: callout.id },
  };
}

const refuse = (response: ServerResponse) =>
  sendJson(response, { errors: ['Too many streams.'] }, 503, { 'Retry-After': '0' });

describe('following attempts', () => {
  it('asks the log where the stream is refused', async () => {
    const { seen, ended, stop, attempted } = await following(refuse);
    await eventually(() => seen.includes('polling'));
    attempted(1);
    await eventually(() => seen.includes('c1 1'));
    attempted(2);
    await eventually(() => seen.includes('c1 2'));
    stop();
    await ended;
    expect(seen).toEqual(['polling', 'c1 1', 'c1 2']);
  });

  it('reads the log once the stream is cut, and shows nothing twice', async () => {
    let cut: (() => void) | undefined;
    const { seen, ended, stop, attempted, event } = await following((response) => {
      if (cut !== undefined) return refuse(response);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('event: live\ndata: {}\n\n');
      response.write(`event: attempt\ndata: ${JSON.stringify(event)}\n\n`);
      cut = () => response.destroy();
    });
    await eventually(() => seen.includes('c1 1'));
    attempted(2);
    cut?.();
    await eventually(() => seen.includes('c1 2') && seen.includes('polling'));
    stop();
    await ended;
    expect(seen.toSorted()).toEqual(['c1 1', 'c1 2', 'live', 'polling']);
  });

  it.each([401, 403])('ends with a response %s, which stays', async (status) => {
    const { ended, stop } = await following((response) => sendJson(response, { errors: ['No.'] }, status));
    await expect(ended).rejects.toMatchObject({ status });
    stop();
  });

  it('ends at once when it is stopped while the API has it wait', async () => {
    const busy = (response: ServerResponse) => sendJson(response, { errors: ['Busy.'] }, 429, { 'Retry-After': '60' });
    const { api, seen, ended, stop } = await following(refuse, busy);
    await eventually(() => api.requests.some((one) => one.endsWith('/Callouts')));
    stop();
    await ended;
    expect(seen).toEqual(['polling']);
  });
});

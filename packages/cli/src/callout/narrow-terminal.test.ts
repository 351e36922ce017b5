import { describe, expect, it } from '@jest/globals';
import { widthOf } from '../printable.ts';
import { createOutput } from '../output.ts';
import { statusText } from './admin/status.ts';
import { eventText } from './commands/explain.ts';
import type { CommandContext } from './context.ts';
import { readCatalogue } from './input/webhook-named.ts';

const stream = { write: () => undefined, on: () => undefined };
const outOf = (columns: number) =>
  createOutput({ stdout: { ...stream, isTTY: true, columns }, stderr: stream, env: {} });
const widest = (text: string) => Math.max(...text.split('\n').map(widthOf));

describe('on a narrow terminal', () => {
  it('explain shows the whole reason below its webhook', async () => {
    const context = { env: {} } as unknown as CommandContext;
    const catalogue = await readCatalogue(context);
    const why = 'None of the fields that changed is one the webhook is subscribed to.';
    const event = {
      eventID: 'crm-1',
      entityType: 'Account',
      action: 'Update',
      recordID: 7,
      state: 'matched',
      verdicts: [{ webhookID: 3, message: why, callout: null }],
    } as unknown as Parameters<typeof eventText>[0];
    const at = (columns: number) => eventText(event, catalogue, { ...context, out: outOf(columns) });
    expect(at(80)).toContain(`\nCompanyWebhooks/3  none  -\n  ${why}`);
    expect(widest(at(80))).toBeLessThanOrEqual(80);
    expect(at(120)).toContain(`CompanyWebhooks/3  none     -      ${why}`);
  });

  it('status shows the whole last failure below its webhook', () => {
    const failure = 'The receiver answered 503: it is not available. Check that it is running.';
    const openCallouts = {
      due: 0,
      dueSinceDateTime: null,
      beingSent: 0,
      inLine: 0,
      rate: 0,
      toFetch: 0,
      paused: 9,
      later: 0,
      waiting: 0,
      held: 0,
      cancelling: 0,
    };
    const tenant = { tenantID: 1, tenantName: 'Acme' };
    const webhook = { ...tenant, entityType: 'Account', webhookID: 3, name: 'Shop', isActive: true, openCallouts: 9 };
    const backlog = {
      checkDateTime: new Date(0).toISOString(),
      problems: [],
      missingKeys: [],
      queues: null,
      processes: [],
      pendingEvents: { count: 0, oldestDateTime: null },
      openCallouts,
      pausedWebhooks: 1,
      unfetchedWebhooks: 0,
      waitingMails: 0,
      waitingHealthEvents: { count: 0, oldestDateTime: null },
      waitingOperatorMessages: { count: 2, oldestDateTime: new Date(-30_000).toISOString() },
      connections: { api: 1, worker: 1, all: 2, server: 2, most: 100 },
      fullest: [{ ...webhook, pausedUntilDateTime: new Date(0).toISOString(), lastFailure: failure }],
    };
    const text = statusText(backlog, 80);
    expect(text).toMatch(/WAITING OPERATOR MESSAGES +2, the oldest stored 30 s ago\n/);
    expect(text).toContain(
      `\nAcme (tenant 1), Account 3, Shop: 9 open, paused until 1970-01-01T00:00:00.000Z\n  ${failure}`,
    );
    expect(statusText(backlog)).toContain('TENANT ID  TENANT NAME  ENTITY TYPE  WEBHOOK ID');
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { eventually, forThisFile, useCallout } from '@callout/testing';

const callout = useCallout({ OPERATOR_MAIL: 'operators@example.com', ALERT_AFTER: '1s' });
/** Machines of this test, each with a clock that is off by what its file says. */
const machines = forThisFile(
  async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'callout-wrong-clock-'));
    return { dir, stop: () => rm(dir, { recursive: true }) };
  },
  ({ stop }) => stop(),
);

async function machine(name: string, aheadMs: number) {
  const file = path.join(machines.dir, name);
  const set = (ms: number) => writeFile(file, String(ms));
  await set(aheadMs);
  const loaded = path.join(import.meta.dirname, 'drill/faults/clock.cjs');
  return { settings: { NODE_OPTIONS: `--require ${loaded}`, DRILL_CLOCK: file }, set };
}

async function readinessOf(port: number) {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  const { checks, notices } = (await response.json()) as { checks: { clock?: string }; notices?: string[] };
  return { status: response.status, clock: checks.clock, notices };
}

it('a process ten minutes ahead is not ready and signs nothing; the others send what is due', async () => {
  const ahead = await machine('ahead', 600_000);
  const [worker, api] = await Promise.all([callout.worker(ahead.settings), callout.apiProcess(ahead.settings)]);
  const ports = await Promise.all([worker.ready(), api.ready()]);
  for (const port of ports) {
    const { status, clock } = await readinessOf(port);
    expect(status).toBe(503);
    expect(clock).toMatch(
      /^failed: the clock of this machine is (599|600|601) s ahead of PostgreSQL's: set both by NTP/,
    );
  }
  const metrics = await (await fetch(`http://127.0.0.1:${ports[0]}/metrics`)).text();
  expect(metrics).toMatch(/^callout_clock_ahead_seconds (599|600)\.\d+$/m);

  const tenant = await callout.tenant();
  const webhook = await callout.webhook(tenant);
  const records = Array.from({ length: 30 }, (_, nth) => nth + 1);
  for (const id of records) {
    await callout.send(tenant, { entityType: 'Account', action: 'Create', id, fields: { companyName: 'Acme' } });
  }
  await eventually(() => webhook.requests().length === records.length);
  for (const { headers } of webhook.requests()) {
    expect(Math.abs(Date.now() / 1_000 - Number(headers['webhook-timestamp']))).toBeLessThan(60);
  }
  expect(worker.log().some(({ msg }) => msg === 'attempt')).toBe(false);
  await eventually(async () => {
    const { rows } = await callout.database.pool.query('SELECT name, detail FROM installation_alerts');
    expect(rows).toEqual([{ name: 'clocks', detail: expect.stringMatching(/^[^:]+: the clock of this machine is/) }]);
  });

  await ahead.set(20_000);
  await eventually(async () => {
    const { status, notices } = await readinessOf(ports[0]);
    expect(status).toBe(200);
    expect(notices).toEqual(["the clock of this machine is 20 s ahead of PostgreSQL's: set both by NTP"]);
  });
});

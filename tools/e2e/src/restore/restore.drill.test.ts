import { afterEach, expect, it } from '@jest/globals';
import { installedPostgresTools } from '@callout/local/test-run';
import { type Backup, dump, pointInTime } from './backups.ts';
import { drillRestore } from './restore-drill.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

const tools = installedPostgresTools();
const note = tools === undefined ? ' (pg_dump not tried: no PostgreSQL with it is installed)' : '';
const ways: { way: string; make: (dir: string) => Backup }[] = [
  { way: 'point-in-time recovery', make: pointInTime },
  ...(tools === undefined ? [] : [{ way: 'pg_dump and pg_restore', make: (dir: string) => dump(dir, tools) }]),
];

it.each(ways)(`a restore by $way brings back all that was accepted before the backup${note}`, async ({ make }) => {
  const { eventsKept, laterEventsKept, delivered, owed, later } = await drillRestore(make, (stop) => stops.push(stop));
  expect(eventsKept).toBe(40);
  // Accepted after the backup: lost, until the product sends them again.
  expect(laterEventsKept).toBe(0);
  // Callouts that were delivered before the backup stay so, also when the product sends all of it again.
  expect([new Set(delivered.before).size, delivered.after]).toEqual([20, []]);
  // Callouts that were open then are sent again with the same webhook-id, whether or not they arrived meanwhile.
  expect([...new Set(owed.after)].toSorted()).toEqual([...new Set(owed.before)].toSorted());
  // Later events are sent as new ones.
  expect([later.before.length, later.after.length]).toEqual([20, 20]);
  expect(later.after.filter((id) => later.before.includes(id))).toEqual([]);
});

import { describe, expect, it } from '@jest/globals';
import { widthOf } from '../../printable.ts';
import { pairs, table } from './show.ts';
import { calloutTable } from './shown-callout.ts';

const rows = [
  {
    id: '019cb6a1-0000-7000-8000-000000000001',
    name: 'A name that is longer than there is room for',
    note: '日本語 '.repeat(20),
  },
  { id: '019cb6a1-0000-7000-8000-000000000002', name: 'b\u001B[2J\nc', note: null },
];

describe('table', () => {
  it('fits into a terminal, and leaves ids whole', () => {
    const lines = table(rows, ['id', 'name', 'note'], '', 80).split('\n');
    expect(lines.map(widthOf).every((width) => width <= 80)).toBe(true);
    expect(lines[1]).toContain('019cb6a1-0000-7000-8000-000000000001  A name that');
    expect(lines).toHaveLength(3);
  });

  it('shows when a callout was created, however narrow the terminal', () => {
    const callout = {
      id: '019cb6a1-0000-7000-8000-000000000001',
      createDateTime: '2026-01-15T09:00:07.123Z',
      sequenceNumber: 1,
      kind: 'event',
      action: 'Update',
      recordID: 7,
      state: 'due',
      attemptsMade: 1,
      waitsFor: { reason: 'nextAttempt', cause: null },
    } as const;
    const nameOf = () => 'CompanyWebhooks/1';
    expect(calloutTable([callout], nameOf, 60).text).toMatch(/^01-15 09:00:07 {2}019cb6a1/m);
    expect(calloutTable([callout], nameOf).text).toMatch(/^2026-01-15T09:00:07\.123Z {2}019cb6a1/m);
  });

  it('leaves out columns of callouts that do not fit, says so, and keeps ids whole', () => {
    const callout = {
      id: '019cb6a1-0000-7000-8000-000000000001',
      createDateTime: '2026-01-15T09:00:07.123Z',
      sequenceNumber: 12_345,
      kind: 'event',
      action: 'Update',
      recordID: 927_346_133,
      state: 'delivered',
      attemptsMade: 1,
      waitsFor: null,
    } as const;
    const at = (most: number) => calloutTable([callout], () => 'CompanyWebhooks/1', most);
    const widths = (most: number) => at(most).text.split('\n').map(widthOf);
    for (const most of [80, 100, 120]) expect(Math.max(...widths(most))).toBeLessThanOrEqual(most);
    expect(at(80).text).toMatch(/019cb6a1-0000-7000-8000-000000000001 {2}Company\/1 {2}delivered$/m);
    expect(at(80).note).toBe('No room for NUMBER, ACTION, RECORD ID, ATTEMPTS: see --json.');
    expect(at(100).text).toContain('927346133');
    expect(at(140)).toEqual({ text: expect.stringContaining('CompanyWebhooks/1') });
  });

  it('cuts nothing where no terminal is written to', () => {
    expect(table(rows, ['name'], '')).toContain('A name that is longer than there is room for');
  });

  it('shows what others wrote on one line, without what steers a terminal', () => {
    expect(table(rows, ['name'], '').split('\n')[2]).toBe('b·[2J·c');
    expect(pairs({ name: '\u009B2J' })).toBe('NAME  ·2J');
  });
});

describe('callouts that wait for the same one', () => {
  const waiting = (sequenceNumber: number, cause: number | null) =>
    ({
      id: `019cb6a1-0000-7000-8000-00000000000${sequenceNumber}`,
      createDateTime: '2026-01-15T09:00:07.123Z',
      sequenceNumber,
      kind: 'event',
      action: 'Update',
      recordID: 7,
      state: 'waiting',
      attemptsMade: 0,
      waitsFor: {
        reason: 'earlierCallout',
        cause: cause === null ? null : { calloutID: `cause ${cause}`, sequenceNumber: cause },
      },
    }) as const;
  const items = [waiting(5, 1), waiting(4, 2), waiting(3, 1), waiting(6, null), waiting(7, 1)];

  it('are one row on a terminal, which names that one and their number', () => {
    const { text } = calloutTable(items, () => 'CompanyWebhooks/1', 200);
    const rows = text.split('\n').slice(1);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(/00005 .*callout 1, as do 2 more$/u);
    expect(rows[1]).toMatch(/callout 2$/u);
    expect(rows[2]).toMatch(/earlierCallout$/u);
  });

  it('are a row each where no terminal is written to', () => {
    expect(calloutTable(items, () => 'CompanyWebhooks/1').text.split('\n')).toHaveLength(6);
  });
});

import { describe, expect, it } from '@jest/globals';
import { createMetrics, metricsText } from './metrics.ts';

const counts = {
  pendingEvents: { count: 2, oldestDateTime: new Date('2026-01-15T09:29:30Z') },
  openCallouts: {
    due: 5,
    dueSinceDateTime: null,
    beingSent: 4,
    inLine: 9,
    paused: 8,
    later: 3,
    waiting: 2,
    held: 1,
    cancelling: 6,
  },
  pausedWebhooks: 1,
  waitingMails: 7,
  connections: { api: 4, worker: 6, all: 12, server: 20, most: 100 },
};

describe('createMetrics', () => {
  it('counts anew after five seconds, also when counting failed', async () => {
    let nowMs = 1_000_000;
    let counted = 0;
    let isAway = true;
    const count = async () => {
      counted += 1;
      if (isAway) throw new Error('away');
      return counts;
    };
    const metrics = createMetrics({ count, missingKeys: async () => [], nowMs: () => nowMs });
    for (const _scrape of [1, 2]) await expect(metrics()).rejects.toThrow('away');
    expect(counted).toBe(1);
    isAway = false;
    nowMs += 5_000;
    for (const _scrape of [1, 2]) expect(await metrics()).toContain('callout_pending_events 2\n');
    expect(counted).toBe(2);
  });
});

describe('metricsText', () => {
  it('has each count with its help and type, and ages in seconds', () => {
    const missing = [
      { keyId: 'lost', secrets: 2 },
      { keyId: 'older', secrets: 1 },
    ];
    const text = metricsText(counts, missing, new Date('2026-01-15T09:30:00Z'));
    expect(text).toContain('\n# TYPE callout_open_callouts gauge\ncallout_open_callouts{state="due"} 5\n');
    expect(text).toContain('\ncallout_open_callouts{state="paused"} 8\n');
    expect(text).toContain('\ncallout_oldest_pending_event_seconds 30\n');
    expect(text).toContain('\ncallout_oldest_due_callout_seconds 0\n');
    expect(text).toContain('\ncallout_unreadable_secrets 3\n');
    // What Prometheus takes: comments, or a name, labels and a number; a line end behind the last.
    for (const line of text.split('\n').slice(0, -1)) {
      expect(line).toMatch(/^(# (HELP|TYPE) callout_\w+ .+|callout_\w+(\{\w+="\w+"\})? \d+(\.\d+)?)$/);
    }
    expect(text.endsWith('\n')).toBe(true);
  });
});

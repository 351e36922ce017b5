import { describe, expect, it } from '@jest/globals';
import { parseConfig } from '../parse.ts';
import { workerConfig } from '../worker.ts';

const needed = {
  DATABASE_URL: 'postgres://callout@127.0.0.1/callout',
  REDIS_URL: 'redis://127.0.0.1',
  SECRET_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
};
const read = (env: Record<string, string>) => parseConfig(workerConfig, { ...needed, ...env });

describe('alerts of the installation', () => {
  it.each([
    [
      'https://chat.example.com/x?y=1',
      { url: 'https://chat.example.com/x?y=1', format: 'json', routingKey: undefined },
    ],
    [
      'slack+https://hooks.slack.com/T/B/x',
      { url: 'https://hooks.slack.com/T/B/x', format: 'slack', routingKey: undefined },
    ],
    ['teams+http://10.0.0.5:1', { url: 'http://10.0.0.5:1', format: 'teams', routingKey: undefined }],
    [
      'pagerduty+https://KEY@events.pagerduty.com/v2/enqueue',
      { url: 'https://events.pagerduty.com/v2/enqueue', format: 'pagerduty', routingKey: 'KEY' },
    ],
  ])('are posted to %s as its format says', (text, target) => {
    expect(read({ OPERATOR_ALERT_URL: text }).OPERATOR_ALERT_URL).toEqual(target);
  });

  it.each([
    'javascript:alert(1)',
    'ftp://example.com',
    'https://user:password@example.com',
    'https://user@example.com',
    'mattermost+https://example.com',
    'pagerduty+https://events.pagerduty.com/v2/enqueue',
    'pagerduty+https://KEY:password@events.pagerduty.com',
    'https://example.com/#x',
    'x',
  ])('refuse %s as their URL', (text) => {
    expect(() => read({ OPERATOR_ALERT_URL: text })).toThrow('OPERATOR_ALERT_URL must be');
  });
});

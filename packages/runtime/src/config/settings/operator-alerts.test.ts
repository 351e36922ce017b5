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
  it('need the routing key of PagerDuty, and no other format does', () => {
    const url = { OPERATOR_ALERT_URL: 'https://events.pagerduty.com/v2/enqueue' };
    expect(() => read({ ...url, OPERATOR_ALERT_FORMAT: 'pagerduty' })).toThrow('OPERATOR_ALERT_ROUTING_KEY is missing');
    expect(read({ ...url, OPERATOR_ALERT_FORMAT: 'pagerduty', OPERATOR_ALERT_ROUTING_KEY: 'KEY' })).toMatchObject({
      OPERATOR_ALERT_ROUTING_KEY: 'KEY',
    });
    expect(read(url)).toMatchObject({ ...url, OPERATOR_ALERT_FORMAT: 'json' });
  });

  it.each([
    'javascript:alert(1)',
    'ftp://example.com',
    'https://user:password@example.com',
    'https://example.com/#x',
    'x',
  ])('refuse %s as their URL', (text) => {
    expect(() => read({ OPERATOR_ALERT_URL: text })).toThrow('OPERATOR_ALERT_URL must be');
  });
});

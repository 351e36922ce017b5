import { expect, it } from '@jest/globals';
import { useCallout } from '@callout/testing';
import { runAdmin } from './run-admin.fixture.ts';

const OPERATOR_TOKEN = 'the-operator-token-of-these-tests';
/** Nothing listens there. */
const nowhere = '127.0.0.1:1';
const callout = useCallout({
  ...{ OPERATOR_TOKEN, OPERATOR_PORT: '0', OPERATOR_MAIL: 'ops@example.com', OPERATOR_ALERT_URL: `http://${nowhere}` },
  ...{ SMTP_URL: `smtp://${nowhere}`, MAIL_FROM: 'callout@example.com', MAIL_GATHER: '0' },
});

it('callout admin alerts test shows the result for each channel', async () => {
  const { status, stdout } = await runAdmin(['alerts', 'test'], {
    OPERATOR_TOKEN,
    CALLOUT_OPERATOR_URL: callout.operatorUrl(),
  });
  const [mail, url, ...others] = stdout.trim().split('\n');
  expect([status, others]).toEqual([1, []]);
  expect(mail).toMatch(/^mail to ops@example\.com: not taken: .*ECONNREFUSED/u);
  expect(url).toBe('OPERATOR_ALERT_URL: not taken; the log of the workers says why');
});

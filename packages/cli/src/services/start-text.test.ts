import { describe, expect, it } from '@jest/globals';
import type { LocalServices } from './start-services.ts';
import { startText } from './start-text.ts';

const credential = { userName: 'user', secret: 'secret', apiIntegrationCode: 'code' };
const services = {
  api: 'http://127.0.0.1:8080/atservicesrest/v1.0',
  worker: 'http://127.0.0.1:8081',
  console: undefined,
  receiver: { url: 'http://127.0.0.1:8090' },
  mail: { url: 'http://127.0.0.1:8025', smtpUrl: 'smtp://127.0.0.1:1025' },
  postgres: { description: 'PostgreSQL' },
  redis: { description: 'Redis' },
  demo: { webhookSecret: 'whsec_', credentials: { integrator: credential, source: credential, admin: credential } },
  logFiles: [],
} as unknown as LocalServices;

function textWith(smtpUrl: string | undefined): string {
  const plain = (text: string) => text;
  return startText(services, {
    out: { bold: plain, dim: plain, green: plain },
    directory: { path: '/data' },
    curlFiles: { integrator: 'integrator', source: 'source', admin: 'admin' },
    config: { allowsHttpTargets: true, smtpUrl },
  });
}

describe('what npm start prints', () => {
  it('says where mail can be seen', () => {
    const text = textWith(undefined);
    expect(text).toContain('http://127.0.0.1:8025  shows what is sent to smtp://127.0.0.1:1025');
    expect(text).toContain('curl -s http://127.0.0.1:8025/messages');
  });

  it('does not send users of their own mail server to an inbox that stays empty', () => {
    const text = textWith('smtp://mail.example.com');
    expect(text).toContain('goes to your SMTP_URL');
    expect(text).not.toContain('8025');
  });
});

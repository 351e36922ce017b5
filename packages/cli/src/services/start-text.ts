import { randomInt } from 'node:crypto';
import type { DataDirectory } from '../data-directory.ts';
import type { LocalConfig } from '../local-config.ts';
import type { LocalServices } from './start-services.ts';
import { quoted, type CurlFiles } from '../tenant/curl-files.ts';
import type { Output } from '../output.ts';

interface TextDeps {
  readonly out: Pick<Output, 'bold' | 'dim' | 'green'>;
  readonly directory: Pick<DataDirectory, 'path'>;
  readonly curlFiles: CurlFiles;
  /** Whether webhooks may name the demo receiver, which has no TLS; and the user's own mail server, if any. */
  readonly config: Pick<LocalConfig, 'allowsHttpTargets' | 'smtpUrl'>;
}

/** The addresses, the credentials, and a line for each next step. */
export function startText(services: LocalServices, { out, directory, curlFiles, config }: TextDeps): string {
  const { demo, logFiles, mail, postgres, receiver, redis } = services;
  const { integrator, source, admin } = demo.credentials;
  return [
    '',
    out.green(out.bold('Callout is running.')),
    ...table([
      ['API', `${services.api}  ${new URL('/docs/api', services.api).href} shows every operation`],
      ...(services.console === undefined
        ? []
        : [['console', `${services.console.url}  the same as a web page; links that sign you in are below`]]),
      [
        'docs',
        `${new URL('/docs', services.api).href}  with downloads for integrators; being built, which takes a moment`,
      ],
      ['worker', `${services.worker}/readyz  says whether it can work; the API has /readyz, too`],
      ['receiver', `${receiver.url}  shows the callouts it gets, and verifies their signatures`],
      config.smtpUrl === undefined
        ? ['mail', `${mail.url}  shows what is sent to ${mail.smtpUrl}`]
        : ['mail', 'goes to your SMTP_URL'],
      ['PostgreSQL', postgres.description],
      ['Redis', redis.description],
      ['logs', logFiles.join('  ')],
      ['data', [directory.path, postgres.own?.place ?? ''].join('  ')],
    ]),
    '',
    out.bold('Credentials of the demo tenant'),
    ...table([
      ['role', 'may', 'UserName', 'Secret', 'ApiIntegrationCode'],
      ['integrator', 'webhooks, reads', integrator.userName, integrator.secret, integrator.apiIntegrationCode],
      ['source', 'records, events', source.userName, source.secret, source.apiIntegrationCode],
      ['admin', 'everything', admin.userName, admin.secret, admin.apiIntegrationCode],
    ]),
    out.dim(`  As curl --config files: ${Object.values(curlFiles).join('  ')}`),
    '',
    ...consoleLines(services, out),
    out.bold('Try it, in another terminal'),
    ...(config.allowsHttpTargets
      ? []
      : ['ALLOW_HTTP_TARGETS is false: webhooks to the receiver below, which has no TLS, are refused.']),
    ...steps(services, curlFiles, config.smtpUrl !== undefined).flatMap(([what, line], i) => [
      out.dim(`# ${i + 1}. ${what}`),
      line,
      '',
    ]),
    'Ctrl-C stops everything. The data stays.',
  ].join('\n');
}

/** Links to the console, each good for one authentication. */
function consoleLines(services: LocalServices, { bold, dim }: Pick<Output, 'bold' | 'dim'>): string[] {
  if (services.console === undefined) return [];
  const { integrator, admin, operator } = services.console.links;
  return [
    bold('Open the console'),
    ...table([
      ['integrator', integrator],
      ['admin', admin],
      ['operator', operator],
    ]),
    dim(
      '  Each link signs you in once, within an hour. Later, sign in with a credential above, or as operator with the',
    ),
    dim('  token in the data directory.'),
    '',
  ];
}

function steps(
  { api, receiver, mail, demo }: LocalServices,
  curlFiles: CurlFiles,
  hasOwnMailServer: boolean,
): [string, string][] {
  const webhook = {
    name: 'try.Company.Any',
    webhookUrl: `${receiver.url}/callouts`,
    deactivationUrl: `${receiver.url}/deactivated`,
    secretKey: demo.webhookSecret,
    isActive: true,
    isSubscribedToCreateEvents: true,
    isSubscribedToUpdateEvents: true,
    isSubscribedToDeleteEvents: true,
    fields: [
      { field: 'companyName', isDisplayAlwaysField: true },
      { field: 'phone', isSubscribedField: true },
    ],
  };
  const company = { companyName: 'Northwind', companyType: 1, ownerResourceID: 1, phone: '555-0100' };
  // A new number at each start: without a change there is no callout.
  const phone = `555-${randomInt(1000, 9999)}`;
  const as = (role: keyof CurlFiles) => `curl -K ${quoted(curlFiles[role])}`;
  const body = (value: unknown) => `-d ${quoted(JSON.stringify(value))}`;
  return [
    [
      'Register a webhook for companies that are created, deleted, or get another phone number',
      `${as('integrator')} ${api}/CompanyWebhooks ${body(webhook)}`,
    ],
    ['Create a company: the first callout', `${as('source')} ${api}/Companies ${body(company)}`],
    [
      'Change its phone number (1 is the itemId in the answer of step 2): the next callout',
      `${as('source')} -X PATCH ${api}/Companies/1 ${body({ phone })}`,
    ],
    [
      'Change its city, which no webhook subscribes to: no callout',
      `${as('source')} -X PATCH ${api}/Companies/1 ${body({ city: 'Oslo' })}`,
    ],
    ['See what the receiver got, or open it in a browser', `curl -s ${receiver.url}/callouts`],
    [
      'Let the receiver answer 410 (Gone) from now on (1 is the itemId of the webhook): it is deactivated, and its owner gets a mail',
      `${as('integrator')} -X PATCH ${api}/CompanyWebhooks/1 ${body({ webhookUrl: `${receiver.url}/callouts?status=410` })} && ${as('source')} -X PATCH ${api}/Companies/1 ${body({ phone: 'none' })}`,
    ],
    ...(hasOwnMailServer ? [] : [inboxStep(mail.url)]),
    [
      'Repair the receiver, activate the webhook again, and send what it missed',
      `${as('integrator')} -X PATCH ${api}/CompanyWebhooks/1 ${body({ webhookUrl: `${receiver.url}/callouts`, isActive: true })} && ${as('integrator')} ${api}/CompanyWebhooks/1/redeliver ${body({ states: ['failed', 'cancelled'] })}`,
    ],
    ['See what was sent, what came back, and why', `${as('integrator')} ${api}/CompanyWebhooks/1/Callouts`],
  ];
}

function inboxStep(url: string): [string, string] {
  return ['See the inbox, or open it in a browser', `curl -s ${url}/messages`];
}

/** Columns as wide as their widest cell. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  return rows.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd());
}

/** The addresses and credentials for scripts, on one line. Keys are only ever added. */
export function startJson(services: LocalServices): string {
  const { api, worker, receiver, mail, postgres, redis, demo, operator } = services;
  return JSON.stringify({
    api,
    receiver: receiver.url,
    mail: mail.url,
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    credentials: demo.credentials,
    worker,
    operator,
    console: services.console ?? null,
  });
}

import { randomBytes } from 'node:crypto';
import type { CaughtMail } from '@callout/local/mail';
import type { ReceivedCallout } from '@callout/local/receiver';
import { type CalloutClient, createClient } from '@callout/client';
import type { IssuedCredential } from '@callout/tenancy/tenants';
import type { Output } from './output.ts';
import type { LocalServices } from './services/start-services.ts';
import { awaitCallout, awaitMails, type ExpectedCallout } from './arrivals.ts';

interface StoryDeps {
  readonly services: Pick<LocalServices, 'api' | 'receiver' | 'mail' | 'demo'>;
  readonly out: Output;
}

/** Fields of a company, by their ids. */
const COMPANY_NAME = 2;
const PHONE = 16;
const WEBHOOK_NAME = 'demo.Company.Any';

/**
 * Goes the way of an integrator and of the product whose companies change, and shows what arrives. Needs a receiver
 * without requests so far.
 * @throws CannotGoOn when something is not as expected, and ApiError when the API refuses a request.
 */
export async function printStory({ services: { api, receiver, mail, demo }, out }: StoryDeps): Promise<void> {
  const integrator = shownClient(api, demo.credentials.integrator, out);
  const product = shownClient(api, demo.credentials.source, out);
  const say = (text: string) => out.print(`\n${out.bold(text)}`);
  const arrives = async (expected: ExpectedCallout) => {
    const callout = await awaitCallout(receiver, expected);
    out.print(`  callout: ${callout.body}`);
    out.print(`  ${out.green('signature verified')}`);
    return callout;
  };

  say('1. An integrator registers a webhook on companies, and gives the receiver its secret.');
  const secretKey = `whsec_${randomBytes(32).toString('base64')}`;
  receiver.addSecretKey(secretKey);
  const { data: webhook } = await integrator.POST('/v1.0/CompanyWebhooks', {
    body: {
      name: WEBHOOK_NAME,
      webhookUrl: `${receiver.url}/callouts`,
      deactivationUrl: `${receiver.url}/deactivated`,
      secretKey,
      signatureKind: 'both',
      notificationEmailAddress: 'ops@demo.example',
      isActive: true,
      isSubscribedToCreateEvents: true,
      isSubscribedToUpdateEvents: true,
      isSubscribedToDeleteEvents: true,
    },
  });

  say('2. It subscribes to the phone number; the name comes along always.');
  const ofWebhook = { params: { path: { parentId: webhook.itemId } } };
  const fields = '/v1.0/CompanyWebhooks/{parentId}/Fields';
  await integrator.POST(fields, { ...ofWebhook, body: { fieldID: PHONE, isSubscribedField: true } });
  await integrator.POST(fields, { ...ofWebhook, body: { fieldID: COMPANY_NAME, isDisplayAlwaysField: true } });

  say('3. The product creates a company.');
  const company = { companyName: 'Northwind', companyType: 1, ownerResourceID: 2, phone: '555-0100' };
  const { data: northwind } = await product.POST('/v1.0/Companies', { body: company });
  const ofNorthwind = { params: { path: { id: northwind.itemId } } };
  const created = { Phone: '555-0100', CompanyName: 'Northwind' };
  await arrives({ action: 'Create', sequenceNumber: 1, fields: created });

  say('4. The phone number changes. This is all that the receiver gets:');
  await product.PATCH('/v1.0/Companies/{id}', { ...ofNorthwind, body: { phone: '555-0199' } });
  const changed = { Phone: '555-0199', CompanyName: 'Northwind' };
  showRequest(await awaitCallout(receiver, { action: 'Update', sequenceNumber: 2, fields: changed }), out);

  say('5. The city changes. No webhook subscribes to it: no callout.');
  await product.PATCH('/v1.0/Companies/{id}', { ...ofNorthwind, body: { city: 'Oslo' } });

  say('6. The company is deleted. SequenceNumber 3 follows 2: the city has made no callout.');
  await product.DELETE('/v1.0/Companies/{id}', ofNorthwind);
  await arrives({ action: 'Delete', sequenceNumber: 3, fields: {} });

  say('7. The receiver answers 410 (Gone): the webhook is deactivated at once, and its receiver is notified.');
  await integrator.PATCH('/v1.0/CompanyWebhooks/{id}', {
    params: { path: { id: webhook.itemId } },
    body: { webhookUrl: `${receiver.url}/callouts?status=410` },
  });
  await product.POST('/v1.0/Companies', { body: company });
  await arrives({ action: 'Create', sequenceNumber: 4, fields: created });
  await arrives({ action: 'Deactivated', sequenceNumber: 5, fields: {} });

  say('8. So are its people, by mail: the owner, and the address that the webhook names.');
  showMails(await awaitMails(mail, `Callout - Deactivated: ${WEBHOOK_NAME}`, 2), out);
}

function showRequest(callout: ReceivedCallout, out: Output): void {
  out.print(`\n  POST ${callout.path}`);
  for (const [name, value] of Object.entries(callout.headers)) out.print(`  ${name}: ${String(value)}`);
  out.print(`\n  ${callout.body}\n`);
  out.print(
    `  ${out.green('signature verified')}: webhook-signature by secret and public key, x-hook-signature by secret`,
  );
}

function showMails(mails: readonly CaughtMail[], out: Output): void {
  const [{ subject, text } = { subject: '', text: '' }] = mails;
  out.print(`  To: ${mails.flatMap(({ to }) => to).join(', ')}, in a mail of their own each`);
  out.print(`  Subject: ${subject}\n`);
  for (const line of text.trimEnd().split(/\r?\n/u)) out.print(`  ${line}`.trimEnd());
}

/**
 * A client that prints each request and response.
 * @param api ends with `/v1.0`.
 */
export function shownClient(api: string, credential: IssuedCredential, out: Output): CalloutClient {
  return createClient({
    baseUrl: api.replace(/\/v1\.0$/u, ''),
    credential,
    async fetch(request) {
      const path = request.url.slice(api.length);
      const body = await request.clone().text();
      out.print(`  ${request.method} ${path}${body === '' ? '' : ` ${body}`}`);
      const response = await fetch(request);
      out.print(out.dim(`  ${response.status} ${await response.clone().text()}`));
      return response;
    },
  });
}

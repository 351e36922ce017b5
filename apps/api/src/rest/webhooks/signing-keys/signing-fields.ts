import { usesSigningKey } from '@callout/domain/callout/signature-kind';
import { readSigningKeys } from '@callout/webhooks/signing-keys';
import type { ApiContext } from '../../../api-context.ts';
import type { Call } from '../../../http/route/endpoint.ts';
import type { Item } from '../../query/queried.ts';
import { noSigningKey, type SigningFields } from '../webhook-item.ts';
import { signingFields } from './shown-keys.ts';

/** The fields of a webhook about the key pair that signs for it. Nothing is read where only its secret signs. */
export async function signingFieldsOf(
  api: ApiContext,
  call: Call,
  { signatureKind }: { readonly signatureKind: string },
): Promise<SigningFields> {
  return usesSigningKey(signatureKind) ? fieldsOfTenant(api, call) : noSigningKey;
}

/** The same for a page of webhooks, whose tenant has one key pair. */
export async function withSigningFields(api: ApiContext, call: Call, webhooks: Item[]): Promise<Item[]> {
  const isSigned = (webhook: Item) => usesSigningKey(String(webhook['signatureKind']));
  if (!webhooks.some(isSigned)) return webhooks;
  const fields = await fieldsOfTenant(api, call);
  return webhooks.map((webhook) => (isSigned(webhook) ? { ...webhook, ...fields } : webhook));
}

async function fieldsOfTenant(api: ApiContext, call: Call): Promise<SigningFields> {
  const [keys, base] = await Promise.all([
    readSigningKeys(api.database.pool, call.caller.tenantId),
    api.baseUrlOf(call),
  ]);
  return keys === undefined ? noSigningKey : signingFields(keys, base);
}

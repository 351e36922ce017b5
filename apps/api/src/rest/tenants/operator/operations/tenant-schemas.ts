import { z } from 'zod';
import { credentialRoles } from '@callout/tenancy/input/credential-input.rules';
import { anyId, flag, moment, someText, text, whole } from '../../../../http/operation/wire-types.ts';
import { perHour } from './operator-operation.ts';

export const zoneSettings = {
  name: someText.describe('Its name.'),
  url: text.describe('Scheme, host and port; empty: it has no address of its own.'),
  webUrl: text.describe('The address for people; may be empty.'),
  isDefault: flag.describe('Whether new tenants and unknown users get it.'),
};
export const zone = z.object({ id: anyId, ...zoneSettings }).meta({ id: 'Zone' });

export const tenantSettings = {
  name: someText.describe('Unique in the installation.'),
  zoneID: anyId.describe('The zone that its people reach the API by.'),
  calloutThreshold: perHour('Callouts per entity in any hour'),
  apiRequestsPerHour: perHour('Requests per hour'),
};
export const tenant = z
  .object({
    id: anyId,
    ...tenantSettings,
    createDateTime: moment,
    deletingDateTime: moment.nullable().describe('Since when it is being deleted; null: it is not.'),
  })
  .meta({ id: 'Tenant' });

export const resourceSettings = {
  email: someText.describe('Gets the mails about the webhooks that it owns.'),
  canCreateWebhooks: flag,
};
export const resource = z.object({ id: anyId, isActive: flag, ...resourceSettings }).meta({ id: 'Resource' });

export const role = z.enum(credentialRoles);
export const credentialFacts = {
  id: anyId,
  resourceID: anyId,
  userName: someText.describe('Unique in the installation, ignoring case.'),
  role,
  isSecretImported: flag.describe('Its secret was chosen elsewhere.'),
  createDateTime: moment,
  revokeDateTime: moment.nullable().describe('Since when it is refused; null: it is not.'),
};
const generated = {
  secret: text.describe('Shown this once; absent: it was chosen elsewhere.').optional(),
  apiIntegrationCode: text.describe('Shown this once; absent: it was chosen elsewhere.').optional(),
};
export const credential = z.object(credentialFacts).meta({ id: 'Credential' });
export const foundCredential = z.object({ ...credentialFacts, tenantID: anyId }).meta({ id: 'FoundCredential' });
export const issuedCredential = z.object({ ...credentialFacts, ...generated }).meta({ id: 'IssuedCredential' });

export const lockout = z
  .object({
    userName: text.nullable().describe('Null: no credential has that name.'),
    tenantID: anyId.nullable().describe('The tenant of the user name; null without a credential.'),
    tenantName: text.nullable(),
    address: text.describe('Where the failed sign-ins came from.'),
    endDateTime: moment,
  })
  .meta({ id: 'Lockout' });

export const link = z.object({ url: text, expiresDateTime: moment }).meta({ id: 'SignInLink' });
export const expiresInSeconds = whole.min(10).max(3_600).describe('300 unless given.').optional();

export const some = (shape: z.ZodRawShape): z.ZodObject => z.object(shape).partial();

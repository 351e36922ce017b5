// Gives the requests of the fuzzer something to be about: records, webhooks with children of each kind, and a callout; for
// the operator API a tenant of its own, and one to delete.
// node .ci/fuzz-data.mjs <what `npm start -- --json` printed> <directory>
// The directory gets one for each API, `tenants` and `operator`: in it `headers`, the origin and the headers of a
// credential, and the fuzzer's settings.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [startedFile, directory] = process.argv.slice(2);
const { api, receiver, credentials, operator } = JSON.parse(await readFile(startedFile, 'utf8'));
const { userName, secret, apiIntegrationCode } = credentials.admin;
const signIn = { UserName: userName, Secret: secret, ApiIntegrationCode: apiIntegrationCode };

/** Calls an API; throws unless it takes the call. */
const callerOf = (url, headers) => async (method, where, body) => {
  const response = await fetch(`${url}${where}`, {
    method,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${where} is ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
};
const call = callerOf(api, signIn);

/** Makes one to work with and one to delete, which must have the ids 1 and 2. */
async function makeTwo(where, bodyOf) {
  for (const id of [1, 2]) {
    const { itemId } = await call('POST', where, bodyOf(id));
    if (itemId !== id) throw new Error(`POST ${where} made ${itemId}, and not ${id}`);
  }
}

await makeTwo('/UserDefinedFieldDefinitions', (id) => ({
  entityType: 'Account',
  name: `Tier ${id}`,
  dataType: 'string',
}));
await makeTwo('/CompanyWebhooks', (id) => ({
  name: `fuzzed ${id}`,
  webhookUrl: receiver,
  deactivationUrl: receiver,
  secretKey: 'a secret of the fuzzer',
  isActive: true,
  isSubscribedToCreateEvents: true,
  isSubscribedToUpdateEvents: true,
}));
const fieldNames = ['companyName', 'phone'];
await makeTwo('/CompanyWebhooks/1/Fields', (id) => ({ field: fieldNames[id - 1], isSubscribedField: true }));
await makeTwo('/CompanyWebhooks/1/UdfFields', (id) => ({ udfFieldID: id, isDisplayAlwaysField: true }));
await makeTwo('/CompanyWebhooks/1/ExcludedResources', (id) => ({ resourceID: id }));
await makeTwo('/Companies', (id) => ({
  companyName: `Northwind ${id}`,
  companyType: 1,
  phone: '1',
  ownerResourceID: 3,
  userDefinedFields: [{ name: 'Tier 1', value: 'gold' }],
}));
await makeTwo('/Companies/1/Contacts', () => ({ firstName: 'Ada', lastName: 'Lovelace', isActive: 1 }));
await makeTwo('/Companies/1/ConfigurationItems', () => ({ productID: 1, isActive: true }));
await makeTwo('/Tickets', (id) => ({ title: `Ticket ${id}`, companyID: 1, status: 1, priority: 1 }));
await makeTwo('/Tickets/1/Notes', (id) => ({ title: `Note ${id}`, description: 'text', noteType: 1, publish: 1 }));
const event = { eventID: 'fuzzed', entityType: 'Account', action: 'Update', id: 1, resourceID: 3 };
await call('POST', '/EntityEvents', { events: [{ ...event, fields: { companyName: 'Southwind' } }] });

let calloutID;
for (let tries = 0; calloutID === undefined && tries < 100; tries += 1) {
  calloutID = (await call('GET', '/CompanyWebhooks/1/Callouts')).items[0]?.id;
  if (calloutID === undefined) await sleep(100);
}
if (calloutID === undefined) throw new Error('there is no callout');

/** What .ci/fuzz starts the fuzzer with for one API. */
async function describe(name, url, headers, settings) {
  await mkdir(path.join(directory, name));
  const lines = [new URL(url).origin, ...Object.entries(headers).map(([header, value]) => `${header}: ${value}`)];
  await writeFile(path.join(directory, name, 'headers'), `${lines.join('\n')}\n`);
  await writeFile(path.join(directory, name, 'schemathesis.toml'), settings);
}

await describe(
  'tenants',
  api,
  signIn,
  `[parameters]
"path.id" = 1
"path.parentId" = 1
"path.eventID" = "fuzzed"
"path.calloutID" = "${calloutID}"

[[operations]]
include-method = "DELETE"
parameters = { "path.id" = 2 }
`,
);

const bearer = { Authorization: `Bearer ${operator.token}` };
const operate = callerOf(operator.url, bearer);
const make = async (where, body) => (await operate('POST', where, body)).item.id;
const tenant = await make('/tenants', { name: 'fuzzed' });
const doomed = await make('/tenants', { name: 'to be deleted' });
// One that has the credentials, and one to change: a resource that is not active can do little.
const [owner, changed] = [
  await make(`/tenants/${tenant}/resources`, { email: 'owner@fuzzed.example' }),
  await make(`/tenants/${tenant}/resources`, { email: 'changed@fuzzed.example' }),
];
const credential = (userName) => ({ resourceID: owner, userName, role: 'integrator' });
const [kept, revoked] = [
  await make(`/tenants/${tenant}/credentials`, credential('kept@fuzzed.example')),
  await make(`/tenants/${tenant}/credentials`, credential('revoked@fuzzed.example')),
];
await describe(
  'operator',
  operator.url,
  bearer,
  `[parameters]
"path.zoneId" = 1
"path.tenantId" = ${tenant}
"path.resourceId" = ${changed}
"path.credentialId" = ${kept}

[[operations]]
include-operation-id = "revokeCredential"
parameters = { "path.credentialId" = ${revoked} }

[[operations]]
include-operation-id = "deleteTenant"
parameters = { "path.tenantId" = ${doomed}, "query.name" = "to be deleted" }
`,
);

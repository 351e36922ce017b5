import { beforeAll, describe, expect, it } from '@jest/globals';
import { failure } from '../../fixtures/failure.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { insertErrorLog, makeWholeTenant, type WholeTenant } from '../../fixtures/whole-tenant.ts';
import { describedFields, fieldKeys } from './described.fixture.ts';

const api = runTestApi();
let tenant: WholeTenant;

beforeAll(async () => {
  tenant = await makeWholeTenant(api);
});

const get = async (path: string, method = 'GET') => (await api.call(method, path, { as: tenant.integrator })).body;
const fieldsOf = (path: string) => describedFields(api, tenant.integrator, path);

type Info = Readonly<Record<string, unknown>>;

/** Every collection that describes itself, with the name of one of its records. */
function collections(): { path: string; name: string; item: string; hasFieldIDs: boolean }[] {
  const children = ['Field', 'UdfField', 'ExcludedResource'];
  return [
    { path: '/Resources', name: 'Resource', item: '/Resources/4', hasFieldIDs: true },
    {
      path: '/WebhookEventErrorLogs',
      name: 'WebhookEventErrorLog',
      item: `/WebhookEventErrorLogs/${tenant.errorLogId}`,
      hasFieldIDs: false,
    },
    {
      path: '/UserDefinedFieldDefinitions',
      name: 'UserDefinedFieldDefinition',
      item: '/UserDefinedFieldDefinitions/1',
      hasFieldIDs: false,
    },
    ...api.catalogue.watched.flatMap(
      ({ collection, singular, webhookCollection, webhookSingular, hasUserDefinedFields }) => [
        { path: `/${collection}`, name: singular, item: `/${collection}/1`, hasFieldIDs: true },
        { path: `/${webhookCollection}`, name: webhookSingular, item: `/${webhookCollection}/1`, hasFieldIDs: false },
        ...children
          .filter((child) => child !== 'UdfField' || hasUserDefinedFields)
          .flatMap((child) => {
            const places = [`/${webhookSingular}${child}s`, `/${webhookCollection}/1/${child}s`];
            return places.map((path) => ({
              path,
              name: webhookSingular + child,
              item: `${path}/1`,
              hasFieldIDs: false,
            }));
          }),
      ],
    ),
  ];
}

/** The collections of one entity, and those of none: the routes of other entities are made by the same functions. */
function collectionsOfOne() {
  return collections().filter(({ path }) => !/^\/(Contact|ConfigurationItem|Ticket)/.test(path));
}

describe('what a collection says about itself', () => {
  it('has the same shape everywhere, by GET and POST, in any casing', async () => {
    for (const { path, name } of collections()) {
      const info = await get(`${path}/entityInformation`);
      expect(info).toEqual({
        info: {
          name,
          canCreate: expect.any(Boolean),
          canDelete: expect.any(Boolean),
          canQuery: true,
          canUpdate: expect.any(Boolean),
          userAccessForCreate: expect.stringMatching(/^(?:All|Restricted|None)$/u),
          userAccessForDelete: expect.stringMatching(/^(?:All|Restricted|None)$/u),
          userAccessForQuery: expect.stringMatching(/^(?:All|Restricted|None)$/u),
          userAccessForUpdate: expect.stringMatching(/^(?:All|Restricted|None)$/u),
          hasUserDefinedFields: expect.any(Boolean),
          supportsWebhookCallouts: expect.any(Boolean),
        },
      });
    }
    for (const { path } of collectionsOfOne()) {
      for (const [one, same] of [
        ['entityInformation', 'ENTITYINFORMATION/'],
        ['entityInformation/fields', 'entityinformation/Fields/'],
        ['entityInformation/userDefinedFields', 'entityInformation/userdefinedfields'],
      ]) {
        expect(await get(`${path}/${same}`, 'POST')).toEqual(await get(`${path}/${one}`));
      }
    }
  });

  it('matches the behaviour of the path: missing operations are 405, and callers without the right get 403', async () => {
    for (const { path } of collectionsOfOne()) {
      const methods = {
        canCreate: ['POST', path],
        canUpdate: ['PATCH', `${path}/99`],
        canDelete: ['DELETE', `${path}/99`],
      };
      for (const as of [tenant.integrator, tenant.source, tenant.admin]) {
        const { info } = (await api.call('GET', `${path}/entityInformation`, { as })).body as { info: Info };
        for (const [mark, [method = '', place = '']] of Object.entries(methods)) {
          const { status } = await api.call(method, place, { as, body: {} });
          const access = info[mark.replace('can', 'userAccessFor')];
          const described = { [mark]: info[mark], access: access !== 'None' };
          expect({ path, [mark]: status !== 405, access: status !== 405 && status !== 403 }).toEqual({
            path,
            ...described,
          });
        }
      }
    }
  });

  it('describes every key of its items, and each by the same keys', async () => {
    // Clients of both kinds of webhooks know two keys that an item has only when it is of that kind.
    const contactLogId = await insertErrorLog(api, tenant.id, tenant.integrator.resourceId, 'Contact');
    const contactLog = await get(`/WebhookEventErrorLogs/${contactLogId}`);
    for (const { path, item, hasFieldIDs } of collections()) {
      const fields = await fieldsOf(path);
      for (const field of fields) {
        expect(Object.keys(field).toSorted()).toEqual([...fieldKeys, ...(hasFieldIDs ? ['fieldID'] : [])].toSorted());
        expect(field.isPickList).toBe(field.picklistValues !== null);
        expect(field.isReference).toBe(field.referenceEntityType !== '');
      }
      const response = (await api.call('GET', item, { as: tenant.admin })).body as { item: object };
      const items = path === '/WebhookEventErrorLogs' ? [response, contactLog as { item: object }] : [response];
      const keys = new Set(items.flatMap((one) => Object.keys(one.item)).filter((key) => key !== 'userDefinedFields'));
      expect({ path, names: fields.map((field) => field.name).toSorted() }).toEqual({
        path,
        names: [...keys].toSorted(),
      });
    }
  });

  it('under a webhook that is not there is 404', async () => {
    for (const id of ['2', '0', 'x', '2147483648']) {
      for (const rest of ['', '/fields', '/userDefinedFields']) {
        const path = `/CompanyWebhooks/${id}/Fields/entityInformation${rest}`;
        await expect(api.call('GET', path, { as: tenant.admin })).resolves.toMatchObject({
          status: 404,
          body: failure('notFound'),
        });
      }
    }
  });

  it('takes GET and POST only', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      for (const path of ['/Companies/entityInformation', '/CompanyWebhooks/entityInformation/fields']) {
        await expect(api.call(method, path, { as: tenant.admin })).resolves.toMatchObject({ status: 405 });
      }
    }
  });
});

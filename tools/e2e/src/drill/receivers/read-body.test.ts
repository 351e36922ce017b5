import { expect, it } from '@jest/globals';
import { webhook } from '../check/consistent-books.fixture.ts';
import type { BodyFormat } from '../traffic/variety.ts';
import type { DrillWebhook } from '../traffic/webhooks.ts';
import { readBody } from './read-body.ts';

const typed = {
  ...{ action: 'Update', guid: 'guid', entityType: 'Account', id: 1 },
  fields: { companyName: 'Ant', assetValue: 1.25 },
  userDefinedFields: { 'Größe der Übung': 'A' },
  previousFields: { assetValue: null },
  previousUserDefinedFields: {},
  ...{ eventTime: '2025-09-15T15:10:00Z', sequenceNumber: 12, personID: 2 },
  mergedEventIDs: ['e1', 'e2'],
};
const event = {
  ...{ specversion: '1.0', id: 'callout-1', source: 'urn:callout:zone:tenant:guid' },
  ...{ type: 'callout.company.updated.v1', subject: 'Companies/1', time: '2025-09-15T15:10:00Z' },
  ...{ datacontenttype: 'application/json', sequence: '0000000000000012', data: typed },
};

const asked = { withPrevious: true } as const;

function read(body: object, change: Partial<DrillWebhook>) {
  const problems: string[] = [];
  const claim = (isTrue: boolean, problem: string) => {
    if (!isTrue) problems.push(problem);
  };
  const of = { ...webhook, ...change };
  return { ...readBody(JSON.stringify(body), { webhook: of, calloutId: 'callout-1', claim }), problems };
}

it('reads each format as the reference format has it', () => {
  const body = {
    ...{ Action: 'Update', Guid: 'guid', EntityType: 'Account', Id: 1 },
    Fields: { CompanyName: 'Ant', AssetValue: '1.25', 'Größe der Übung': 'A' },
    PreviousFields: { AssetValue: null },
    ...{ EventTime: '2025-09-15T15:10:00Z', SequenceNumber: 12, PersonID: 2 },
    MergedEventIDs: ['e1', 'e2'],
  };
  for (const [sent, format] of [
    [body, 'reference'],
    [typed, 'typed'],
    [event, 'cloudevents'],
  ] as const satisfies readonly (readonly [object, BodyFormat])[]) {
    expect(read(sent, { ...asked, format })).toEqual({ format, body, problems: [] });
    expect(read(sent, { ...asked, format: 'reference', fate: 'reformatted' })).toEqual({ format, body, problems: [] });
  }
});

it.each<[what: string, body: object, change: Partial<DrillWebhook>, problem: string]>([
  [
    'text in place of a number',
    { ...typed, fields: { assetValue: '1.25' } },
    { ...asked, format: 'typed' },
    'has a string in',
  ],
  [
    'keys in another order',
    Object.fromEntries(Object.entries(typed).toReversed()),
    { ...asked, format: 'typed' },
    'has the keys mergedEventIDs',
  ],
  ['another sequence', { ...event, sequence: '12' }, { ...asked, format: 'cloudevents' }, 'has the attributes'],
  ['previous values that nobody asked for', typed, { format: 'typed' }, 'has the keys'],
  ['another format', typed, { ...asked, format: 'reference' }, 'has the format typed'],
  [
    'two formats in one body',
    { ...event, data: { ...typed, Action: 'Update' } },
    { ...asked, format: 'cloudevents' },
    'has the keys',
  ],
])('finds %s', (_what, body, change, problem) => {
  expect(read(body, change).problems).toEqual([expect.stringContaining(problem)]);
});

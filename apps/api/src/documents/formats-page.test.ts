import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { bodyOf } from '@callout/domain/callout/callout-body';
import type { PayloadFormat } from '@callout/domain/callout/payload-format';
import { buildCatalogue } from '@callout/domain/catalogue/catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { layoutOf } from '@callout/pipeline/match/layout.rules';

const companies = JSON.parse(readFileSync(path.join(ownCatalogueDir, 'companies.json'), 'utf8')) as unknown;

const page = readFileSync(path.join(import.meta.dirname, '../../../../docs/formats.md'), 'utf8');
const shown = { isSubscribed: true, isDisplayAlways: false };

function example(format: PayloadFormat): unknown {
  const [account] = buildCatalogue([companies]).entities;
  if (account === undefined) throw new Error('The catalogue has no companies');
  const subscription = {
    ...{ webhookKey: 1, webhookId: 1, webhookGuid: '3f0c8a52-6b1d-4a5e-9c0f-2f7f0f1b9d11', version: 1 },
    ...{ isActive: true, activatedAt: null, onCreate: true, onUpdate: true, onDelete: true, excludedResourceIds: [] },
    fields: ['companyName', 'companyType', 'assetValue'].map((name) => ({ name, ...shown })),
    udfFields: [
      {
        udfId: 3,
        label: 'Service Tier',
        dataType: 'list' as const,
        listValues: [{ value: '2', label: 'Gold' }],
        ...shown,
      },
    ],
    payload: {
      format,
      includePreviousValues: true,
      place:
        format === 'cloudevents'
          ? { zoneGuid: '', zoneName: 'eu', zoneUrl: 'https://eu.example.com', tenantName: 'acme' }
          : null,
    },
  };
  const body = bodyOf(
    {
      ...{ id: '019bc0de-0000-7000-8000-000000000007', action: 'Update', webhookGuid: subscription.webhookGuid },
      ...{ entityType: 'Account', recordId: 42, eventTime: new Date('2026-01-15T09:30:00Z'), sequenceNumber: 7 },
      personId: 1,
    },
    {
      action: 'Update',
      fields: { companyName: 'Northwind', companyType: '3', assetValue: '1250.5' },
      udfFields: { 3: '2' },
      changedFields: ['companyType', 'assetValue'],
      changedUdfs: [3],
      previous: { fields: { companyType: '1', assetValue: null }, udfFields: {} },
    },
    layoutOf(subscription, account),
  );
  return JSON.parse(body);
}

describe('the examples of docs/formats.md', () => {
  it.each(['reference', 'typed', 'cloudevents'] as const)('show what is sent: %s', (format) => {
    const examples = [...page.matchAll(/```json\n(.*?)```/gsu)].map(([, text = '']) => JSON.parse(text) as unknown);
    expect(examples).toContainEqual(example(format));
  });
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { buildCatalogue } from '@callout/domain/catalogue/catalogue';
import type { ChildInputContext } from './child-input.ts';
import { Problem } from '@callout/domain/problem';
import {
  parseExcludedResourceCreate,
  parseFieldCreate,
  parseFieldUpdate,
  parseUdfFieldCreate,
  parseUdfFieldUpdate,
  refuseOtherFieldId,
} from './webhook-children.ts';

const companies: unknown = JSON.parse(readFileSync(path.join(ownCatalogueDir, 'companies.json'), 'utf8'));
const [account] = buildCatalogue([companies]).entities;
if (account === undefined) throw new Error('The catalogue has no companies');

const atTwin: ChildInputContext = { entity: account, userDefinedFields: [{ id: 4, name: 'region', label: 'Region' }] };
const underParent: ChildInputContext = { ...atTwin, parentId: 7 };

function messagesOf(parse: () => unknown): string[] {
  try {
    parse();
  } catch (problem) {
    if (problem instanceof Problem && problem.kind === 'invalid') return problem.details.map(({ message }) => message);
    throw problem;
  }
  throw new Error('Nothing was refused');
}

describe('creating a child', () => {
  it('accepts the known request shape: quoted numerals and the id of its webhook', () => {
    const body = { FieldID: '2', IsDisplayAlwaysField: false, IsSubscribedField: true, WebhookID: '7' };
    const field = { webhookId: 7, fieldId: 2, name: 'companyName', isSubscribed: true, isDisplayAlways: false };
    expect(parseFieldCreate(body, underParent)).toEqual(field);
    expect(parseFieldCreate(body, atTwin)).toEqual(field);
  });

  it('uses the webhook in the path when the body has none, and ignores an id', () => {
    const flags = { isSubscribed: false, isDisplayAlways: false };
    expect(parseFieldCreate({ id: 'x', field: 'phone' }, underParent)).toMatchObject({ webhookId: 7, ...flags });
    expect(parseUdfFieldCreate({ udfFieldID: 4 }, underParent)).toEqual({ webhookId: 7, udfFieldId: 4, ...flags });
    expect(parseExcludedResourceCreate({ resourceID: 12 }, underParent)).toEqual({ webhookId: 7, resourceId: 12 });
  });

  it('requires the webhook in the body at a root twin', () => {
    expect(messagesOf(() => parseFieldCreate({ isSubscribedField: 3 }, atTwin))).toEqual([
      'webhookID is required',
      'fieldID is required; a name goes into field',
      'isSubscribedField must be true or false',
    ]);
    expect(messagesOf(() => parseUdfFieldCreate({}, atTwin))).toEqual([
      'webhookID is required',
      'udfFieldID is required; a name goes into udfField',
    ]);
    expect(messagesOf(() => parseExcludedResourceCreate({}, {}))).toEqual([
      'webhookID is required',
      'resourceID is required',
    ]);
  });

  it('refuses another webhook than the one in the path', () => {
    const message = ['webhookID is 8 in the body and 7 in the path'];
    expect(messagesOf(() => parseFieldCreate({ fieldID: 2, webhookID: 8 }, underParent))).toEqual(message);
    expect(messagesOf(() => parseUdfFieldCreate({ udfFieldID: 4, webhookID: 8 }, underParent))).toEqual(message);
    expect(messagesOf(() => parseExcludedResourceCreate({ resourceID: 1, webhookID: 8 }, underParent))).toEqual(
      message,
    );
  });

  it('refuses a user-defined field of another entity or tenant', () => {
    expect(messagesOf(() => parseUdfFieldCreate({ udfFieldID: 5 }, underParent))).toEqual([
      'udfFieldID 5 is no user-defined field of Account: GET /Companies/entityInformation/userDefinedFields lists them',
    ]);
  });
});

describe('updating a child', () => {
  it('changes the keys present with PATCH; null is false', () => {
    expect(parseFieldUpdate('PATCH', { id: 3 }, underParent)).toEqual({ id: 3, changes: {} });
    expect(parseFieldUpdate('PATCH', { ID: '3', isSubscribedField: null }, underParent)).toEqual({
      id: 3,
      changes: { isSubscribed: false },
    });
    expect(parseUdfFieldUpdate('PATCH', { isDisplayAlwaysField: 'TRUE' }, underParent, 3)).toEqual({
      id: 3,
      changes: { isDisplayAlways: true },
    });
  });

  it('makes absent booleans false with PUT', () => {
    const changes = { isSubscribed: false, isDisplayAlways: true };
    expect(parseFieldUpdate('PUT', { isDisplayAlwaysField: true }, underParent, 3)).toEqual({ id: 3, changes });
    expect(parseUdfFieldUpdate('PUT', { isDisplayAlwaysField: true }, underParent, 3)).toEqual({ id: 3, changes });
  });

  it('returns the field in the body, by id or by name', () => {
    expect(parseFieldUpdate('PUT', { field: 'companyName' }, underParent, 3).givenFieldId).toBe(2);
    expect(parseUdfFieldUpdate('PUT', { udfFieldID: '4' }, underParent, 3).givenFieldId).toBe(4);
    expect(parseFieldUpdate('PATCH', { fieldID: null }, underParent, 3).givenFieldId).toBeUndefined();
  });

  it('reports every problem at once', () => {
    const body = { id: 4, webhookID: 8, fieldID: 999, isSubscribedField: 'maybe' };
    expect(messagesOf(() => parseFieldUpdate('PATCH', body, underParent, 3))).toEqual([
      'id is 4 in the body and 3 in the path',
      'webhookID is 8 in the body and 7 in the path',
      'fieldID 999 is no field of Account: GET /CompanyWebhookFields/entityInformation/fields lists them',
      'isSubscribedField must be true or false',
    ]);
  });

  it('keeps the field of a child fixed', () => {
    const update = parseFieldUpdate('PATCH', { id: 3, fieldID: 2 }, underParent);
    expect(() => refuseOtherFieldId(update, 2, 'fieldID')).not.toThrow();
    expect(() => refuseOtherFieldId({ id: 3, changes: {} }, 2, 'fieldID')).not.toThrow();
    expect(messagesOf(() => refuseOtherFieldId(update, 13, 'fieldID'))).toEqual([
      'fieldID is 13 and cannot be changed; create another record instead',
    ]);
  });
});

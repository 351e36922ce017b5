import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { buildCatalogue } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import { parseFieldCreate } from './webhook-children.ts';
import { parseWebhookCreate, parseWebhookPut, type WebhookInputContext } from './webhook-input.ts';
import { webhookFieldFields } from './child-fields-of-entity.ts';
import { webhookFields } from './webhook-fields.ts';
import { metadataOf } from '@callout/domain/metadata/field-metadata';

const webhookMetadata = metadataOf(webhookFields);

const companies: unknown = JSON.parse(readFileSync(path.join(ownCatalogueDir, 'companies.json'), 'utf8'));
const [account] = buildCatalogue([companies]).entities;
if (account === undefined) throw new Error('The catalogue has no companies');

const context: WebhookInputContext = {
  entity: account,
  checkUrl: () => ({ ok: true }),
  userDefinedFields: [],
  now: new Date(),
};

function problemsOf(parse: () => unknown): { code: string; field?: string }[] {
  try {
    parse();
    return [];
  } catch (problem) {
    if (problem instanceof Problem) return [...problem.details];
    throw problem;
  }
}

const whole: Record<string, unknown> = {
  name: 'n',
  webhookUrl: 'https://shop.example',
  deactivationUrl: 'https://shop.example',
  secretKey: 's',
  isActive: true,
  sendThresholdExceededNotification: false,
};

describe('metadata of webhooks agrees with validation', () => {
  it('a required field is one that a create or a full update requires', () => {
    const refused = Object.keys(whole).filter((key) => {
      const { [key]: _left, ...rest } = whole;
      const problems = [
        ...problemsOf(() => parseWebhookCreate(rest, context)),
        ...problemsOf(() => parseWebhookPut(rest, context, 1)),
      ];
      return problems.some(({ code, field }) => code === 'required' && field === key);
    });
    const required = webhookMetadata.filter((field) => field.isRequired).map((field) => field.name);
    expect(required.toSorted()).toEqual(refused.toSorted());
  });

  it.each(webhookMetadata.filter((field) => field.length > 0 && !field.isReadOnly))(
    'length of $name is the longest text that is taken',
    ({ name, length }) => {
      const tooLong = (text: string) =>
        problemsOf(() => parseWebhookCreate({ ...whole, [name]: text }, context)).some(
          ({ code }) => code === 'tooLong',
        );
      expect(tooLong('a'.repeat(length))).toBe(false);
      expect(tooLong('a'.repeat(length + 1))).toBe(true);
    },
  );

  it.each(webhookMetadata.filter((field) => field.dataType === 'boolean' && !field.isReadOnly))(
    '$name takes booleans only',
    ({ name }) => {
      expect(problemsOf(() => parseWebhookCreate({ ...whole, [name]: 'True' }, context))).toEqual([]);
      expect(problemsOf(() => parseWebhookCreate({ ...whole, [name]: 'yes' }, context))).toMatchObject([
        { field: name },
      ]);
    },
  );

  it('a read-only field is one that a create ignores', () => {
    for (const { name } of webhookMetadata.filter((field) => field.isReadOnly)) {
      expect(parseWebhookCreate({ ...whole, [name]: 'x' }, context)).not.toHaveProperty(name);
    }
  });
});

describe('the picklist of fieldID', () => {
  it('contains exactly the fields that a Field record may name', () => {
    const [fieldID] = metadataOf(webhookFieldFields(account, 'underWebhook'));
    const offered = fieldID?.picklistValues?.map(({ value }) => Number(value));
    const taken = account.fields
      .map((field) => field.fieldID)
      .filter((id) => problemsOf(() => parseFieldCreate({ fieldID: id }, { ...context, parentId: 1 })).length === 0);
    expect(offered).toEqual(taken);
    expect(taken.length).toBeLessThan(account.fields.length);
  });
});

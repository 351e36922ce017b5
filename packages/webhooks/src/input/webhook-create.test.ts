import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { buildCatalogue } from '@callout/domain/catalogue/catalogue';
import { noSecrets } from '@callout/domain/receiver/receiver-settings';
import { secretMask } from '@callout/domain/input/secret-mask';
import { defaultSettings } from '../settings/settings.ts';
import { parseWebhookCreate } from './webhook-input.ts';
import { messagesOf, problemOf, requiredKeys as required, webhookContext } from './webhook-input.fixture.ts';

const companies: unknown = JSON.parse(readFileSync(path.join(ownCatalogueDir, 'companies.json'), 'utf8'));
const [account] = buildCatalogue([companies]).entities;
if (account === undefined) throw new Error('The catalogue has no companies');

const context = webhookContext(account);

const create = (change: Record<string, unknown>) => parseWebhookCreate({ ...required, ...change }, context);

describe('parseWebhookCreate', () => {
  it('requires four keys; everything else has a default', () => {
    expect(create({})).toEqual({
      ...required,
      ...defaultSettings,
      receiver: noSecrets,
      fields: [],
      udfFields: [],
      excludedResources: [],
    });
  });

  it('accepts keys in any case, quoted booleans, and null for absent', () => {
    const { name, ...rest } = required;
    const body = {
      NAME: name,
      ...rest,
      IsActive: 'True',
      IsSubscribedToUpdateEvents: 'true',
      isSubscribedToCreateEvents: null,
    };
    expect(parseWebhookCreate({ ...body, NotificationEmailAddress: 'ops@example.com', fields: null }, context)).toEqual(
      {
        ...create({}),
        isActive: true,
        isSubscribedToUpdateEvents: true,
        notificationEmailAddress: 'ops@example.com',
      },
    );
  });

  it.each([
    [1, true],
    ['1', true],
    [0, false],
    ['0', false],
    ['', false],
  ])('reads the boolean %j as %j, in children too', (given, expected) => {
    const fields = [{ fieldID: 2, isSubscribedField: given, isDisplayAlwaysField: given }];
    expect(
      create({ isActive: given, isSubscribedToCreateEvents: given, sendThresholdExceededNotification: given, fields }),
    ).toMatchObject({
      isActive: expected,
      isSubscribedToCreateEvents: expected,
      sendThresholdExceededNotification: expected,
      fields: [{ isSubscribed: expected, isDisplayAlways: expected }],
    });
  });

  it('accepts a number or a boolean for a text', () => {
    expect(create({ name: 12.5, secretKey: true })).toEqual(create({ name: '12.5', secretKey: 'true' }));
    const problem = problemOf(() => create({ secretKey: 2 ** 53, webhookUrl: 1 }));
    expect(problem.details.map(({ field, code }) => [field, code])).toEqual([
      ['secretKey', 'invalidType'],
      ['webhookUrl', 'invalidUrl'],
    ]);
  });

  it('ignores read-only and unknown keys, whatever their value', () => {
    const ignored = { id: 'x', webhookGUID: 5, ownerResourceID: -1, isReady: 'maybe', color: {}, __proto: 1 };
    expect(create(ignored)).toEqual(create({}));
  });

  it('names every missing key at once', () => {
    const problem = problemOf(() => parseWebhookCreate({}, context));
    expect(problem.kind).toBe('invalid');
    expect(problem.details).toEqual([
      { code: 'required', field: 'name', message: 'name is required' },
      { code: 'required', field: 'webhookUrl', message: 'webhookUrl is required' },
      { code: 'required', field: 'deactivationUrl', message: 'deactivationUrl is required' },
      { code: 'required', field: 'secretKey', message: 'secretKey is required' },
    ]);
  });

  it('reports problems of every kind together, nested ones and those of several keys too', () => {
    const body = {
      name: ['5'],
      webhookUrl: 'http://shop.example/',
      deactivationUrl: `https://shop.example/${'x'.repeat(480)}`,
      isActive: 'yes',
      notificationEmailAddress: 'a@example.com,b@example.com',
      secretKey: secretMask,
      fields: [{ fieldID: 2 }, { fieldID: 999 }, {}, 'x'],
      udfFields: [{ name: 'unknown', isSubscribedField: 2 }],
      excludedResources: {},
    };
    const problem = problemOf(() => parseWebhookCreate(body, context));
    expect(problem.kind).toBe('invalid');
    expect(problem.details).toEqual([
      { code: 'invalidType', field: 'name', message: 'name must be a string' },
      { code: 'tooLong', field: 'deactivationUrl', message: 'deactivationUrl must be 500 characters or fewer' },
      { code: 'invalidType', field: 'isActive', message: 'isActive must be true or false' },
      {
        code: 'invalid',
        field: 'notificationEmailAddress',
        message: 'notificationEmailAddress must be one plain e-mail address such as ops@example.com',
      },
      { code: 'invalidUrl', field: 'webhookUrl', message: 'webhookUrl must use https' },
      {
        code: 'invalid',
        field: 'secretKey',
        message: 'secretKey must not be ********, which means an unchanged one',
      },
      {
        code: 'unknownField',
        field: 'fields[1].fieldID',
        message:
          'fields[1].fieldID 999 is no field of Account: GET /CompanyWebhookFields/entityInformation/fields lists them',
      },
      {
        code: 'required',
        field: 'fields[2].fieldID',
        message: 'fields[2].fieldID is required; a name goes into fields[2].field',
      },
      { code: 'invalidType', field: 'fields[3]', message: 'fields[3] must be an object' },
      {
        code: 'unknownField',
        field: 'udfFields[0].name',
        message:
          'udfFields[0].name unknown is no user-defined field of Account: GET /Companies/entityInformation/userDefinedFields lists them',
      },
      {
        code: 'invalidType',
        field: 'udfFields[0].isSubscribedField',
        message: 'udfFields[0].isSubscribedField must be true or false',
      },
      {
        code: 'invalidType',
        field: 'excludedResources',
        message: 'excludedResources must be an array of 1000 objects or fewer',
      },
    ]);
  });

  it.each([
    ['name', 50],
    ['secretKey', 64],
  ])('accepts a %s of %i UTF-16 units and refuses one more', (key, limit) => {
    const emoji = '👋';
    const longest = emoji.repeat(limit / 2);
    expect(create({ [key]: longest })).toMatchObject({ [key]: longest });
    expect(messagesOf(() => create({ [key]: `${longest}x` }))).toEqual([`${key} must be ${limit} characters or fewer`]);
  });

  it.each(['webhookUrl', 'deactivationUrl'])('accepts a %s of 500 characters and refuses 501', (key) => {
    const longest = `https://shop.example/${'x'.repeat(479)}`;
    expect(create({ [key]: longest })).toMatchObject({ [key]: longest });
    expect(messagesOf(() => create({ [key]: `${longest}x` }))).toEqual([`${key} must be 500 characters or fewer`]);
  });

  it('accepts an address of 150 characters and refuses 151', () => {
    const longest = `ops@${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(18)}`;
    expect(create({ notificationEmailAddress: longest }).notificationEmailAddress).toBe(longest);
    expect(messagesOf(() => create({ notificationEmailAddress: `${longest}c` }))).toEqual([
      'notificationEmailAddress must be 150 characters or fewer',
    ]);
  });

  it('counts an address in UTF-16 units too', () => {
    const notificationEmailAddress = `${'👋'.repeat(70)}@example.com`;
    expect(messagesOf(() => create({ notificationEmailAddress }))).toContain(
      'notificationEmailAddress must be 150 characters or fewer',
    );
  });

  it('treats an empty address as none', () => {
    expect(create({ notificationEmailAddress: '' }).notificationEmailAddress).toBeNull();
  });

  it.each(['name', 'webhookUrl', 'secretKey'])('refuses an empty or blank %s', (key) => {
    expect(messagesOf(() => create({ [key]: '' }))).toContain(`${key} must not be empty`);
    expect(messagesOf(() => create({ [key]: '  ' }))).toContain(`${key} must not be empty`);
  });

  it('accepts a short secret and any symbols, but no copied line end', () => {
    expect(create({ secretKey: 'x' }).secretKey).toBe('x');
    expect(create({ secretKey: ' <ü>"\\ €👋' }).secretKey).toBe(' <ü>"\\ €👋');
    expect(messagesOf(() => create({ secretKey: 'secret\n' }))).toEqual([
      'secretKey must not contain control characters',
    ]);
  });

  it('accepts any name that can be stored: mails show it without its control characters', () => {
    expect(create({ name: 'a\r\nBcc: =?utf-8?q?x?= \u202e' }).name).toBe('a\r\nBcc: =?utf-8?q?x?= \u202e');
    for (const name of ['a\0b', 'half \ud83d']) {
      expect(messagesOf(() => create({ name }))).toEqual(['name must be valid Unicode text without U+0000']);
    }
  });

  it('puts no secret into a message', () => {
    const secretKey = 'top secret '.repeat(9);
    expect(JSON.stringify(problemOf(() => create({ secretKey })).details)).not.toContain('top secret');
  });

  it('refuses keys that differ by case only', () => {
    expect(messagesOf(() => create({ Name: 'x' }))).toEqual(['name is given twice, in keys that differ by case only']);
  });

  it.each([null, [], 'text'])('refuses a body of %j', (body) => {
    expect(messagesOf(() => parseWebhookCreate(body, context))).toEqual([
      expect.stringMatching(/^The body must be a JSON object/),
    ]);
  });
});

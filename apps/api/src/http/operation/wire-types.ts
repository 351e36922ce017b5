import { z } from 'zod';

// Schemas of bodies and responses. A schema with an `id` is a component of the OpenAPI document.

export const text = z.string();
export const someText = text.min(1);
export const flag = z.boolean();
export const whole = z.int();
/** The id of a record, a webhook or a resource. */
export const anyId = z.int().min(1).meta({ format: 'int64' });
export const guid = z.uuid();
/** An instant in UTC, like `2026-01-15T09:30:00Z`. */
export const moment = z.iso.datetime();
export const names = z.array(text);
export const headers = z.record(text, text);

export const message = text.describe('A sentence for people.');
export const webhookID = anyId.describe('The id of the webhook.');
export const webhookGUID = guid.describe('The GUID of the webhook: the Guid in its callouts.');

/** Keys about probable mistakes of the caller, in addition to the result. */
export const warningKeys = {
  ignored: names.describe('Unknown keys of the body; absent: no unknown keys').optional(),
  warnings: names.describe('What the caller may not have intended, one sentence each; absent: nothing').optional(),
};

export const itemId = z
  .object({ itemId: anyId.describe('The id of the record.'), ...warningKeys })
  .meta({ id: 'ItemId' });

export const queryCount = z
  .object({ queryCount: whole.describe('How many rows the query finds.'), ...warningKeys })
  .meta({ id: 'QueryCount' });

export const pageDetails = z
  .object({
    count: whole.describe('Rows of this page.'),
    requestCount: whole.describe('The most rows that the page could have.'),
    prevPageUrl: text.nullable().describe('The address of the page before; null on the first.'),
    nextPageUrl: text.nullable().describe('The address of the page after; null on the last.'),
  })
  .meta({ id: 'PageDetails' });

/** A single record. */
export function itemOf(record: z.ZodType): z.ZodObject {
  return z.object({ item: record.describe('What was asked for.') });
}

/** A page of rows; `furtherKeys` are additional keys. */
export function pageOf(row: z.ZodType, furtherKeys: z.ZodRawShape = {}): z.ZodObject {
  return z.object({
    items: z.array(row).describe('The rows of this page.'),
    pageDetails: pageDetails.describe('How many rows there are, and where the other pages are.'),
    ...furtherKeys,
  });
}

/**
 * Values as text, null where empty. The type is open: generators make no working type of a key whose value may be null.
 */
export const fieldText = z.unknown();

import { z } from 'zod';
import type { AnswerSchema } from '../../../http/operation/operation-schema.ts';
import { whole } from '../../../http/operation/wire-types.ts';
import { MAX_SMALL_ID } from '../../../http/route/path/path-id.ts';

/**
 * What a route of the operator API takes and answers, declared once: the router goes by its method and path, and
 * `/operator/v1/openapi.json`, and with it the console's types, is made from the rest.
 */
export interface OperatorOperation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/operator/v1`, such as `/tenants/:tenantId`. */
  readonly path: `/${string}`;
  /** What a method of a client is called. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: z.ZodObject;
  readonly body?: { readonly schema: z.ZodType; readonly isOptional?: true };
  readonly answer: AnswerSchema;
  /** 200 unless it says otherwise. */
  readonly status?: 202;
  /** It is 404 where the console is off. */
  readonly needsConsole?: true;
  /** When it is answered 409. */
  readonly conflict?: string;
}

export const perHour = (description: string) =>
  z.int().min(0).nullable().describe(`${description}; null: as the installation, 0: no limit.`);

/** Parameters of a list of what has ids. */
export const pageParameters = {
  after: whole.min(0).max(MAX_SMALL_ID).describe('The nextAfter of the page before.').optional(),
  limit: whole.min(1).max(500).describe('The most items of the page; 100 unless given.').optional(),
};

/** One thing, in its envelope. */
export function itemAnswer(schema: z.ZodType, description = 'What was asked for.'): AnswerSchema {
  return { description, schema: z.object({ item: schema }) };
}

/** A page of a list; `mark` is what the next one begins with. */
export function listAnswer(row: z.ZodType, mark: z.ZodType = whole): AnswerSchema {
  const nextAfter = mark.nullable().describe('The `after` of the next page; null on the last.');
  return { description: 'A page of them.', schema: z.object({ items: z.array(row), nextAfter }) };
}

/** All of a list. */
export function allAnswer(row: z.ZodType): AnswerSchema {
  return { description: 'All of them.', schema: z.object({ items: z.array(row) }) };
}

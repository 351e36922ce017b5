import { z } from 'zod';
import type { ResponseSchema } from '../../../../http/operation/operation-schema.ts';
import { whole } from '../../../../http/operation/wire-types.ts';
import { MAX_SMALL_ID } from '../../../../http/route/path-id.ts';

/**
 * The requests and responses of a route of the operator API, declared once: the router uses its method and path, and
 * `/operator/v1/openapi.json`, and with it the console's types, is made from the rest.
 */
export interface OperatorOperation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/operator/v1`, such as `/tenants/:tenantId`. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly query?: z.ZodObject;
  readonly body?: { readonly schema: z.ZodType; readonly isOptional?: true };
  readonly response: ResponseSchema;
  /** 200 by default. */
  readonly status?: 202;
  /** It is 404 where there is nothing of that kind, or nothing that the query names. */
  readonly isFound?: true;
  /** It is 404 where the console is off. */
  readonly needsConsole?: true;
  /** The condition of a 409. */
  readonly conflict?: string;
}

export const perHour = (description: string) =>
  z.int().min(0).nullable().describe(`${description}; null: as the installation, 0: no limit.`);

/** Parameters of a list of rows with ids. */
export const pageParameters = {
  after: whole.min(0).max(MAX_SMALL_ID).describe('The nextAfter of the page before.').optional(),
  limit: whole.min(1).max(500).describe('The most items of the page; 100 unless given.').optional(),
};

/** One thing, in its envelope. */
export function itemResponse(schema: z.ZodType, description = 'What was asked for.'): ResponseSchema {
  return { description, schema: z.object({ item: schema }) };
}

/** A page of a list; `mark` is the beginning of the next one. */
export function listResponse(row: z.ZodType, mark: z.ZodType = whole): ResponseSchema {
  const nextAfter = mark.nullable().describe('The `after` of the next page; null on the last.');
  return { description: 'A page of them.', schema: z.object({ items: z.array(row), nextAfter }) };
}

/** All of a list. */
export function allResponse(row: z.ZodType, others: z.ZodRawShape = {}): ResponseSchema {
  return { description: 'All of them.', schema: z.object({ items: z.array(row), ...others }) };
}

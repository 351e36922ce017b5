import { z } from 'zod';
import { querySchema } from '@callout/domain/query/parse/query-schema';
import type { DescribedCollection } from '../../http/operation/collection-operations.ts';
import { operationOf, type OperationSchema, type OperationTemplate } from '../../http/operation/operation-schema.ts';
import { pageOf, queryCount, text, warningKeys } from '../../http/operation/wire-types.ts';

/** An operation by each method. */
interface ByMethod {
  readonly GET: OperationSchema;
  readonly POST: OperationSchema;
}

/** The API's description of a collection's list and queries. */
interface QueryOperations {
  readonly list: OperationSchema;
  readonly query: ByMethod;
  readonly count: ByMethod;
  readonly next: ByMethod;
}

const search = text.describe('The query, as the JSON that a POST takes as its body.').optional();
const paging = text.describe('The token of the page, as prevPageUrl or nextPageUrl have it.');
const inAddress = z.object({ search });
const example = { MaxRecords: 50, Filter: [{ op: 'gt', field: 'id', value: 0 }] };

export function queryOperations({ names, tags, record }: DescribedCollection): QueryOperations {
  const main = (template: OperationTemplate) => operationOf(template, names, tags.main);
  const otherForm = (template: OperationTemplate) => operationOf(template, names, tags.otherForms);
  const page = {
    200: {
      description: 'One page, in order of the ids.',
      schema: pageOf(record, warningKeys).meta({ id: `PageOf${names.many}` }),
    },
  };
  const body = { schema: querySchema, example };
  const query = { summary: 'Query {many}', responses: page, isWarned: true } as const;
  const count = {
    summary: 'Count {many}',
    responses: { 200: { description: 'How many there are.', schema: queryCount } },
    isWarned: true,
  } as const;
  const next = {
    summary: 'Read another page of a query of {many}',
    description:
      'Its address is in the pageDetails of the page before or after. The query may be sent again, or parts of it, and must be as it was; a filter that is too long for the token must be.',
    responses: page,
    isWarned: true,
  } as const;
  return {
    list: main({ id: 'list{Many}', summary: 'List {many}', responses: page }),
    query: {
      GET: otherForm({ ...query, id: 'query{Many}BySearch', query: inAddress }),
      POST: main({ ...query, id: 'query{Many}', body }),
    },
    count: {
      GET: otherForm({ ...count, id: 'count{Many}BySearch', query: inAddress }),
      POST: main({ ...count, id: 'count{Many}', body }),
    },
    next: {
      GET: otherForm({ ...next, id: 'get{Many}Page', query: z.object({ paging, search }) }),
      // As a rule without a body.
      POST: otherForm({
        ...next,
        id: 'query{Many}Page',
        query: z.object({ paging }),
        body: { schema: querySchema, isOptional: true },
      }),
    },
  };
}

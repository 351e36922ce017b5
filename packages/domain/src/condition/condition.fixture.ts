import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ownCatalogueDir } from '../catalogue/catalogue-dir.ts';
import { buildCatalogue } from '../catalogue/catalogue.ts';
import type { FieldValues } from '../values/values.ts';
import { conditionFieldsOf } from './condition-fields.ts';
import type { ConditionInput } from './judge-condition.ts';

const tickets: unknown = JSON.parse(
  readFileSync(path.join(ownCatalogueDir, 'tickets.json'), 'utf8').replace(/"parents": \[[^\]]*\]/u, '"parents": []'),
);
const [found] = buildCatalogue([tickets]).entities;
if (found === undefined) throw new Error('The catalogue has no tickets');
/** The entity of tickets. */
export const ticket = found;

/** The fields of tickets, and two user-defined ones. */
export const ticketFields = conditionFieldsOf(ticket, [
  { id: 3, name: 'Tier', label: 'Service tier', dataType: 'list' },
  { id: 4, name: 'previous.owner', label: 'Who had it', dataType: 'string' },
  { id: 5, name: 'Contract number', label: 'Contract number', dataType: 'string' },
]);

const none = Object.create(null) as FieldValues;

/** An event of a ticket. What `previous` has and `fields` too was changed. */
export function eventOfTicket(
  fields: FieldValues,
  previous: FieldValues = none,
  change: Partial<ConditionInput> = {},
): ConditionInput {
  return {
    action: 'Update',
    recordId: 7,
    fields,
    udfFields: none,
    changedFields: Object.keys(previous),
    changedUdfs: [],
    previous: { fields: previous, udfFields: none },
    ...change,
  };
}

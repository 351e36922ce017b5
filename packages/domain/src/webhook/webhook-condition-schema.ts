import { z } from 'zod';
import { operatorNames } from '../query/parse/operators.ts';

/** The condition of a webhook: the grammar of a query's filter, with a few operators more. */
export const webhookConditionSchema = z
  .object({
    op: z.enum(operatorNames).describe('How the field is compared, or and / or for a group.'),
    field: z.string().describe('The field that is compared, by its name; left out in a group.').optional(),
    value: z
      .unknown()
      .describe('What it is compared with; a list for in and notIn; left out by exist and notExist.')
      .optional(),
    udf: z.boolean().describe('Whether the field is a user-defined one.').optional(),
    get items() {
      return z.array(webhookConditionSchema).describe('What a group of and / or consists of.').optional();
    },
  })
  .meta({ id: 'WebhookCondition' });

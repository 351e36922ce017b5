import { z } from 'zod';
import { knownKeys } from '../input/fold-keys.ts';
import { operatorNames } from '../query/parse/operators.ts';
import { changeOperatorNames } from './webhook-condition.ts';

/** The condition of a webhook: the grammar of a query's filter, with a few operators and names of fields more. */
export const webhookConditionSchema = z
  .object({
    op: z
      .enum([...operatorNames, ...changeOperatorNames])
      .describe('How the field is compared, or and / or for a group.'),
    field: z
      .string()
      .describe('The name of the compared field; previous.name is the value before. Left out in a group.')
      .optional(),
    value: z
      .unknown()
      .describe('What it is compared with; a list for in and notIn; left out by exist, notExist and changed.')
      .optional(),
    udf: z.boolean().describe('Whether the field is a user-defined one.').optional(),
    get items() {
      return z.array(webhookConditionSchema).describe('What a group of and / or consists of.').optional();
    },
  })
  .meta({ id: 'WebhookCondition' });

/** The known keys of a part of a condition. */
export const webhookConditionKeys = knownKeys(
  Object.fromEntries(Object.keys(webhookConditionSchema.shape).map((key) => [key, null])),
);

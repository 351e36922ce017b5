import { z } from 'zod';
import { knownKeys } from '../../input/fold-keys.ts';
import { operatorNames } from './operators.ts';

/** Rows of a page, by default and at most. */
export const maxPageSize = 500;

/** One condition of a filter, or a group of them. */
export const conditionSchema = z
  .object({
    op: z.enum(operatorNames).describe('How the field is compared, or and / or for a group.'),
    field: z.string().describe('The field that is compared, by its name; left out in a group.').optional(),
    value: z
      .unknown()
      .describe('What it is compared with; a list for in and notIn; left out by exist and notExist.')
      .optional(),
    udf: z.boolean().describe('Whether the field is a user-defined one.').optional(),
    get items() {
      return z.array(conditionSchema).describe('What a group of and / or consists of.').optional();
    },
  })
  .meta({ id: 'Condition' });

/**
 * The grammar of a query. `parseQuery` accepts more spellings and explains mistakes; the known keys are the keys of the
 * schema.
 */
export const querySchema = z
  .object({
    MaxRecords: z
      .int()
      .min(1)
      .max(maxPageSize)
      .describe('The most rows of a page.')
      .meta({ default: maxPageSize })
      .optional(),
    IncludeFields: z.array(z.string()).describe('The fields that the rows have; all when it is left out.').optional(),
    Filter: z.array(conditionSchema).describe('Conditions that must all hold.').optional(),
  })
  .meta({ id: 'Query' });

const keysOf = ({ shape }: z.ZodObject) => knownKeys(Object.fromEntries(Object.keys(shape).map((key) => [key, null])));

/** The known keys of a query. */
export const queryKeys = keysOf(querySchema);

/** The known keys of a condition. */
export const conditionKeys = keysOf(conditionSchema);

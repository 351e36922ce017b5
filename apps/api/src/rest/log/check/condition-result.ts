import { z } from 'zod';
import {
  judgeParts,
  type CompiledCondition,
  type ConditionInput,
  type JudgedPart,
} from '@callout/domain/condition/judge-condition';
import { printCondition } from '@callout/domain/condition/webhook-condition';
import { flag, message, text } from '../../../http/operation/wire-types.ts';

/** A part of a condition, with the compared values and the result. */
export const conditionResult = z
  .object({
    op: text.describe('How the field is compared, or and / or for a group.'),
    field: text.describe('The field, as the condition names it; left out in a group.').optional(),
    udf: flag.describe('Whether the field is a user-defined one.').optional(),
    value: z.unknown().describe('What it is compared with.').optional(),
    holds: flag.describe('Whether it held.'),
    isKnown: flag.describe('Whether the value of the field is known.').optional(),
    seen: text
      .nullable()
      .describe('The value of the field, at most 500 characters; null: empty or not known.')
      .optional(),
    message: message.optional(),
    get items() {
      return z.array(conditionResult).describe('The parts of a group.').optional();
    },
  })
  .meta({ id: 'ConditionResult' });

const longestSeen = 500;

/** Each part of a condition with the compared value of an event; null without a condition. */
export function conditionResultOf(
  event: ConditionInput,
  condition: CompiledCondition | null | undefined,
): z.infer<typeof conditionResult> | null {
  return condition ? resultOf(judgeParts(event, condition)) : null;
}

function resultOf(part: JudgedPart): z.infer<typeof conditionResult> {
  if (part.kind !== 'expression') {
    return { op: part.kind === 'all' ? 'and' : 'or', holds: part.holds, items: part.items.map(resultOf) };
  }
  const { expression, holds, value, previous } = part;
  const { op, field, ...printedValue } = printCondition(expression) as { op: string; field: string; value?: unknown };
  const isKnown = value !== undefined;
  const sentence =
    expression.test?.kind === 'change'
      ? `${field} ${stateOf(value, 'is')}, and before it ${stateOf(previous, 'was')}.`
      : `${field} ${stateOf(value, 'is')}.`;
  return { op, field, ...printedValue, holds, isKnown, seen: value?.slice(0, longestSeen) ?? null, message: sentence };
}

function stateOf(value: string | null | undefined, verb: 'is' | 'was'): string {
  if (value === undefined) return `${verb} not known`;
  if (value === null) return `${verb} empty`;
  const isLong = value.length > longestSeen;
  return `${verb} ${JSON.stringify(value.slice(0, longestSeen))}${isLong ? '…' : ''}`;
}

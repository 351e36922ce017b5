import { Problem } from '@callout/domain/problem';
import type { ActivationRules } from './activation.ts';

/** Rules of tests: 50 active webhooks, and the kind of a refusal as its words. */
export const rules: ActivationRules = {
  webhookCollection: 'CompanyWebhooks',
  maxActivePerEntity: 50,
  refused: ({ kind }) => Problem.conflict(kind),
};
